// The states of a waiting recipient in the queue, and how the store spells them.

/** What an operator can hold back. */
export type PauseKind = 'destination' | 'stream' | 'domain'

/**
 * What a waiting recipient waits for, as it stands in the column `lane`; within a state the order is
 * `next_attempt_at`:
 *
 * - `ready`: for its start tag to come first;
 * - `waiting` (deferred): until it is due;
 * - `leased` (active): for its attempt to end, or the lease;
 * - `full <share>` (throttled): for a slot of a share: of its destination, which is busy or asked us to wait; of its
 *   account, as `@acc_…`; of attempts after the first, as `#retries`;
 * - `paused <kind> <value>` (held): for an operator, or the holder of the domain, to resume it;
 * - `suspect`: to be attempted with few other suspects, since our process ended twice while it was active;
 * - `quarantine` (quarantined): to be attempted without any other suspect, since it ended once more.
 */
export type QueueState =
  | 'ready'
  | 'waiting'
  | 'leased'
  | 'suspect'
  | 'quarantine'
  | `full ${string}`
  | `paused ${PauseKind} ${string}`

/** A limited share of the slots: a destination, an account (`@`) or all attempts after the first. */
export type Share = string

export const accountShare = (accountId: string): Share => `@${accountId}`
export const RETRIES: Share = '#retries'

/** The state of recipients that wait for a slot of a share. */
export const throttled = (share: Share): QueueState => `full ${share}`

/** The state of recipients that a pause holds. */
export const held = (kind: PauseKind, value: string): QueueState => `paused ${kind} ${value}`

/** The share of a throttled state. */
export const throttledBy = (state: QueueState): Share => state.slice(THROTTLED.from.length)

/** Whether it waits for a slot of a share. */
export const isThrottled = (state: QueueState): boolean => state.startsWith(THROTTLED.from)

/** Whether a pause holds it. */
export const isHeld = (state: QueueState): boolean => state.startsWith(HELD.from)

/** The states that begin alike, as bounds in the order of bytes: `from` is in, `below` is not. */
export interface StateRange {
  readonly from: string
  readonly below: string
}

// `!` follows the space.
export const THROTTLED: StateRange = { from: 'full ', below: 'full!' }
export const HELD: StateRange = { from: 'paused ', below: 'paused!' }
