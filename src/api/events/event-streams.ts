// Streams of server-sent events (WHATWG HTML §9.2): how many there are, what each sends, and when it ends.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../../lib/lifecycle.ts'
import { Problem } from '../../model/problem.ts'
import { readingFor } from '../../store/database/read-turns.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { EventFilter } from '../../store/events/event-filter.ts'
import { type FeedEvent, type FeedPage, feedsEnd } from '../../store/events/feed.ts'
import type { FeedWatch } from '../../store/events/feed-watch.ts'
import { followEvents } from '../../store/search/event-search.ts'

/** Streams of a node, of an account, and of one key or person. */
const MAX_STREAMS = 1_000
const MAX_OF_ACCOUNT = 50
const MAX_OF_CALLER = 10
const RETRY_SECONDS = 10
/** Pause of the client before it connects again. */
const RECONNECT_MS = 1_000

/** Time without events until a comment that keeps the connection open, and a look whether the caller may still read. */
const HEARTBEAT_MS = 15_000
/** Time for clients to take the end of their streams when the node stops. */
const END_MS = 500
/** Events that are read at once: what a stream holds in memory. */
const MAX_EVENTS = 100

/** A stream that a caller asked for. */
export interface EventStreamRequest {
  readonly callerId: string
  readonly accountId: string
  /** The domains whose events it has. */
  domainIds(): Promise<readonly string[]>
  readonly filter: EventFilter
  /** The position behind which it begins; undefined: with what comes now. */
  readonly position: number | undefined
  /** False once the key or the session has ended. */
  mayRead(): Promise<boolean>
  readonly document: (event: FeedEvent) => object
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal
}

/** The streams of this node. They end when it stops: start this behind the HTTP server. */
export class EventStreams implements Part {
  readonly name = 'streams of events'
  readonly #read: Read
  readonly #watch: FeedWatch
  readonly #heartbeatMs: number
  readonly #stopping = new AbortController()
  /** Streams by account, and by key or person. */
  readonly #open = new Map<string, number>()
  readonly #news = new Set<News>()
  #count = 0
  #allGone = (): void => {}

  constructor(read: Read, watch: FeedWatch, heartbeatMs = HEARTBEAT_MS) {
    this.#read = read
    this.#watch = watch
    this.#heartbeatMs = heartbeatMs
  }

  /** Ends all streams; the connections of clients that do not read are left to the HTTP server. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    if (this.#count === 0) return
    const ended = new Promise<void>((resolve) => {
      this.#allGone = resolve
    })
    await Promise.race([ended, sleep(END_MS, undefined, { ref: false })])
  }

  /** Has every stream look whether its caller may still read: access has changed. */
  readonly checkCallers = (): void => {
    for (const news of this.#news) news.tell()
  }

  /**
   * Opens a stream: frames, each made when the one before was taken, so that a client that reads slowly keeps back
   * nothing but one of them. Throws `rate_limit_exceeded` when there are too many.
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
    // Before the first read: what is written during it is heard.
    const unlisten = this.#watch.listen((grown) => {
      if (grown.some((id) => domainIds.includes(id))) news.tell()
    })
    this.#news.add(news)
    try {
      domainIds = await request.domainIds()
      let position = request.position ?? (await reading(feedsEnd(this.#read)))
      // Shows the client that the stream is open, and where it is.
      yield `retry: ${RECONNECT_MS}\nid: ${position}\n\n`
      let sentAt = performance.now()
      while (!ended.aborted && (await request.mayRead())) {
        news.forget()
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
        // News of events that the filter leaves out are none for the connection.
        if (restMs() === 0 && !ended.aborted) {
          // What the filter left out need not be looked at again after a reconnection.
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
  #isTold = false
  #wake: (() => void) | undefined

  tell(): void {
    this.#isTold = true
    this.#wake?.()
  }

  forget(): void {
    this.#isTold = false
  }

  /** Waits for news, so many milliseconds at most, or until it is ended. */
  async within(ms: number, ended: AbortSignal): Promise<void> {
    if (this.#isTold || ended.aborted) return
    const over = new AbortController()
    const told = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    const wait = sleep(ms, undefined, { signal: AbortSignal.any([ended, over.signal]) }).catch(() => {})
    await Promise.race([told, wait])
    over.abort()
    this.#wake = undefined
  }
}
