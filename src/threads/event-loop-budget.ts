// The turn of the event loop: each kind of work has a limit in it; then all that has arrived is read before more begins.

/**
 * Share of a turn for each kind of work that takes something in, and for each that sends on what was taken in, in
 * milliseconds from when it begins. To send a message on takes several times as long as to accept it: with less, accepted
 * messages would wait, and those beyond the slots go through the queue.
 */
export const INTAKE_MS = 3
export const DELIVERY_MS = 12
/**
 * Messages to near hosts that leave before one of them has been answered. A host takes those that come together one after
 * the other, so that the first answers lie unread while it takes the last; a process that is killed then has forgotten them
 * all.
 */
const MAX_UNANSWERED = 1
/** The longest that work waits for what is due, in milliseconds, and the share of the time that it may. */
const MAX_WAIT_MS = 20
const WAIT_SHARE = 0.25
/** Timers are no finer. */
const MIN_WAIT_MS = 1

/** A pause of all work, until what it is for has come. */
interface Wait {
  due: number
  /** Time since which work waits, and what ends that; a pause in which there is no work costs nothing. */
  held: { readonly since: number; readonly timer: NodeJS.Timeout } | undefined
}

/** The turns of one event loop. Nothing is lost: work that is put off is done in its order. */
export class EventLoopBudget {
  /** Share of the time for which work may wait for answers and connections. */
  waitShare = WAIT_SHARE
  #began = 0
  #isScheduled = false
  #next: (() => void)[] = []
  #last: (() => void)[] = []
  #wait: Wait | undefined
  readonly #maxWaitMs: number
  #credit: number
  #creditAt = performance.now()

  /** @param maxWaitMs the longest that work and messages wait for answers that are due */
  constructor(maxWaitMs = MAX_WAIT_MS) {
    this.#maxWaitMs = maxWaitMs
    this.#credit = maxWaitMs
  }

  /** True while all work waits for answers that are due, or for connections that arrive. */
  get isWaiting(): boolean {
    return this.#wait !== undefined
  }

  /** True if work of this share may still be added to this turn; else it belongs into the next one. */
  isYoung(ms = INTAKE_MS): boolean {
    if (this.#wait !== undefined) return false
    const now = performance.now()
    if (!this.#isScheduled) {
      this.#schedule()
      this.#began = now
    }
    return now - this.#began < ms
  }

  /** Runs work in the next turn, when all that has arrived by then has been read. */
  putOff(work: () => void): void {
    this.#next.push(work)
    if (this.#wait === undefined) this.#schedule()
    else this.#hold(this.#wait)
  }

  /**
   * Resolves at the end of this turn: after what is written then comes reading, and no other work. While as many answers
   * as may are awaited, it is the end of a later one.
   */
  end(): Promise<void> {
    this.#schedule()
    return new Promise((resolve) => this.#last.push(resolve))
  }

  /**
   * Begins no other work for a moment, since something is due that must not lie unread: a process that is killed has
   * forgotten which answers it had not read, and connections wait for a turn each. Call it at the end of a turn, and the
   * returned function when it has come.
   */
  holdWork(): () => void {
    this.#wait ??= { due: 0, held: undefined }
    const mine = this.#wait
    mine.due++
    if (this.#next.length > 0) this.#hold(mine)
    return () => {
      mine.due--
      if (this.#wait !== mine) return
      if (mine.due === 0) this.#endWait()
      else if (this.#last.length > 0) this.#schedule()
    }
  }

  /** Has work and messages wait, for as long as they may. */
  #hold(wait: Wait): void {
    if (wait.held !== undefined) return
    const since = performance.now()
    this.#credit = Math.min(this.#maxWaitMs, this.#credit + (since - this.#creditAt) * this.waitShare)
    this.#creditAt = since
    if (this.#credit < MIN_WAIT_MS) this.#endWait()
    else wait.held = { since, timer: setTimeout(this.#endWait, this.#credit) }
  }

  readonly #endWait = (): void => {
    const held = this.#wait?.held
    this.#wait = undefined
    if (held !== undefined) {
      clearTimeout(held.timer)
      this.#creditAt = performance.now()
      this.#credit -= this.#creditAt - held.since
    }
    if (this.#next.length > 0 || this.#last.length > 0) this.#schedule()
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
    const room = Math.max(0, MAX_UNANSWERED - (this.#wait?.due ?? 0))
    for (const resolve of this.#last.splice(0, room)) resolve()
    // Whether they await answers is known when what they set off is done.
    if (this.#last.length > 0) setImmediate(this.#onMoreToSend)
  }

  readonly #onMoreToSend = (): void => {
    if (this.#wait === undefined) this.#schedule()
    else this.#hold(this.#wait)
  }
}

/** The turns of this thread's event loop. */
export const eventLoopBudget = new EventLoopBudget()
