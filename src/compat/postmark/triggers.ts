// Postmark's inbound rules, which are known and not served.

import type { VendorCall } from '../declaration.ts'

const CALLS = [
  ['GET', '/triggers/inboundRules', 'List inbound rules'],
  ['POST', '/triggers/inboundRules', 'Create an inbound rule'],
  ['DELETE', '/triggers/inboundRules/:id', 'Delete an inbound rule'],
] as const

export const triggerCalls: readonly VendorCall[] = CALLS.map(([method, path, summary]) => ({
  ...{ method, path, summary, noun: 'Inbound rules', scope: 'any-credential', state: 'refused' },
  differences: 'Inbound streams accept mail for their addresses, and refuse no senders.',
}))
