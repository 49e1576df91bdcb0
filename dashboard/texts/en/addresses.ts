// Texts of the page of an address.

import type { Texts } from '../texts.ts'

export const addresses = {
  noneSent: 'No messages have been sent to this address.',
  count: '{status}: {count}',
  ofNewest: '{counts} (newest messages only)',
  domain: 'Domain',
  allDomains: 'All domains',
  messages: 'Messages',
  noMessages: 'No messages',
  noMessagesHint: 'No messages were sent to this address, or they are no longer kept.',
  erase: 'Erase',
  eraseQuestion: 'Erase this address?',
  eraseHint:
    'Deletes the messages to this recipient, with their events and attempts, from all domains. Suppressions are kept as a hash, so that nothing is sent to the address again. Webhook deliveries may contain the address for up to seven days, and the audit log keeps its entries. This cannot be undone.',
  erased: 'The address was erased.',
  suppressions: 'Suppressions',
  notSuppressed: 'Not suppressed: messages are sent to this address.',
  removeFrom: 'Remove from {domain}, {stream}',
  suppressed: '{email} suppressed.',
  suppressQuestion: 'Suppress {email}?',
  suppressHint: 'No stream of the domain sends to this address until it is removed from the list.',
  verifications: 'Verifications',
  noVerification: 'No verifications of this address.',
  verify: 'Verify',
  singleAddress: 'Single address',
  list: 'List of addresses',
} as const satisfies Texts
