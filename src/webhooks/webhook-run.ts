// The work of one node on a webhook: sends events in order, repeats failed deliveries, and records outcomes.

import { newId } from '../lib/ids.ts'
import type { Run } from '../lib/leased-runs.ts'
import { type Trace, traceTime } from '../lib/traces.ts'
import { delayAfter, FAILURES_UNTIL_PAUSE, MAX_KEPT_ATTEMPTS } from '../model/webhook.ts'
import { reading, type Store } from '../store/database/store.ts'
import { feedEnd } from '../store/events/feed.ts'
import { attemptedAfter, type Delivery, recordDeliveries } from '../store/webhooks/deliveries.ts'
import type { HeldKey } from '../store/webhooks/leases.ts'
import type { Webhook } from '../store/webhooks/webhooks.ts'
import type { DeliverySlots, SlotHolder } from './delivery-slots.ts'
import { DUE_EVERY_MS, DueDeliveries } from './due-deliveries.ts'
import { type FeedEntry, FeedRange } from './feed-range.ts'
import type { PlaceHolder } from './held-places.ts'
import { MessageOrder } from './message-order.ts'
import type { AttemptOutcome } from './outcome.ts'
import { isSentAlone } from './received-mail.ts'
import { healthAfter, healthAtFirst, type ReceiverHealth } from './receiver-health.ts'
import { isWanted, type OpenWebhook, type RequestParts, sendEvents } from './request.ts'
import { traceRequest } from './trace-request.ts'
import { type DeliveredEvent, feedOf, subjectOf, type WebhookFeed } from './webhook-feed.ts'

/**
 * Maximum number of requests of one webhook that are active or whose outcome is not stored; a crash repeats these
 * requests.
 */
const MAX_UNRECORDED = 20
/**
 * Maximum number of active or unrecorded requests with several events each; the next node may group the events into
 * more requests.
 */
const MAX_UNRECORDED_BATCHES = 10

/** Returns the maximum number of requests that a webhook with this batch size repeats after a crash. */
export const mostUnrecorded = (batch: number): number => (batch > 1 ? MAX_UNRECORDED_BATCHES : MAX_UNRECORDED)
/** Maximum number of events that are read ahead of the first event without an attempt. */
const MAX_AHEAD = 600
/**
 * Maximum number of deliveries that are read, newest first, to find the events that have had an attempt. The maximum is
 * twice the number of events that may be read ahead, since deliveries of events that were attempted late are among the
 * newest deliveries too.
 */
const MAX_ATTEMPTED_READ = 2 * MAX_AHEAD
const PAGE = 200

export interface WebhookRunOptions extends RequestParts {
  readonly store: Store
  readonly slots: DeliverySlots
  readonly webhook: Webhook
  readonly opened: OpenWebhook
  /** Called after every attempt. */
  readonly onAttempt: (outcome: AttemptOutcome) => void
  readonly trace?: Trace | undefined
  /** Returns a random number from 0 to 1. */
  readonly random?: () => number
}

/** The events of one request. */
interface Unit {
  readonly events: readonly DeliveredEvent[]
  /** Entries of the events in the feed ranges; empty for a further attempt. */
  readonly entries: readonly FeedEntry[]
  /** The pending delivery that the request repeats. */
  readonly previous: Delivery | undefined
}

/** Outcomes of requests that are not stored yet. */
interface Unrecorded {
  readonly made: Delivery[]
  readonly repeated: Delivery[]
  /** IDs of deliveries whose events no longer exist. */
  readonly removed: string[]
}

const nothingUnrecorded = (): Unrecorded => ({ made: [], repeated: [], removed: [] })

/**
 * Result of the work on a webhook: nothing more to do or stopped (`released`), another node has the lease (`lost`), or
 * the webhook ends permanently (`gone`, `failing`).
 */
export type WebhookRunEnd = 'released' | 'lost' | 'gone' | 'failing'

/** Returns the key of a webhook with the token of its lease. */
export const keyOf = ({ id, account_id: accountId, domain_id: domainId, lease }: Webhook): HeldKey => ({
  ...{ id, accountId, domainId, lease: lease ?? '' },
})

