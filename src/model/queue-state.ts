// The states of a waiting recipient in the queue, and how the store spells them.

/** Kinds of mail that can be paused. */
export type PauseKind = 'destination' | 'stream' | 'domain'

/**
 * State of a waiting recipient, as the column `lane` spells it; within a state the order is `next_attempt_at`:
 *
 * - `ready`: its attempt begins when its start tag comes first;
 * - `waiting` (deferred): put off until it is due;
 * - `leased` (active): held by a node until its attempt or the lease ends;
 * - `full <share>` (throttled): waits for a slot of a share: of its destination, which is busy or asked us to wait; of
 *   its account, as `@acc_…`; of attempts after the first, as `#retries`; or, when it is large, for bytes of its
 *   destination or its account, as `%<destination>` or `%@acc_…`;
 * - `paused <kind> <value>` (held): waits until an operator, or the holder of the domain, resumes it;
 * - `suspect`: attempted with few other suspects, since our process ended twice while it was active;
 * - `quarantine` (quarantined): attempted without any other suspect, since it ended once more.
 */
export type QueueState =
  | 'ready'
  | 'waiting'
  | 'leased'
  | 'suspect'
  | 'quarantine'
  | `full ${string}`
  | `paused ${PauseKind} ${string}`

/**
 * A limited share of the slots: a destination, an account (`@`) or all attempts after the first; or the bytes that a
 * destination or an account may have under way (`%`).
 */
export type Share = string

export const accountShare = (accountId: string): Share => `@${accountId}`
export const RETRIES: Share = '#retries'

/** The bytes of a destination or an account. Large messages wait for them apart, so that small ones go on. */
export const bytesOf = (holder: Share): Share => `${BYTES}${holder}`

/** True if a share is one of bytes. */
export const isBytes = (share: Share): boolean => share.startsWith(BYTES)

/** The destination or account whose bytes a share limits. */
export const holderOf = (share: Share): Share => share.slice(BYTES.length)

const BYTES = '%'

/** The state of recipients that wait for a slot of a share. */
export const throttled = (share: Share): QueueState => `full ${share}`

/** The state of recipients that a pause holds. */
export const held = (kind: PauseKind, value: string): QueueState => `paused ${kind} ${value}`

/** The share of a throttled state. */
export const throttledBy = (state: QueueState): Share => state.slice(THROTTLED.from.length)

/** True if the recipient waits for a slot of a share. */
export const isThrottled = (state: QueueState): boolean => state.startsWith(THROTTLED.from)

/** True if a pause holds the recipient. */
export const isHeld = (state: QueueState): boolean => state.startsWith(HELD.from)

/** The states that begin alike, as bounds in the order of bytes: `from` is in, `below` is not. */
export interface StateRange {
  readonly from: string
  readonly below: string
}

// `!` follows the space.
export const THROTTLED: StateRange = { from: 'full ', below: 'full!' }
export const HELD: StateRange = { from: 'paused ', below: 'paused!' }
