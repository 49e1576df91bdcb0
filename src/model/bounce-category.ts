// Categories of delivery failures.

/** Names of the categories, as used in events and statistics. */
const BOUNCE_CATEGORIES = [
  'mailbox_not_found',
  'mailbox_disabled',
  'mailbox_full',
  'domain_invalid',
  'blocked',
  'policy',
  'content',
  'size',
  'auth',
  'rate_limited',
  'network',
  'dns',
  'tls',
  'protocol',
  'expired',
  'other',
] as const

/**
 * Category of a delivery failure. `domain_invalid`: the domain accepts no mail; `blocked`: the host refuses this sender
 * because of reputation; `policy`: a rule of the receiver refuses the message; `auth`: SPF, DKIM, DMARC or a login
 * failed; `expired`: the retry schedule ended.
 */
export type BounceCategory = (typeof BOUNCE_CATEGORIES)[number]

/** Categories that apply to the address itself, regardless of the sender; only these categories make a bounce hard. */
export type AddressCategory = 'mailbox_not_found' | 'mailbox_disabled' | 'domain_invalid'

const ABOUT_THE_ADDRESS: ReadonlySet<BounceCategory> = new Set<AddressCategory>([
  'mailbox_not_found',
  'mailbox_disabled',
  'domain_invalid',
])

/** True if the category is about the address itself. */
export const isAboutAddress = (category: BounceCategory): category is AddressCategory =>
  ABOUT_THE_ADDRESS.has(category)

/** Party that can have caused a failure: the recipient, the receiving host or network, or the sender. */
type Fault = 'recipient' | 'receiver' | 'sender'

const OF_THE_RECIPIENT: ReadonlySet<string> = new Set([...ABOUT_THE_ADDRESS, 'mailbox_full'])
const OF_THE_SENDER: ReadonlySet<string> = new Set(['blocked', 'content', 'size', 'auth'])

/** Returns the party that probably caused a failure of this category; an unknown category is due to the receiver. */
export function faultOf(category: string): Fault {
  if (OF_THE_RECIPIENT.has(category)) return 'recipient'
  return OF_THE_SENDER.has(category) ? 'sender' : 'receiver'
}
