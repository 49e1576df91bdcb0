// A webhook that this node delivers for: its events in order, those that are due again, and what came of them. Long because
// reading, sending and recording go by one state.

import { newId } from '../lib/ids.ts'
import type { Run } from '../lib/leased-runs.ts'
import { type Trace, traceTime } from '../lib/traces.ts'
import {
  delayAfter,
  FAILURES_UNTIL_PAUSE,
  MAX_FAILING_MS,
  MAX_KEPT_ATTEMPTS,
  MAX_PAUSE_MS,
  pauseAfter,
} from '../model/webhook.ts'
import { reading, type Store } from '../store/database/store.ts'
import { type FeedEvent, feedEnd, readFeed } from '../store/events/feed.ts'
import { attemptedBehind, type Delivery, recordDeliveries } from '../store/webhooks/deliveries.ts'
import type { HeldKey } from '../store/webhooks/leases.ts'
import type { Webhook } from '../store/webhooks/webhooks.ts'
import type { DeliverySlots, SlotHolder } from './delivery-slots.ts'
import { DUE_EVERY_MS, DueDeliveries } from './due-deliveries.ts'
import type { PlaceHolder } from './held-places.ts'
import { MessageOrder } from './message-order.ts'
import type { AttemptOutcome } from './outcome.ts'
import { isSentAlone } from './received-mail.ts'
import { isWanted, type OpenWebhook, type RequestParts, sendEvents } from './request.ts'
import { traceRequest } from './trace-request.ts'

/** Requests of one webhook that are under way or whose outcome is not in the store: a node that is killed repeats them. */
const MAX_UNRECORDED = 20
/** The same for requests of several events: the next node may divide their events into more requests. */
const MAX_UNRECORDED_BATCHES = 10

/** Most requests of a webhook, of so many events each, that a kill repeats. */
export const mostUnrecorded = (batch: number): number => (batch > 1 ? MAX_UNRECORDED_BATCHES : MAX_UNRECORDED)
/** With so few it begins, and goes on where the receiver does not answer. */
const FIRST_REQUESTS = 4
/** Events that are read ahead of those that have had an attempt. */
const MAX_AHEAD = 600
/** Newest deliveries to look through for events ahead: as many as may be ahead, and as many that were caught up with. */
const MAX_LOOKED_THROUGH = 2 * MAX_AHEAD
const PAGE = 200
const ALWAYS = Number.POSITIVE_INFINITY

export interface WebhookRunOptions extends RequestParts {
  readonly store: Store
  readonly slots: DeliverySlots
  readonly webhook: Webhook
  readonly opened: OpenWebhook
  /** Hears of every attempt. */
  readonly onAttempt: (outcome: AttemptOutcome) => void
  readonly trace?: Trace | undefined
  /** From 0 to 1. */
  readonly random?: () => number
}

/** Events of one request. */
interface Unit {
  readonly events: readonly FeedEvent[]
  /** Their places in what is read; none for a further attempt. */
  readonly entries: readonly Entry[]
  /** The pending delivery that it is an attempt of. */
  readonly previous: Delivery | undefined
}

interface Entry {
  readonly event: FeedEvent
  done: boolean
}

/** A range of the feed that is gone through: up to where it is read, and what of that has had no attempt yet. */
interface Course {
  readTo: number
  /** There was nothing more when it was read last. */
  isAtEnd: boolean
  /** Position behind which it ends; undefined for one that goes on for ever. */
  readonly end: number | undefined
  /** Time before which its events are: up to its end there may be later ones. */
  readonly before: number
  readonly window: Entry[]
}

/** Takes what is done from the front of the window. */
function dropDone({ window }: Course): void {
  const open = window.findIndex(({ done }) => !done)
  window.splice(0, open < 0 ? window.length : open)
}

/** How it ended: by itself, since another node has it, or for good. */
export type WebhookRunEnd = 'released' | 'lost' | 'gone' | 'failing'

/** Names a webhook and its lease. */
export const keyOf = ({ id, account_id: accountId, domain_id: domainId, lease }: Webhook): HeldKey => ({
  ...{ id, accountId, domainId, lease: lease ?? '' },
})

