// Categories of failures to deliver, in one word each.

/** The words for it, as events carry them and as they are counted. */
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
 * `domain_invalid`: the domain takes no mail; `blocked`: the host refuses us for what it thinks of us; `policy`: a rule
 * of the receiving side; `auth`: SPF, DKIM, DMARC or a login; `expired`: given up on when the schedule ended.
 */
export type BounceCategory = (typeof BOUNCE_CATEGORIES)[number]

/** The categories that say something against the address, for every sender: only then can a bounce be hard. */
export type AddressCategory = 'mailbox_not_found' | 'mailbox_disabled' | 'domain_invalid'

const ABOUT_THE_ADDRESS: ReadonlySet<BounceCategory> = new Set<AddressCategory>([
  'mailbox_not_found',
  'mailbox_disabled',
  'domain_invalid',
])

/** True if the category speaks against the address. */
export const isAboutAddress = (category: BounceCategory): category is AddressCategory =>
  ABOUT_THE_ADDRESS.has(category)
