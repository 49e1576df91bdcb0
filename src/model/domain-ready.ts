// Decides whether a domain can send now, and names the reasons why it cannot.

/** Kinds of streams that send mail. */
export const SENT = ['transactional', 'broadcast'] as const
type Sent = (typeof SENT)[number]

/** Codes of the reasons why a domain cannot send. */
export const READY_REASONS = [
  'account_suspended',
  'paused',
  'claim_missing',
  'records_missing',
  'not_verified',
  'dmarc_missing',
] as const

/** Reason why a domain cannot send mail. */
interface ReadyReason {
  readonly code: (typeof READY_REASONS)[number]
  /** Sentence with the remedy. */
  readonly message: string
  readonly stops: readonly Sent[]
}

/** Whether a domain can send each kind of mail now. */
export interface Ready {
  readonly transactional: boolean
  readonly broadcast: boolean
  readonly reasons: readonly ReadyReason[]
}

/** Facts about a domain that decide whether the domain can send. */
export interface ReadyFacts {
  readonly domain: {
    readonly name: string
    readonly status: 'pending' | 'verified' | 'paused'
    /** Claim of a domain that another account has; null without a claim. */
    readonly claim_token: string | null
  }
  readonly records: readonly {
    readonly purpose: string
    readonly required: number
    readonly status: 'pending' | 'found' | 'mismatch' | 'missing'
  }[]
}

const ALL: readonly Sent[] = ['transactional', 'broadcast']

/**
 * Returns whether a domain can send. Each reason has its own remedy, so all reasons are named at once: a paused domain
 * may lack records as well.
 */
export function readyOf(found: ReadyFacts, accountStatus: 'active' | 'suspended'): Ready {
  const reasons = [...reasonsOf(found, accountStatus)]
  const isFree = (kind: Sent): boolean => !reasons.some(({ stops }) => stops.includes(kind))
  return { transactional: isFree('transactional'), broadcast: isFree('broadcast'), reasons }
}

function* reasonsOf(
  { domain, records }: ReadyFacts,
  accountStatus: 'active' | 'suspended',
): Generator<ReadyReason> {
  const { name, status, claim_token: claim } = domain
  if (accountStatus !== 'active') {
    const message = 'The account is suspended; ask the operator.'
    yield { code: 'account_suspended', message, stops: ALL }
  }
  if (status === 'paused') {
    yield { code: 'paused', message: `${name} is paused; resume the domain.`, stops: ALL }
  }
  if (status === 'pending') yield whyPending({ domain, records }, claim !== null)
  const hasDmarc = records.some((record) => record.purpose === 'dmarc' && record.status === 'found')
  if (!hasDmarc) {
    const message = `Publish a DMARC record at _dmarc.${name}, and verify the domain.`
    yield { code: 'dmarc_missing', message, stops: ['broadcast'] }
  }
}

function whyPending({ domain, records }: ReadyFacts, isClaim: boolean): ReadyReason {
  const missing = records.filter(({ required, status }) => required === 1 && status !== 'found')
  const purposes = missing.map(({ purpose }) => purpose).filter((purpose) => purpose !== 'claim')
  if (purposes.length > 0) {
    const message = `Publish the required records (${purposes.join(', ')}) of ${domain.name}, and verify the domain.`
    return { code: 'records_missing', message, stops: ALL }
  }
  if (isClaim) {
    const message = `Publish the record that proves that you own ${domain.name}, and verify the domain.`
    return { code: 'claim_missing', message, stops: ALL }
  }
  return { code: 'not_verified', message: `Verify ${domain.name}.`, stops: ALL }
}