export class WebhookRun implements Run<WebhookRunEnd>, SlotHolder, PlaceHolder {
  readonly accountId: string
  readonly domainId: string
  readonly #options: WebhookRunOptions
  readonly #feed: Course
  readonly #replay: Course | undefined
  readonly #order = new MessageOrder<Entry>()
  readonly #due: DueDeliveries
  #isDueNext = true
  /** Positions of the feed that had an attempt before one ahead of them, in the hold before; undefined until they are read. */
  #attempted: ReadonlySet<number> | undefined
  /** The last position of the feed whose event has had an attempt. */
  #attemptedTo: number
  /** The end of the feed when it was looked at first. */
  #feedEnd = 0
  #made: Delivery[] = []
  #repeated: Delivery[] = []
  #removed: string[] = []
  #written: string
  readonly #mostUnrecorded: number
  /** Requests under way. */
  #requests = 0
  /** Requests that have ended and whose outcome is not in the store. */
  #unwritten = 0
  #mostRequests = FIRST_REQUESTS
  #failures: number
  #failingSince: number | null
  #resumeAt: number | null = null
  #end: WebhookRunEnd | undefined
  #signal = (): void => {}

  constructor(options: WebhookRunOptions) {
    const { webhook } = options
    this.#options = options
    this.#due = new DueDeliveries(options)
    this.#mostUnrecorded = mostUnrecorded(options.opened.batch)
    this.accountId = webhook.account_id
    this.domainId = webhook.domain_id
    this.#feed = {
      readTo: Number(webhook.position),
      isAtEnd: false,
      end: undefined,
      before: ALWAYS,
      window: [],
    }
    const { replay_position: from, replay_until: end, replay_before: before } = webhook
    this.#replay =
      from === null || end === null || before === null
        ? undefined
        : {
            readTo: Number(from),
            isAtEnd: false,
            end: Number(end),
            before: Number(before),
            window: [],
          }
    this.#attemptedTo = Number(webhook.attempted_to)
    this.#failures = webhook.failures
    this.#failingSince = webhook.failing_since
    // One request tells whether a receiver that failed is back.
    if (webhook.failures >= FAILURES_UNTIL_PAUSE) this.#mostRequests = 1
    this.#written = this.#progress()
  }

  get webhookId(): string {
    return this.#options.webhook.id
  }

  /** True if there may be events that it has not read. */
  get hasMore(): boolean {
    return !this.#feed.isAtEnd
  }

  get isIdle(): boolean {
    return this.#requests === 0
  }

  get isEnding(): boolean {
    return this.#end !== undefined
  }

  /** There are new events. */
  wake(): void {
    this.#feed.isAtEnd = false
    this.#signal()
  }

  /** Ends the work: nothing more is sent, and what is under way is written where the lease still holds. */
  stop(why: WebhookRunEnd): void {
    this.#end ??= why
    this.#signal()
  }

  /**
   * Delivers until there is nothing to do, or it is ended. Rejects where the store is away. Held no longer than there is
   * work, it is delivered by what it is at that time: its URL, its keys, its choice of events.
   */
  async run(): Promise<WebhookRunEnd> {
    try {
      for (;;) {
        const signalled = new Promise<void>((resolve) => {
          this.#signal = resolve
        })
        if (this.#goesOn()) await this.#fill()
        this.pump()
        if (this.#end !== 'lost' && this.#isDirty() && !(await this.#write())) this.#end = 'lost'
        const isOver = this.#requests === 0 && (this.#end === 'lost' || !this.#isDirty())
        if (isOver && !this.#goesOn()) return this.#end ?? 'released'
        if (this.#requests > 0 || this.#hasReady()) await this.#signalOrPause(signalled)
        else if (isOver && this.#isRead()) return 'released'
      }
    } finally {
      // Where it rejected, requests may be under way still: what they or a free slot would send next nobody would record.
      this.#end ??= 'lost'
      this.#signal = () => {}
      this.#options.slots.leave(this)
    }
  }

  /** False once it is ended, or the receiver is left alone. */
  #goesOn(): boolean {
    return this.#end === undefined && this.#resumeAt === null
  }

  #hasReady(): boolean {
    return this.#goesOn() && this.#due.ready + this.#order.ready > 0
  }

  #isRead(): boolean {
    return [...this.#courses()].every(({ isAtEnd }) => isAtEnd)
  }

  /** Sends as much as may be under way. */
  pump(): void {
    while (this.#hasReady() && this.#hasRoom() && this.#options.slots.take(this)) {
      this.#send(this.#next())
    }
  }

  #hasRoom(): boolean {
    return this.#requests < this.#mostRequests && this.#requests + this.#unwritten < this.#mostUnrecorded
  }

  /** Those that are due again and those of the feed in turn, as long as there are both. */
  #next(): Unit {
    const isDue = this.#due.ready > 0 && (this.#isDueNext || this.#order.ready === 0)
    this.#isDueNext = !isDue
    const due = isDue ? this.#due.next() : undefined
    if (due !== undefined) return { ...due, entries: [] }
    const entries = this.#order.take(this.#options.opened.batch, ({ event }) => isSentAlone(event))
    return { events: entries.map(({ event }) => event), entries, previous: undefined }
  }

  #send(unit: Unit): void {
    this.#requests++
    const startedAt = traceTime()
    void sendEvents(this.#options, this.#options.opened, unit.events).then((outcome) => {
      this.#requests--
      this.#options.slots.release(this)
      this.#options.onAttempt(outcome)
      this.#finish(unit, outcome, startedAt)
      this.pump()
      this.#signal()
    })
  }

  #finish(unit: Unit, outcome: AttemptOutcome, startedAt: number): void {
    this.#judge(outcome)
    this.#unwritten++
    const delivery = this.#deliveryOf(unit, outcome)
    const { trace, opened } = this.#options
    if (trace !== undefined)
      traceRequest(trace, { delivery, events: unit.events, url: opened.url, startedAt })
    if (unit.previous === undefined) this.#made.push(delivery)
    else this.#repeated.push(delivery)
    for (const entry of unit.entries) {
      entry.done = true
      this.#order.release(entry.event.messageId)
    }
    for (const { position } of unit.entries.map(({ event }) => event))
      this.#attemptedTo = Math.max(this.#attemptedTo, position)
    for (const course of this.#courses()) dropDone(course)
  }

  /** Conclusions about the receiver. */
  #judge({ delivered, answered, gone, overloaded, retryAfterMs = 0 }: AttemptOutcome): void {
    if (delivered) {
      this.#failures = 0
      this.#failingSince = null
      this.#mostRequests = Math.min(this.#mostUnrecorded, this.#mostRequests + 1)
      return
    }
    const now = this.#options.clock.now()
    this.#failures++
    this.#failingSince ??= now
    this.#mostRequests = answered
      ? Math.min(this.#mostUnrecorded, this.#mostRequests + 1)
      : Math.max(1, this.#mostRequests >> 1)
    if (gone) this.#end ??= 'gone'
    else if (now - this.#failingSince >= MAX_FAILING_MS) this.#end ??= 'failing'
    const wished = overloaded ? Math.min(retryAfterMs, MAX_PAUSE_MS) : 0
    const pause = Math.max(pauseAfter(this.#failures, now - this.#failingSince), wished)
    if (pause > 0) this.#resumeAt = Math.max(this.#resumeAt ?? 0, now + pause)
  }

  #deliveryOf({ events, previous }: Unit, { attempt, delivered, retryAfterMs }: AttemptOutcome): Delivery {
    const { clock, webhook, random = Math.random } = this.#options
    const now = clock.now()
    const first = events[0] as FeedEvent
    const attempts = (previous?.attempts ?? 0) + 1
    const delay = delivered ? undefined : delayAfter(attempts, retryAfterMs, random())
    return {
      webhook_id: webhook.id,
      id: previous?.id ?? newId('whd', now),
      account_id: webhook.account_id,
      domain_id: webhook.domain_id,
      event_id: first.id,
      event_type: first.type,
      message_id: first.messageId,
      positions: events.map(({ position }) => position),
      status: delivered ? 'delivered' : delay === undefined ? 'failed' : 'pending',
      attempts,
      log: [...(previous?.log ?? []), attempt].slice(-MAX_KEPT_ATTEMPTS),
      due_at: delay === undefined ? null : now + delay,
    }
  }

  *#courses(): Generator<Course> {
    yield this.#feed
    if (this.#replay !== undefined) yield this.#replay
  }

  /** Reads ahead what is next of each course, and what is due again. */
  async #fill(): Promise<void> {
    const { store, webhook } = this.#options
    if (this.#attempted === undefined) {
      const { readTo } = this.#feed
      this.#attempted =
        this.#attemptedTo > readTo
          ? await reading(attemptedBehind(store.read, webhook.id, readTo, MAX_LOOKED_THROUGH))
          : new Set()
      this.#feedEnd = await reading(feedEnd(store.read, webhook.domain_id))
    }
    for (const course of this.#courses()) {
      const hasRoom = course.window.length < MAX_AHEAD - PAGE && this.#order.ready < PAGE
      if (!course.isAtEnd && hasRoom) await this.#readAhead(course)
    }
    this.#removed.push(...(await this.#due.look()))
  }

  async #readAhead(course: Course): Promise<void> {
    const { store, opened, webhook } = this.#options
    const { end = Number.POSITIVE_INFINITY, readTo: after } = course
    // Set before reading: what comes meanwhile is read at the next look.
    course.isAtEnd = true
    const query = { domainId: webhook.domain_id, after, limit: PAGE, types: opened.types }
    const page = await reading(readFeed(store.read, query))
    for (const event of page.events) {
      if (event.position > end || event.at >= course.before || !isWanted(opened, event)) continue
      // Events that had an attempt count as well, so that no event ahead of the position is outside the window.
      const entry = { event, done: course === this.#feed && this.#attempted?.has(event.position) === true }
      course.window.push(entry)
      if (!entry.done) this.#order.add(event.messageId, entry)
    }
    dropDone(course)
    const wasLast = page.position === after || page.position >= end
    // Where nothing is left before the end, it was removed by its age.
    course.readTo = wasLast ? Math.max(page.position, course.end ?? this.#feedEnd) : page.position
    if (!wasLast) course.isAtEnd = false
  }

  /** The position behind which nothing has had an attempt. */
  #positionOf({ window, readTo }: Course): number {
    const [first] = window
    return first === undefined ? readTo : first.event.position - 1
  }

  /** All that is written of the webhook itself, to see whether it has changed. */
  #progress(): string {
    const courses = [...this.#courses()].map((course) => this.#positionOf(course))
    return JSON.stringify([courses, this.#failures, this.#failingSince, this.#resumeAt])
  }

  #isDirty(): boolean {
    return (
      this.#made.length + this.#repeated.length + this.#removed.length > 0 ||
      this.#written !== this.#progress()
    )
  }

  /** False where the lease is lost. */
  async #write(): Promise<boolean> {
    const { store } = this.#options
    const [made, repeated, removed] = [this.#made, this.#repeated, this.#removed]
    this.#made = []
    this.#repeated = []
    this.#removed = []
    const progress = this.#progress()
    const replayPosition = this.#replay === undefined ? null : this.#positionOf(this.#replay)
    const held = await store.write(recordDeliveries, {
      ...keyOf(this.#options.webhook),
      ...{ made, repeated, removed },
      position: this.#positionOf(this.#feed),
      attemptedTo: this.#attemptedTo,
      replayPosition:
        replayPosition !== null && replayPosition >= (this.#replay?.end ?? 0) ? null : replayPosition,
      failures: this.#failures,
      failingSince: this.#failingSince,
      resumeAt: this.#resumeAt,
    })
    this.#due.written(repeated)
    this.#written = progress
    this.#unwritten -= made.length + repeated.length
    // The receiver may have been waiting for this write alone.
    if (held) this.pump()
    return held
  }

  async #signalOrPause(signalled: Promise<void>): Promise<void> {
    const { clock } = this.#options
    let cancel = (): void => {}
    const pause = new Promise<void>((resolve) => {
      cancel = clock.after(DUE_EVERY_MS, resolve)
    })
    await Promise.race([signalled, pause])
    cancel()
  }
}
