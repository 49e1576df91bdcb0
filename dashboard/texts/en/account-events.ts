// Texts of the events of the account.

import type { Texts } from '../texts.ts'

export const accountEvents = {
  intro:
    'Changes of the domains, keys, limits and lists of this account. Webhooks deliver the same events to your programs.',
  title: 'Events of the account',
  event: 'Event',
  about: 'About',
  time: 'Time',
  object: 'ID of the object',
  none: 'No events yet',
  noneHint: 'Events appear when a domain is verified, a key is created or a limit is near.',
  noMatching: 'No matching events',
  noMatchingHint: 'Choose another event, or search for the complete ID of an object.',
  used: '{percent} % used',
  left: '{count} left',
  addresses: { one: '{count} address', other: '{count} addresses' },
  types: {
    'domain.verified': 'Domain verified',
    'domain.records_missing': 'Records of a domain missing',
    'domain.closed': 'Domain closed',
    'domain.deleted': 'Domain deleted',
    'key.created': 'Key created',
    'key.rotated': 'Key rotated',
    'key.expiring': 'Key ends soon',
    'key.revoked': 'Key revoked',
    'key.refused_network': 'Key refused by network',
    'allowance.low': 'Sending allowance low',
    'allowance.exhausted': 'Sending allowance used up',
    'credits.low': 'Verification credits low',
    'bulk.finished': 'Bulk finished',
    'verification_list.finished': 'List verified',
    'import.finished': 'Import finished',
    'suppression.added': 'Suppression added',
    'suppression.removed': 'Suppression removed',
    'webhook.failing': 'Webhook failing',
    'complaints.high': 'Many complaints',
    'bounces.high': 'Many bounces',
    'account.suspended': 'Account suspended',
    'account.resumed': 'Account resumed',
  },
} as const satisfies Texts
