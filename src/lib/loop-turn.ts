// The turn of the event loop: its work has a limit that all share; then whatever has arrived is read before more begins.

/** Limit of the work that one turn takes up, in milliseconds. Requests and new connections wait at most about as long. */
const TURN_MS = 2
/** The longest wait for answers that are due, in milliseconds, and the share of the time that waits may take. */
const MAX_WAIT_MS = 10
const WAIT_SHARE = 0.2
/** Timers are no finer. */
const MIN_WAIT_MS = 1

/** A pause of all work, until the answers that it is for have come. */
interface Wait {
  readonly began: number
  readonly timer: NodeJS.Timeout
  due: number
}

/** The turns of one event loop. Nothing is lost: work that is put off is done in its order. */
export class LoopTurn {
  #began = 0
  #isScheduled = false
  #next: (() => void)[] = []
  #last: (() => void)[] = []
  #wait: Wait | undefined
  #credit = MAX_WAIT_MS
  #creditAt = performance.now()

  /** True if work may still be added to this turn; else it belongs into the next one. */
  isYoung(): boolean {
    if (this.#wait !== undefined) return false
    const now = performance.now()
    if (!this.#isScheduled) {
      this.#schedule()
      this.#began = now
    }
    return now - this.#began < TURN_MS
  }

  /** Runs work in the next turn, when whatever has arrived by then has been read. */
  putOff(work: () => void): void {
    this.#next.push(work)
    if (this.#wait === undefined) this.#schedule()
  }

  /** Resolves at the end of this turn: after what is written then comes reading, and no other work. */
  end(): Promise<void> {
    this.#schedule()
    return new Promise((resolve) => this.#last.push(resolve))
  }

  /**
   * Begins no other work for a moment, since an answer is due that must not lie unread: a process that is killed has
   * forgotten what it had not read. Call it at the end of a turn, and the returned function when the answer has come.
   */
  awaitAnswer(): () => void {
    this.#wait ??= this.#beginWait()
    const mine = this.#wait
    if (mine === undefined) return () => {}
    mine.due++
    return () => {
      if (--mine.due === 0 && this.#wait === mine) this.#endWait()
    }
  }

  #beginWait(): Wait | undefined {
    const now = performance.now()
    this.#credit = Math.min(MAX_WAIT_MS, this.#credit + (now - this.#creditAt) * WAIT_SHARE)
    this.#creditAt = now
    if (this.#credit < MIN_WAIT_MS) return undefined
    return { began: now, timer: setTimeout(this.#endWait, this.#credit), due: 0 }
  }

  readonly #endWait = (): void => {
    if (this.#wait === undefined) return
    clearTimeout(this.#wait.timer)
    this.#creditAt = performance.now()
    this.#credit -= this.#creditAt - this.#wait.began
    this.#wait = undefined
    if (this.#next.length > 0) this.#schedule()
  }

  /** Two calls: everything that the first one sets off by settled promises is done when the second one comes. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#onBegin)
    setImmediate(this.#onEnd)
  }

  readonly #onBegin = (): void => {
    this.#isScheduled = false
    if (this.#wait !== undefined) return
    const due = this.#next
    this.#next = []
    for (const work of due) work()
  }

  readonly #onEnd = (): void => {
    const due = this.#last
    this.#last = []
    for (const resolve of due) resolve()
  }
}

/** The turns of this thread's event loop. */
export const loopTurn = new LoopTurn()