export class WebhookRun implements Run<WebhookRunEnd>, SlotHolder, PlaceHolder {
  readonly accountId: string
  /** Feed that the webhook delivers. */
  readonly feedId: string
  readonly #options: WebhookRunOptions
  readonly #source: WebhookFeed
  readonly #feed: FeedRange
  readonly #replay: FeedRange | undefined
  readonly #order = new MessageOrder<FeedEntry>()
  readonly #due: DueDeliveries
  #isDueNext = true
  /**
   * Feed positions of events that had an attempt during an earlier lease, before earlier events had one; undefined
   * until the positions are read.
   */
  #attempted: ReadonlySet<number> | undefined
  /** Highest feed position whose event has had an attempt. */
  #attemptedTo: number
  /** Position of the last event of the feed at the time of the first read. */
  #feedEnd = 0
  #unrecorded = nothingUnrecorded()
  #written: string
  readonly #mostUnrecorded: number
  /** Number of active requests. */
  #requests = 0
  /** Number of ended requests with outcomes that are not stored yet. */
  #unwritten = 0
  #health: ReceiverHealth
  /** Number of consecutive failures that is stored. */
  #writtenFailures: number
  #end: WebhookRunEnd | undefined
  #signal = (): void => {}

  constructor(options: WebhookRunOptions) {
    const { webhook } = options
    this.#options = options
    this.#due = new DueDeliveries(options)
    this.#mostUnrecorded = mostUnrecorded(options.opened.batch)
    this.accountId = webhook.account_id
    this.feedId = webhook.feed_id
    this.#source = feedOf(webhook)
    this.#feed = new FeedRange(Number(webhook.position))
    const { replay_position: from, replay_until: end, replay_before: before } = webhook
    if (from !== null && end !== null && before !== null) {
      this.#replay = new FeedRange(Number(from), Number(end), Number(before))
    }
    this.#attemptedTo = Number(webhook.attempted_to)
    this.#health = healthAtFirst(webhook.failures, webhook.failing_since)
    this.#writtenFailures = webhook.failures
    this.#written = this.#progress()
  }

  get webhookId(): string {
    return this.#options.webhook.id
  }

  /** True if the feed may have unread events. */
  get hasMore(): boolean {
    return !this.#feed.isAtEnd
  }

  get isIdle(): boolean {
    return this.#requests === 0
  }

  get isEnding(): boolean {
    return this.#end !== undefined
  }

  /** Reports that the feed has new events. */
  wake(): void {
    this.#feed.isAtEnd = false
    this.#signal()
  }

  /** Ends the work: no further requests are sent, and outcomes are written if the lease is still valid. */
  stop(why: WebhookRunEnd): void {
    this.#end ??= why
    this.#signal()
  }

