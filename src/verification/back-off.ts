// Leaves a host alone for a while that refused us or could not be reached, longer each time.

import { meaningOf } from '../smtp/reply-meaning.ts'
import type { StageFailure } from '../smtp/stage.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 60_000
/** Failures in a row after which its pauses are not sat out any more: the answer is known. */
const HOPELESS_AFTER = 5

/** One host's pauses. */
export class BackOff {
  #failures = 0
  #until = 0
  /** The last failure, while it is left alone. */
  failure: StageFailure | undefined

  /** Notes how a dialog ended: `failure` undefined when the host took the recipient. */
  note(failure: StageFailure | undefined, now: number): void {
    if (failure === undefined || !isAboutUsOrTheWay(failure)) {
      this.#failures = 0
      this.#until = 0
      this.failure = undefined
      return
    }
    this.#until = now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++)
    this.failure = failure
  }

  /** How long it is to be left alone from now on, in milliseconds; 0 when it may be asked. */
  pauseLeft(now: number): number {
    return Math.max(0, this.#until - now)
  }

  /** Whether waiting for the end of a pause has failed too often. */
  get hopeless(): boolean {
    return this.#failures > HOPELESS_AFTER
  }
}

/** What the next probe there would meet with as well: not what is said of one mailbox. */
function isAboutUsOrTheWay(failure: StageFailure): boolean {
  const { stage, reply } = failure
  if (reply === undefined || reply.code === 421 || stage !== 'rcpt') return failure.error?.code !== 'smtputf8'
  const { category, about, greylisted } = meaningOf(failure)
  return about === 'us' && !greylisted && (category === 'blocked' || category === 'rate_limited')
}
