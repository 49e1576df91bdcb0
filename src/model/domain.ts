// Names of domains, and the DNS records and state of a sending domain.

import { isAddress, parseAddress } from './address.ts'
import type { InboundRecord } from './inbound-policy.ts'
import { Problem } from './problem.ts'

/**
 * Purpose of a DNS record; `_next` and `_old` belong to DKIM keys in rotation. Each host with addresses of inbound
 * streams has an `inbound_mx` record, and three further records if the domain has an MTA-STS policy.
 */
export type RecordPurpose =
  | 'dkim_rsa'
  | 'dkim_ed25519'
  | 'return_path'
  | 'dmarc'
  | 'tracking'
  | 'dkim_rsa_next'
  | 'dkim_ed25519_next'
  | 'dkim_rsa_old'
  | 'dkim_ed25519_old'
  | 'claim'
  | HostPurpose

/** Purpose of a DNS record of one inbound host, with the name of the host. */
type HostPurpose = `${InboundRecord['kind']}:${string}`

/** A purpose of a DNS record without the host name. */
export type RecordKind = Exclude<RecordPurpose, HostPurpose> | InboundRecord['kind']

export const recordKind = (purpose: RecordPurpose): RecordKind => purpose.split(':', 1)[0] as RecordKind

/**
 * Note of a DNS check in addition to the values. `unanswered`: the DNS gave no answer, and the values are from an
 * earlier check; `misplaced`: the record name contains the domain twice; `several`: the name has more records than
 * allowed; `inherited`: the record belongs to the organizational domain.
 */
export type RecordNote = 'unanswered' | 'misplaced' | 'several' | 'inherited'

/**
 * Type of a domain event. `flagged`: required records of a verified domain are missing; `recovered`: the records are
 * back; `closed`: the records were missing for too long, and the domain cannot send; `claimed`: this account has proved
 * ownership; `lost`: another account has proved ownership.
 */
export type DomainEventType =
  | 'added'
  | 'verified'
  | 'flagged'
  | 'recovered'
  | 'closed'
  | 'paused'
  | 'resumed'
  | 'deleted'
  | 'claimed'
  | 'lost'
  | 'dkim_rotated'
  | 'dkim_switched'
  | 'dkim_retired'
  | 'dkim_discarded'
  | 'webhook_disabled'

/**
 * Notice to the owners of an account about DKIM keys that are replaced by the calendar. `due`: new keys wait for their
 * DNS records; `switched`: mail is signed with the new keys.
 */
export type DkimNotice = 'due' | 'switched'

/** Interval at which the DKIM keys of a domain are replaced. */
export interface RotationInterval {
  /** Days from one switch of the keys to the next new keys; null if only users replace the keys. */
  readonly rotate_every_days: number | null
}

/** Columns of a domain whose keys only users replace. */
export const NO_ROTATION = { rotate_every_days: null, rotate_at: null } as const

/** Bounds of `rotate_every_days`. M3AAWG advises to replace keys at least every six months. */
export const ROTATION_DAYS = { min: 30, max: 3_650 } as const

const DAY_MS = 24 * 3_600_000

/** Time in milliseconds for which the record of a new key has been found before the key signs by the calendar. */
export const KEY_FOUND_MS = DAY_MS

/**
 * Time in milliseconds for which old keys stay published after a switch by the calendar: mail with their signatures may
 * be in transit or be read again for a week.
 */
export const KEY_KEPT_MS = 8 * DAY_MS

/** Returns the time at which the next keys of a domain are due, counted from `since`; null without an interval. */
export const rotationAt = (days: number | null, since: number): number | null =>
  days === null ? null : since + days * DAY_MS

/** Properties of a DNS record that decide when a scheduled switch happens. */
interface AwaitedRecord {
  readonly purpose: RecordPurpose
  readonly status: string
  readonly found_since: number | null
}

/**
 * Returns the time from which new keys may sign by the calendar; null while a record that they need is not found. A new
 * Ed25519 key needs its record if the present Ed25519 key signs, because the domain would lose this signature otherwise.
 */
export function switchesAt(records: readonly AwaitedRecord[]): number | null {
  const signsEd25519 = records.some(({ purpose, status }) => purpose === 'dkim_ed25519' && status === 'found')
  const needed = records.filter(
    ({ purpose }) => purpose === 'dkim_rsa_next' || (purpose === 'dkim_ed25519_next' && signsEd25519),
  )
  let at: number | null = null
  for (const { found_since: since } of needed) {
    if (since === null) return null
    at = Math.max(at ?? 0, since + KEY_FOUND_MS)
  }
  return at
}

/** Time in milliseconds for which a verified domain may keep sending after its records disappeared. */
export const GRACE_MS = 3 * DAY_MS

/** Result of a check of all DNS records; `unclear`: the DNS gave no answer for a required record. */
export type RecordsState = 'complete' | 'gone' | 'unclear'

/** The state of a domain that a check of its records may change. */
export interface DomainState {
  readonly status: 'pending' | 'verified' | 'paused'
  readonly verified_at: number | null
  readonly flagged_at: number | null
}

/** True if the DNS records of a domain allow the domain to send. */
export const maySend = ({ verified_at, flagged_at }: Omit<DomainState, 'status'>, now: number): boolean =>
  verified_at !== null && (flagged_at === null || now - flagged_at < GRACE_MS)

/** Returns the state of a domain after a check, and the resulting event. A paused domain stays paused. */
export function stateAfterCheck(
  before: DomainState,
  looked: RecordsState,
  now: number,
): { readonly state: DomainState; readonly event: DomainEventType | undefined } {
  // Records count as missing if the DNS servers have not answered for days; a short outage changes nothing.
  const lost = looked === 'gone' || (before.verified_at !== null && now - before.verified_at > GRACE_MS)
  const state = { ...before }
  let event: DomainEventType | undefined
  if (looked === 'complete') {
    state.verified_at = now
    state.flagged_at = null
    if (before.verified_at === null) event = 'verified'
    else if (before.flagged_at !== null) event = 'recovered'
  } else if (lost && before.verified_at !== null && before.flagged_at === null) {
    state.flagged_at = now
    event = 'flagged'
  }
  const may = maySend(state, now)
  if (before.status !== 'paused') state.status = may ? 'verified' : 'pending'
  if (before.status === 'verified' && !may) event = 'closed'
  return { state, event }
}

/**
 * Returns a domain name in A-labels and lower case. Throws `validation_failed` for an invalid name; `path` is the path
 * of the field in the request.
 */
export function domainName(text: string, path = 'domain'): string {
  const address = parseAddress(`postmaster@${text}`)
  if (isAddress(address)) return address.domain
  throw new Problem(
    'validation_failed',
    `${JSON.stringify(text)} is not a domain name: it ${mistaken(text) ?? address.problem}.`,
    {
      errors: [{ path, code: 'invalid_domain', message: 'Give a name such as example.com.' }],
    },
  )
}

/** Recognises common mistakes in a domain name and returns a phrase with the remedy. */
function mistaken(text: string): string | undefined {
  if (text.includes('://')) return 'is a link; give only the host'
  if (text.includes('@')) return 'is an email address; give only the part after the @'
  if (/:\d+$/.test(text)) return 'has a port; give only the name'
  return undefined
}
