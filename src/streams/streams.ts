// The streams of all domains, as sending needs them.

import { parseRate } from '../lib/rate-limiter.ts'
import type { StreamKind, UnsubscribeBy } from '../model/stream.ts'
import type { TrackingRecord } from '../model/tracking.ts'
import type { Read } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import { findStream } from '../store/workspace/streams.ts'
import type { WorkspaceCache } from '../store/workspace/workspace-cache.ts'

/** Settings of a stream that sending depends on. */
export interface SendingStream {
  readonly alias: string
  readonly kind: StreamKind
  readonly archived: boolean
  /** The time from one of its recipients to the next, in milliseconds; undefined: as fast as it can. */
  readonly spacingMs: number | undefined
  /** Undefined for the installation's schedule. */
  readonly retryForMs: number | undefined
  /** The stream has an allowance to count against. */
  readonly counted: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Of a broadcast stream: whose List-Unsubscribe its messages have, where they come with one. */
  readonly unsubscribe: UnsubscribeBy
  readonly used: boolean
  /** The domain's DMARC record was there when it was last looked for. */
  readonly dmarcFound: boolean
  readonly tracking: StreamTracking
}

/** Tracking of a stream's messages, where they do not say themselves. */
export interface StreamTracking {
  readonly opens: boolean
  readonly links: boolean
  /** The CNAME of the domain's tracking host as it was last seen. */
  readonly record: TrackingRecord | undefined
}

/** Tracks nothing. */
export const NO_TRACKING: StreamTracking = { opens: false, links: false, record: undefined }

/** The bytes of a stream besides its header fields. */
const STREAM = 500

/** Finds streams, remembered until one changes. */
export class Streams {
  readonly #read: Read
  readonly #workspaceCache: WorkspaceCache

  constructor(read: Read, workspaceCache: WorkspaceCache) {
    this.#read = read
    this.#workspaceCache = workspaceCache
  }

  /** The owner's stream of this name, at once when it is remembered. */
  find(owner: Owner, alias: string): SendingStream | undefined | Promise<SendingStream | undefined> {
    return this.#workspaceCache.get(`stream ${owner.domainId} ${alias}`, async () => {
      const value = await this.#load(owner, alias)
      return { value, weight: STREAM + 4 * JSON.stringify(value?.headers ?? {}).length }
    })
  }

  async #load(owner: Owner, alias: string): Promise<SendingStream | undefined> {
    const found = await findStream(this.#read, owner, alias)
    if (found === undefined) return undefined
    const { stream, dmarcFound, tracking } = found
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
    }
  }
}
