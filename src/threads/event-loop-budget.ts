// The time budget of a turn of the event loop: each kind of work has a share, after which the event loop reads arrived
// events before more work begins.

/**
 * Share of a turn for each kind of inbound work, and for outbound work, in milliseconds from the beginning of the turn.
 * Sending a message takes several times as long as accepting a message. A smaller share for outbound work would make
 * accepted messages wait, and messages without a free slot would go through the queue. A reply that arrives at the
 * beginning of a turn stays unread until its end, and a kill in this time sends the message again, so no share may come
 * near the 10 ms within which a reply is noted (`npm run crash -- mixed`).
 */
export const INTAKE_MS = 3
export const DELIVERY_MS = 8
/**
 * Maximum number of messages sent to near hosts without a reply yet. A host processes messages that arrive together one
 * after the other. The first replies would stay unread while the host processes the last message, and a killed process
 * would lose all of these replies.
 */
const MAX_UNANSWERED = 1
/** Maximum wait of work for replies, in milliseconds, and the share of time for such waits. */
const MAX_WAIT_MS = 20
const WAIT_SHARE = 0.25
/** Resolution of timers, in milliseconds. */
const MIN_WAIT_MS = 1

/** A pause of all work until an expected event. */
interface Wait {
  due: number
  /**
   * Start of the time in which deferred work waits, and the timer that ends the wait; undefined while no work waits,
   * because a pause without waiting work costs nothing.
   */
  held: { readonly since: number; readonly timer: NodeJS.Timeout } | undefined
}

/**
 * The time budget for the turns of one event loop. Deferred work is never dropped, and runs in the order of the calls.
 */
export class EventLoopBudget {
  /** Share of the total time for which work may wait for replies and connections. */
  waitShare = WAIT_SHARE
  #began = 0
  #isScheduled = false
  #next: (() => void)[] = []
  #last: (() => void)[] = []
  #wait: Wait | undefined
  readonly #maxWaitMs: number
  #credit: number
  #creditAt = performance.now()

  /** @param maxWaitMs maximum wait of work and messages for replies */
  constructor(maxWaitMs = MAX_WAIT_MS) {
    this.#maxWaitMs = maxWaitMs
    this.#credit = maxWaitMs
  }

  /** True while all work waits for replies or connections. */
  get isWaiting(): boolean {
    return this.#wait !== undefined
  }

  /** True if work with this share may still run in this turn; otherwise the work belongs in the next turn. */
  isYoung(ms = INTAKE_MS): boolean {
    if (this.#wait !== undefined) return false
    const now = performance.now()
    if (!this.#isScheduled) {
      this.#schedule()
      this.#began = now
    }
    return now - this.#began < ms
  }

  /** Runs work in the next turn, after the event loop has read all events that arrived until then. */
  putOff(work: () => void): void {
    this.#next.push(work)
    if (this.#wait === undefined) this.#schedule()
    else this.#hold(this.#wait)
  }

  /**
   * Resolves at the end of this turn of the event loop, immediately before the loop polls sockets, so that no other
   * work runs between a write and the next read. Resolves at the end of a later turn while the maximum number of
   * replies is awaited.
   */
  end(): Promise<void> {
    this.#schedule()
    return new Promise((resolve) => this.#last.push(resolve))
  }

  /**
   * Delays other work for a moment, because an expected event must be read immediately: a killed process loses unread
   * replies, and each waiting connection takes a turn. Call this method at the end of a turn, and the returned function
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

  /** Makes work and messages wait, for at most the allowed time. */
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

  /**
   * Schedules two callbacks: work that the first callback starts through settled promises is done when the second
   * callback runs.
   */
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
    // The next callback runs after the promises of the messages have settled, when it is known whether the messages
    // await replies.
    if (this.#last.length > 0) setImmediate(this.#onMoreToSend)
  }

  readonly #onMoreToSend = (): void => {
    if (this.#wait === undefined) this.#schedule()
    else this.#hold(this.#wait)
  }
}

/** The event loop budget of this thread. */
export const eventLoopBudget = new EventLoopBudget()
