// Texts of the page of an address.

import type { Texts } from '../texts.ts'

export const addresses = {
  noneSent: 'No message was sent to this address.',
  count: '{status} {count}',
  ofNewest: '{counts} of the newest messages',
  domain: 'Domain',
  messages: 'Messages',
  noMessages: 'No messages',
  noMessagesHint: 'None was sent to this address, or they are no longer kept.',
  erase: 'Erase',
  eraseQuestion: 'Erase this address?',
  eraseHint:
    'Removes the messages to this recipient with their events and attempts from all domains. Suppressions stay as a hash, so that nothing is sent to the address again. Deliveries of webhooks may quote it until they end, after seven days; the audit log keeps who did what. This cannot be undone.',
  erased: 'The address was erased.',
  suppressions: 'Suppressions',
  notSuppressed: 'Not suppressed: messages are sent to this address.',
  removeFrom: 'Remove from {domain}, {stream}',
  theList: 'the list',
  suppressed: '{email} suppressed.',
  suppressQuestion: 'Suppress {email}?',
  suppressHint: 'No stream of the domain sends to this address until it is removed from the list.',
  verifications: 'Verifications',
  noVerification: 'No verification of this address is stored.',
  verify: 'Verify',
  singleAddress: 'Single address',
  list: 'List of addresses',
} as const satisfies Texts
