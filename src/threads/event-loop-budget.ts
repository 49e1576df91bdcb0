// The budget of a turn of the event loop: each kind of work has a share; then arrived events are read before more
// work begins.

/**
 * Share of a turn for each kind of inbound work, and for outbound work, in milliseconds from its beginning. Sending a
 * message takes several times as long as accepting it: with a smaller share, accepted messages would wait, and those
 * beyond the slots would go through the queue.
 */
export const INTAKE_MS = 3
export const DELIVERY_MS = 12
/**
 * Messages sent to near hosts before one of them is answered. A host processes messages that arrive together one
 * after the other, so the first replies would lie unread while it processes the last message, and a killed process
 * would lose them all.
 */
const MAX_UNANSWERED = 1
/** Longest wait of work for replies, in milliseconds, and the share of time for such waits. */
const MAX_WAIT_MS = 20
const WAIT_SHARE = 0.25
/** Resolution of timers. */
const MIN_WAIT_MS = 1

/** A pause of all work until an expected event. */
interface Wait {
  due: number
  /**
   * Start of the time in which work waits, and the timer that ends the wait; a pause without waiting work costs
   * nothing.
   */
  held: { readonly since: number; readonly timer: NodeJS.Timeout } | undefined
}

/** The turns of one event loop. Deferred work is never dropped, and runs in its order. */
export class EventLoopBudget {
  /** Share of the time for which work may wait for replies and connections. */
  waitShare = WAIT_SHARE
  #began = 0
  #isScheduled = false
  #next: (() => void)[] = []
  #last: (() => void)[] = []
  #wait: Wait | undefined
  readonly #maxWaitMs: number
  #credit: number
  #creditAt = performance.now()

  /** @param maxWaitMs longest wait of work and messages for replies */
  constructor(maxWaitMs = MAX_WAIT_MS) {
    this.#maxWaitMs = maxWaitMs
    this.#credit = maxWaitMs
  }

  /** True while all work waits for replies or connections. */
  get isWaiting(): boolean {
    return this.#wait !== undefined
  }

  /** True if work of this share may still run in this turn; otherwise it belongs in the next one. */
  isYoung(ms = INTAKE_MS): boolean {
    if (this.#wait !== undefined) return false
    const now = performance.now()
    if (!this.#isScheduled) {
      this.#schedule()
      this.#began = now
    }
    return now - this.#began < ms
  }

  /** Runs work in the next turn, after everything that has arrived by then is read. */
  putOff(work: () => void): void {
    this.#next.push(work)
    if (this.#wait === undefined) this.#schedule()
    else this.#hold(this.#wait)
  }

  /**
   * Resolves at the end of this turn: writes from here are followed by reading, with no other work in between. While
   * the maximum of replies is awaited, this is the end of a later turn.
   */
  end(): Promise<void> {
    this.#schedule()
    return new Promise((resolve) => this.#last.push(resolve))
  }

  /**
   * Begins no other work for a moment, because an event is expected that must be read at once: a killed process loses
   * unread replies, and connections wait for one turn each. Call at the end of a turn, and call the returned function
   * when the event has arrived.
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

  /** Makes work and messages wait, for as long as they may. */
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

  /** Two calls: everything that the first one starts through settled promises is done when the second one runs. */
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
    // After the promises of the messages settle it is known whether the messages await replies.
    if (this.#last.length > 0) setImmediate(this.#onMoreToSend)
  }

  readonly #onMoreToSend = (): void => {
    if (this.#wait === undefined) this.#schedule()
    else this.#hold(this.#wait)
  }
}

/** The event loop budget of this thread. */
export const eventLoopBudget = new EventLoopBudget()
