// Streams of server-sent events (WHATWG HTML §9.2): their number, their contents, and their ends.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../../lib/lifecycle.ts'
import { Problem } from '../../model/problem.ts'
import { readingFor } from '../../store/database/read-turns.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { EventFilter } from '../../store/events/event-filter.ts'
import { type FeedEvent, type FeedPage, feedsEnd } from '../../store/events/feed.ts'
import type { FeedWatch } from '../../store/events/feed-watch.ts'
import { followEvents } from '../../store/search/event-search.ts'

/** Maximum numbers of streams of a node, of an account, and of one key or user. */
const MAX_STREAMS = 1_000
const MAX_OF_ACCOUNT = 50
const MAX_OF_CALLER = 10
const RETRY_SECONDS = 10
/** Pause before the client reconnects. */
const RECONNECT_MS = 1_000

/**
 * Time without events after which a comment keeps the connection open and the caller's right to read is checked again.
 */
const HEARTBEAT_MS = 15_000
/** Time for clients to receive the end of their streams when the node stops. */
const END_MS = 500
/** Maximum number of events that are read at once, which a stream holds in memory. */
const MAX_EVENTS = 100

/** A requested stream. */
export interface EventStreamRequest {
  readonly callerId: string
  readonly accountId: string
  /** Returns the domains whose events the stream has. */
  domainIds(): Promise<readonly string[]>
  readonly filter: EventFilter
  /** Position after which the stream begins; undefined: with the next event. */
  readonly position: number | undefined
  /** False once the key or the session has ended. */
  mayRead(): Promise<boolean>
  readonly document: (event: FeedEvent) => object
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal
}

/** The streams of this node. Stopping this part ends the streams: start it after the HTTP server. */
export class EventStreams implements Part {
  readonly name = 'streams of events'
  readonly #read: Read
  readonly #watch: FeedWatch
  readonly #heartbeatMs: number
  readonly #stopping = new AbortController()
  /** Number of streams by account, and by key or user. */
  readonly #open = new Map<string, number>()
  readonly #news = new Set<News>()
  #count = 0
  #allGone = (): void => {}

  constructor(read: Read, watch: FeedWatch, heartbeatMs = HEARTBEAT_MS) {
    this.#read = read
    this.#watch = watch
    this.#heartbeatMs = heartbeatMs
  }

  /** Ends all streams; the HTTP server closes the connections of clients that do not read. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    if (this.#count === 0) return
    const ended = new Promise<void>((resolve) => {
      this.#allGone = resolve
    })
    await Promise.race([ended, sleep(END_MS, undefined, { ref: false })])
  }

  /** Makes every stream check whether its caller may still read, because access has changed. */
  readonly checkCallers = (): void => {
    for (const news of this.#news) news.set()
  }

  /**
   * Opens a stream: frames, each made when the one before was taken, so that a slow client holds only one of them in
   * memory. Throws `rate_limit_exceeded` when there are too many streams.
   */
  open(request: EventStreamRequest): AsyncGenerator<string> {
    this.#take(request)
    if (request.gone.aborted) this.#release(request)
    else request.gone.addEventListener('abort', () => this.#release(request), { once: true })
    return this.#frames(request)
  }

  #take({ callerId, accountId }: EventStreamRequest): void {
    const ofCaller = this.#open.get(callerId) ?? 0
    const ofAccount = this.#open.get(accountId) ?? 0
    const isStopping = this.#stopping.signal.aborted
    if (
      isStopping ||
      this.#count >= MAX_STREAMS ||
      ofAccount >= MAX_OF_ACCOUNT ||
      ofCaller >= MAX_OF_CALLER
    ) {
      const detail = `A key or a person may have ${MAX_OF_CALLER} streams of events at a time, an account ${MAX_OF_ACCOUNT}; close one first.`
      throw new Problem('rate_limit_exceeded', detail, {
        retryAfter: RETRY_SECONDS,
        violatedPolicies: ['streams'],
      })
    }
    this.#count++
    this.#open.set(callerId, ofCaller + 1)
    this.#open.set(accountId, ofAccount + 1)
  }

  #release({ callerId, accountId }: EventStreamRequest): void {
    this.#count--
    if (this.#count === 0) this.#allGone()
    for (const name of [callerId, accountId]) {
      const left = (this.#open.get(name) ?? 1) - 1
      if (left === 0) this.#open.delete(name)
      else this.#open.set(name, left)
    }
  }

  async *#frames(request: EventStreamRequest): AsyncGenerator<string> {
    const ended = AbortSignal.any([request.gone, this.#stopping.signal])
    const news = new News()
    let domainIds: readonly string[] = []
    // Registered before the first read, so that events written during the read are reported.
    const unlisten = this.#watch.listen((grown) => {
      if (grown.some((id) => domainIds.includes(id))) news.set()
    })
    this.#news.add(news)
    try {
      domainIds = await request.domainIds()
      let position = request.position ?? (await reading(feedsEnd(this.#read)))
      // Shows the client that the stream is open, and its position.
      yield `retry: ${RECONNECT_MS}\nid: ${position}\n\n`
      let sentAt = performance.now()
      while (!ended.aborted && (await request.mayRead())) {
        news.clear()
        domainIds = await request.domainIds()
        const from = { after: position, limit: MAX_EVENTS }
        const page: FeedPage = await readingFor({ accountId: request.accountId }, () =>
          reading(followEvents(this.#read, domainIds, request.filter, from)),
        )
        const isEnd = page.position === position
        position = page.position
        if (page.events.length > 0) {
          yield page.events.map((event) => frameOf(event, request.document)).join('')
          sentAt = performance.now()
        }
        const restMs = (): number => Math.max(0, sentAt + this.#heartbeatMs - performance.now())
        if (isEnd) await news.within(restMs(), ended)
        // Events that the filter skips do not keep the connection alive.
        if (restMs() === 0 && !ended.aborted) {
          // After a reconnection, skipped events need not be read again.
          yield `: still here\nid: ${position}\n\n`
          sentAt = performance.now()
        }
      }
    } finally {
      unlisten()
      this.#news.delete(news)
    }
  }
}

const frameOf = (event: FeedEvent, document: EventStreamRequest['document']): string =>
  `id: ${event.position}\nevent: ${event.type}\ndata: ${JSON.stringify(document(event))}\n\n`

/** A flag for news, and a wait for it. */
class News {
  #isSet = false
  #wake: (() => void) | undefined

  set(): void {
    this.#isSet = true
    this.#wake?.()
  }

  clear(): void {
    this.#isSet = false
  }

  /** Waits for news, up to `ms` milliseconds or until `ended` is aborted. */
  async within(ms: number, ended: AbortSignal): Promise<void> {
    if (this.#isSet || ended.aborted) return
    const over = new AbortController()
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    const wait = sleep(ms, undefined, { signal: AbortSignal.any([ended, over.signal]) }).catch(() => {})
    await Promise.race([woken, wait])
    over.abort()
    this.#wake = undefined
  }
}
