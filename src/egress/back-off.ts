// Pauses of a host after a refusal or a failed connection; each pause is longer than the previous one.

import { meaningOf } from '../smtp/reply-meaning.ts'
import type { StageFailure } from '../smtp/stage.ts'

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 60_000
/**
 * Number of failures in a row after which a probe no longer waits for the end of a pause, because the result is known.
 */
const HOPELESS_AFTER = 5

/** The pauses of one host. */
export class BackOff {
  #failures = 0
  #until = 0
  /** Last failure since the last success. */
  failure: StageFailure | undefined

  /** Records a failure that would also occur in the next dialog, or undefined for a success. */
  note(failure: StageFailure | undefined, now: number): void {
    if (failure === undefined) {
      this.#failures = 0
      this.#until = 0
      this.failure = undefined
      return
    }
    this.#until = now + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++)
    this.failure = failure
  }

  /** Returns the remaining time of the pause, in milliseconds; 0 if the host may be contacted. */
  pauseLeft(now: number): number {
    const left = this.#until - now
    // A remaining time above the maximum means that the clock was set back after the pause began.
    return left > 0 && left <= MAX_PAUSE_MS ? left : 0
  }

  /** True if too many pauses in a row ended with another failure. */
  get hopeless(): boolean {
    return this.#failures > HOPELESS_AFTER
  }
}

/**
 * True if the failure would also occur in the next dialog with the host, because the failure does not concern one
 * mailbox.
 */
export function isAboutUsOrTheWay(failure: StageFailure): boolean {
  const { stage, reply, error } = failure
  if (reply === undefined) return error?.code !== 'smtputf8'
  return stage === 'mail' || isObjection(failure)
}

/**
 * True if the host asks this installation to send less or nothing, by a 421 reply, a block, a rate limit or a refused
 * greeting.
 */
export function isObjection(failure: StageFailure): boolean {
  const { stage, reply } = failure
  if (reply === undefined) return false
  // A 421 reply may come at any time from a host that is shutting down or limits its clients (RFC 5321 §3.8).
  if (reply.code === 421 || BEFORE_THE_MAIL.has(stage)) return true
  const { category, about, greylisted } = meaningOf(failure)
  return about === 'us' && !greylisted && (category === 'blocked' || category === 'rate_limited')
}

const BEFORE_THE_MAIL: ReadonlySet<StageFailure['stage']> = new Set(['connect', 'greeting', 'ehlo'])
