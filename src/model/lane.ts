// The lanes of the queue: what each waiting recipient waits for.

/** What an operator can hold back. */
export type PauseKind = 'destination' | 'stream' | 'domain'

/**
 * A lane, in the order of `next_attempt_at`:
 * `ready`: its turn comes; `waiting`: until it is due; `leased`: an attempt runs, until the lease ends;
 * `full <destination>`: there is enough under way to it, or it asked us to wait; `paused <kind> <value>`: an operator
 * holds it back; `suspect`: our node ended twice while it was under way, so it goes with few others;
 * `quarantine`: an operator has to look.
 */
export type Lane =
  | 'ready'
  | 'waiting'
  | 'leased'
  | 'suspect'
  | 'quarantine'
  | `full ${string}`
  | `paused ${PauseKind} ${string}`

/** For what is put aside while a destination has no room. */
export const fullLane = (destination: string): Lane => `full ${destination}`
/** For what a pause holds back. */
export const pausedLane = (kind: PauseKind, value: string): Lane => `paused ${kind} ${value}`
