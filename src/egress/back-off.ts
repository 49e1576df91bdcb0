// Leaves a host alone for a while that refused us or could not be reached, longer each time.

import { meaningOf } from '../smtp/reply-meaning.ts'
import type { StageFailure } from '../smtp/stage.ts'

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 60_000
/** Failures in a row after which its pauses are not sat out any more: the answer is known. */
const HOPELESS_AFTER = 5

/** One host's pauses. */
export class BackOff {
  #failures = 0
  #until = 0
  /** The last failure, while the host is left alone. */
  failure: StageFailure | undefined

  /** Notes a failure that the next dialog would meet with as well; undefined: there was none. */
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

  /** Milliseconds for which the host is to be left alone from now on; 0 when it may be contacted. */
  pauseLeft(now: number): number {
    const left = this.#until - now
    // A pause that lasts longer than any was set by a clock that has been put back.
    return left > 0 && left <= MAX_PAUSE_MS ? left : 0
  }

  /** True if waiting for the end of a pause has failed too often. */
  get hopeless(): boolean {
    return this.#failures > HOPELESS_AFTER
  }
}

/** True if the next dialog there would meet with the failure as well, since it is not about one mailbox. */
export function isAboutUsOrTheWay(failure: StageFailure): boolean {
  const { stage, reply, error } = failure
  if (reply === undefined) return error?.code !== 'smtputf8'
  return stage === 'mail' || isObjection(failure)
}

/** True if the host asks for less from us, or for nothing: 421, a block, a rate limit, a refused greeting. */
export function isObjection(failure: StageFailure): boolean {
  const { stage, reply } = failure
  if (reply === undefined) return false
  // RFC 5321 §3.8: 421 may come at any time, from a host that is closing down or has enough of us.
  if (reply.code === 421 || BEFORE_THE_MAIL.has(stage)) return true
  const { category, about, greylisted } = meaningOf(failure)
  return about === 'us' && !greylisted && (category === 'blocked' || category === 'rate_limited')
}

const BEFORE_THE_MAIL: ReadonlySet<StageFailure['stage']> = new Set(['connect', 'greeting', 'ehlo'])
