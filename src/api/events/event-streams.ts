// Streams of server-sent events (WHATWG HTML §9.2), with limits on their number.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Part } from '../../lib/lifecycle.ts'
import { Problem } from '../../model/problem.ts'
import { readingFor } from '../../store/database/read-turns.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { type FeedPage, feedsEnd } from '../../store/events/feed.ts'
import type { FeedWatch } from '../../store/events/feed-watch.ts'
import { type StreamOwner, StreamSlots } from './stream-slots.ts'

/**
 * Maximum number of concurrent event streams of a node. The next two constants apply to an account, and to a key or
 * user.
 */
const MAX_STREAMS = 1_000
const MAX_OF_ACCOUNT = 50
const MAX_OF_CALLER = 10
const RETRY_SECONDS = 10
/** Pause before the client reconnects, in milliseconds. */
const RECONNECT_MS = 1_000

/**
 * Time without events after which the stream sends a comment to keep the connection open, and checks again whether the
 * caller may read.
 */
const HEARTBEAT_MS = 15_000
/** Time for clients to receive the end of their streams when the node stops, in milliseconds. */
const END_MS = 500
/** Maximum number of events that are read at once, and that a stream holds in memory. */
const MAX_EVENTS = 100

/** An event of a stream. */
interface StreamedEvent {
  readonly position: number
  readonly type: string
}

/** Returns the events of feeds after a position. */
export type Follow<Event> = (
  read: Read,
  feedIds: readonly string[],
  from: { readonly after: number; readonly limit: number },
) => Promise<FeedPage<Event>>

/** Request for an event stream. */
export interface EventStreamRequest<Event extends StreamedEvent> {
  readonly callerId: string
  readonly accountId: string
  /** Returns the IDs of the feeds whose events the stream contains: of domains, or of an account. */
  feedIds(): Promise<readonly string[]>
  readonly follow: Follow<Event>
  /** Position in the event feed after which the stream begins; undefined to begin with the next event. */
  readonly position: number | undefined
  /** Returns false once the key or the session of the caller has ended. */
  mayRead(): Promise<boolean>
  readonly document: (event: Event) => object
  /** Signal that is aborted when the client disconnects. */
  readonly gone: AbortSignal
}

/** Key or user of a stream, and the account, whose streams are counted. */
type Counted = Pick<EventStreamRequest<StreamedEvent>, 'callerId' | 'accountId'>

const ownersOf = ({ callerId, accountId }: Counted): readonly StreamOwner[] => [
  { id: callerId, most: MAX_OF_CALLER },
  { id: accountId, most: MAX_OF_ACCOUNT },
]

/**
 * Event streams of this node, which end when this part is stopped. Parts are stopped in reverse order of their start.
 * This part must be started after the HTTP server, because the HTTP server would otherwise wait for open streams when
 * it stops.
 */
export class EventStreams implements Part {
  readonly name = 'streams of events'
  readonly #read: Read
  readonly #watch: FeedWatch
  readonly #heartbeatMs: number
  readonly #stopping = new AbortController()
  readonly #slots = new StreamSlots(MAX_STREAMS)
  readonly #news = new Set<News>()
  #allGone = (): void => {}

  constructor(read: Read, watch: FeedWatch, heartbeatMs = HEARTBEAT_MS) {
    this.#read = read
    this.#watch = watch
    this.#heartbeatMs = heartbeatMs
  }

  /** Ends all event streams; the HTTP server closes the connections of clients that do not read. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    if (this.#slots.taken === 0) return
    const ended = new Promise<void>((resolve) => {
      this.#allGone = resolve
    })
    await Promise.race([ended, sleep(END_MS, undefined, { ref: false })])
  }

  /** Makes every event stream check whether its caller may still read; called when access has changed. */
  readonly checkCallers = (): void => {
    for (const news of this.#news) news.set()
  }

  /**
   * Opens an event stream, and yields its frames. A frame is created only after the client has taken the previous
   * frame, so that a slow client holds only one frame in memory. Throws `rate_limit_exceeded` when there are too many
   * streams.
   */
  open<Event extends StreamedEvent>(request: EventStreamRequest<Event>): AsyncGenerator<string> {
    this.#take(request)
    if (request.gone.aborted) this.#release(request)
    else request.gone.addEventListener('abort', () => this.#release(request), { once: true })
    return this.#frames(request)
  }

  #take(counted: Counted): void {
    if (!this.#stopping.signal.aborted && this.#slots.take(ownersOf(counted))) return
    const detail = `A key or a user may have ${MAX_OF_CALLER} open event streams, and an account ${MAX_OF_ACCOUNT}; close a stream first.`
    throw new Problem('rate_limit_exceeded', detail, {
      retryAfter: RETRY_SECONDS,
      violatedPolicies: ['streams'],
    })
  }

  #release(counted: Counted): void {
    this.#slots.release(ownersOf(counted))
    if (this.#slots.taken === 0) this.#allGone()
  }

  async *#frames<Event extends StreamedEvent>(request: EventStreamRequest<Event>): AsyncGenerator<string> {
    const ended = AbortSignal.any([request.gone, this.#stopping.signal])
    const news = new News()
    let feedIds: readonly string[] = []
    // The listener is registered before the first read, so that events written during the read are noticed.
    const unlisten = this.#watch.listen((grown) => {
      if (grown.some((id) => feedIds.includes(id))) news.set()
    })
    this.#news.add(news)
    try {
      feedIds = await request.feedIds()
      let position = request.position ?? (await reading(feedsEnd(this.#read)))
      // The first frame shows the client that the stream is open, and the position of the stream.
      yield `retry: ${RECONNECT_MS}\nid: ${position}\n\n`
      let sentAt = performance.now()
      while (!ended.aborted && (await request.mayRead())) {
        news.clear()
        feedIds = await request.feedIds()
        const from = { after: position, limit: MAX_EVENTS }
        const page = await readingFor({ accountId: request.accountId }, () =>
          reading(request.follow(this.#read, feedIds, from)),
        )
        const isEnd = page.position === position
        position = page.position
        if (page.events.length > 0) {
          yield page.events.map((event) => frameOf(event, request.document)).join('')
          sentAt = performance.now()
        }
        const restMs = (): number => Math.max(0, sentAt + this.#heartbeatMs - performance.now())
        if (isEnd) await news.within(restMs(), ended)
        // The comment is sent even if there are new events, because events that the filter skips do not keep the
        // connection open.
        if (restMs() === 0 && !ended.aborted) {
          // The comment contains a position, so that a client that reconnects does not read the skipped events again.
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

const frameOf = <Event extends StreamedEvent>(event: Event, document: (event: Event) => object): string =>
  `id: ${event.position}\nevent: ${event.type}\ndata: ${JSON.stringify(document(event))}\n\n`

/** Flag that signals new events, with a function that waits for the flag. */
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

  /** Waits until new events are signalled, for at most `ms` milliseconds, or until `ended` is aborted. */
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
