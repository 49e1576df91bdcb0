// Finds the streams of all domains, in the form that sending requires.

import { nearest } from '../lib/nearest.ts'
import { parseRate } from '../lib/rate-limiter.ts'
import { type FindingCode, type Guard, ignoredOf } from '../model/finding.ts'
import type { StreamKind, UnsubscribeBy } from '../model/stream.ts'
import type { TrackingRecord } from '../model/tracking.ts'
import type { Read } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import { findStream, listStreams } from '../store/workspace/streams.ts'
import type { WorkspaceCache } from '../store/workspace/workspace-cache.ts'

/** Settings of a stream on which sending depends. */
export interface SendingStream {
  readonly alias: string
  readonly kind: StreamKind
  readonly archived: boolean
  /** Interval between two recipients of the stream in milliseconds; undefined for no rate limit. */
  readonly spacingMs: number | undefined
  /** Time for which delivery is retried, in milliseconds; undefined for the schedule of the installation. */
  readonly retryForMs: number | undefined
  /** True if the stream has a sending allowance; recipients then count against the allowance. */
  readonly counted: boolean
  readonly headers: Readonly<Record<string, string>>
  /**
   * Party that writes the List-Unsubscribe field of a message in a broadcast stream: the service, or the sender if the
   * submitted message already has the field.
   */
  readonly unsubscribe: UnsubscribeBy
  readonly used: boolean
  /** True if the DMARC record of the domain was found at the last check. */
  readonly dmarcFound: boolean
  readonly tracking: StreamTracking
  /** Effect of the check on messages that set no guard of their own. */
  readonly guard: Guard
  /** Codes of findings that are not reported. */
  readonly ignored: readonly FindingCode[]
}

/** Tracking settings for the messages of a stream, unless a message has its own setting. */
export interface StreamTracking {
  readonly opens: boolean
  readonly links: boolean
  /** CNAME record of the tracking host of the domain, as found by the last check. */
  readonly record: TrackingRecord | undefined
}

/** Tracking settings that track nothing. */
export const NO_TRACKING: StreamTracking = { opens: false, links: false, record: undefined }

/** Estimated memory of a cached stream in bytes, without its header fields. */
const STREAM = 500

/** Finds streams, and caches a stream until any stream changes. */
export class Streams {
  readonly #read: Read
  readonly #workspaceCache: WorkspaceCache

  constructor(read: Read, workspaceCache: WorkspaceCache) {
    this.#read = read
    this.#workspaceCache = workspaceCache
  }

  /** Returns the stream of an owner with this alias, synchronously if the stream is cached. */
  find(owner: Owner, alias: string): SendingStream | undefined | Promise<SendingStream | undefined> {
    return this.#workspaceCache.get(`stream ${owner.domainId} ${alias}`, async () => {
      const value = await this.#load(owner, alias)
      return { value, weight: STREAM + 4 * JSON.stringify(value?.headers ?? {}).length }
    })
  }

  /** Returns the alias of the sending stream that an unknown alias probably means; undefined if there is none. */
  meantBy(owner: Owner, alias: string): string | undefined | Promise<string | undefined> {
    return this.#workspaceCache.get(`meant stream ${owner.domainId} ${alias}`, async () => {
      const streams = await listStreams(this.#read, owner)
      const usable = streams.filter(({ archived_at, kind }) => archived_at === null && kind !== 'inbound')
      const value = nearest(
        alias,
        usable.map((one) => one.alias),
      )
      return { value, weight: STREAM + 2 * alias.length }
    })
  }

  async #load(owner: Owner, alias: string): Promise<SendingStream | undefined> {
    const found = await findStream(this.#read, owner, alias)
    if (found === undefined) return undefined
    const { stream, dmarcFound, tracking, guard } = found
    const rate = stream.rate === null ? undefined : parseRate(stream.rate)
    return {
      alias: stream.alias,
      kind: stream.kind,
      archived: stream.archived_at !== null,
      spacingMs: rate && rate.perMs / rate.count,
      retryForMs: stream.retry_for_ms ?? undefined,
      counted: stream.sending_allowance !== null,
      headers: JSON.parse(stream.headers) as Record<string, string>,
      unsubscribe: stream.unsubscribe,
      used: stream.used === 1,
      dmarcFound,
      tracking: {
        opens: (stream.track_opens ?? tracking.track_opens) === 1,
        links: (stream.track_links ?? tracking.track_links) === 1,
        record: tracking.record,
      },
      guard: stream.guard ?? guard.guard ?? 'off',
      ignored: [...ignoredOf(guard), ...ignoredOf(stream)],
    }
  }
}