  /**
   * Delivers until nothing is left to do, or until `stop`. Rejects if the store is unreachable. The webhook is held
   * only while there is work; the run uses the URL, keys and event selection from the time of the claim.
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
      // Requests may still be active after `run` has rejected. No further request may begin, because the outcome of the
      // request would not be recorded.
      this.#end ??= 'lost'
      this.#signal = () => {}
      this.#options.slots.leave(this)
    }
  }

  /** Returns false after `stop`, and while the receiver is paused. */
  #goesOn(): boolean {
    return this.#end === undefined && this.#health.resumeAt === null
  }

  #hasReady(): boolean {
    return this.#goesOn() && this.#due.ready + this.#order.ready > 0
  }

  #isRead(): boolean {
    return this.#ranges().every(({ isAtEnd }) => isAtEnd)
  }

  /** Sends as many requests as the limits allow. */
  pump(): void {
    while (this.#hasReady() && this.#hasRoom() && this.#options.slots.take(this)) {
      this.#send(this.#next())
    }
  }

  #hasRoom(): boolean {
    return (
      this.#requests < this.#health.mostRequests && this.#requests + this.#unwritten < this.#mostUnrecorded
    )
  }

  /** Returns the next request: repeated deliveries and events of the feed alternate as long as both exist. */
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
    this.#health = healthAfter(this.#health, outcome, this.#options.clock.now(), this.#mostUnrecorded)
    this.#end ??= this.#health.verdict
    this.#unwritten++
    const delivery = this.#deliveryOf(unit, outcome)
    const { trace, opened } = this.#options
    if (trace !== undefined)
      traceRequest(trace, { delivery, events: unit.events, url: opened.url, startedAt })
    if (unit.previous === undefined) this.#unrecorded.made.push(delivery)
    else this.#unrecorded.repeated.push(delivery)
    for (const entry of unit.entries) {
      entry.done = true
      this.#order.release(subjectOf(entry.event))
    }
    for (const { position } of unit.entries.map(({ event }) => event))
      this.#attemptedTo = Math.max(this.#attemptedTo, position)
    for (const range of this.#ranges()) range.dropDone()
  }

  #deliveryOf({ events, previous }: Unit, { attempt, delivered, retryAfterMs }: AttemptOutcome): Delivery {
    const { clock, webhook, random = Math.random } = this.#options
    const now = clock.now()
    const first = events[0] as DeliveredEvent
    const attempts = (previous?.attempts ?? 0) + 1
    const delay = delivered ? undefined : delayAfter(attempts, retryAfterMs, random())
    return {
      webhook_id: webhook.id,
      id: previous?.id ?? newId('whd', now),
      account_id: webhook.account_id,
      domain_id: webhook.domain_id,
      event_id: first.id,
      event_type: first.type,
      message_id: subjectOf(first),
      positions: events.map(({ position }) => position),
      status: delivered ? 'delivered' : delay === undefined ? 'failed' : 'pending',
      attempts,
      log: [...(previous?.log ?? []), attempt].slice(-MAX_KEPT_ATTEMPTS),
      due_at: delay === undefined ? null : now + delay,
    }
  }

  #ranges(): readonly FeedRange[] {
    return this.#replay === undefined ? [this.#feed] : [this.#feed, this.#replay]
  }

  /** Reads ahead the next events of each range, and the deliveries that are due again. */
  async #fill(): Promise<void> {
    const { store, webhook } = this.#options
    if (this.#attempted === undefined) {
      const { readTo } = this.#feed
      this.#attempted =
        this.#attemptedTo > readTo
          ? await reading(attemptedAfter(store.read, webhook.id, readTo, MAX_ATTEMPTED_READ))
          : new Set()
      this.#feedEnd = await reading(feedEnd(store.read, webhook.feed_id))
    }
    for (const range of this.#ranges()) {
      const hasRoom = range.size < MAX_AHEAD - PAGE && this.#order.ready < PAGE
      if (!range.isAtEnd && hasRoom) await this.#readAhead(range)
    }
    this.#unrecorded.removed.push(...(await this.#due.readMore()))
  }

  async #readAhead(range: FeedRange): Promise<void> {
    const { store, opened } = this.#options
    const { readTo: after } = range
    // The flag is set before the read, so that events that arrive during the read cause another read.
    range.isAtEnd = true
    const page = await reading(this.#source.page(store.read, { after, limit: PAGE, types: opened.types }))
    for (const event of page.events) {
      if (!range.includes(event) || !isWanted(opened, event)) continue
      // Events with an attempt are also added to the window, so that the window contains every event after the
      // position.
      const entry = { event, done: range === this.#feed && this.#attempted?.has(event.position) === true }
      range.add(entry)
      if (!entry.done) this.#order.add(subjectOf(event), entry)
    }
    range.dropDone()
    const wasLast = page.position === after || page.position >= range.end
    // The range counts as read up to its end, even if the last events of the range were removed by age.
    const last = Number.isFinite(range.end) ? range.end : this.#feedEnd
    range.readTo = wasLast ? Math.max(page.position, last) : page.position
    if (!wasLast) range.isAtEnd = false
  }

  /** Returns the stored progress of the webhook as text, to detect changes. */
  #progress(): string {
    const { failures, failingSince, resumeAt } = this.#health
    return JSON.stringify([this.#ranges().map(({ position }) => position), failures, failingSince, resumeAt])
  }

  #isDirty(): boolean {
    const { made, repeated, removed } = this.#unrecorded
    return made.length + repeated.length + removed.length > 0 || this.#written !== this.#progress()
  }

  /** Writes outcomes and progress; returns false if the lease is lost. */
  async #write(): Promise<boolean> {
    const { store, webhook, clock } = this.#options
    const unrecorded = this.#unrecorded
    this.#unrecorded = nothingUnrecorded()
    const progress = this.#progress()
    const { failures, failingSince, resumeAt } = this.#health
    const replay = this.#replay
    const held = await store.write(recordDeliveries, {
      ...keyOf(webhook),
      ...unrecorded,
      position: this.#feed.position,
      attemptedTo: this.#attemptedTo,
      replayPosition: replay === undefined || replay.position >= replay.end ? null : replay.position,
      ...{ failures, failingSince, resumeAt },
      foundFailingAt: this.#isFoundFailing() ? clock.now() : undefined,
    })
    this.#writtenFailures = failures
    this.#due.written(unrecorded.repeated)
    this.#written = progress
    this.#unwritten -= unrecorded.made.length + unrecorded.repeated.length
    // Further requests may have been waiting only until these outcomes were written.
    if (held) this.pump()
    return held
  }

  /** True if so many requests have failed that the webhook pauses for the first time. */
  #isFoundFailing(): boolean {
    return this.#writtenFailures < FAILURES_UNTIL_PAUSE && this.#health.failures >= FAILURES_UNTIL_PAUSE
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
