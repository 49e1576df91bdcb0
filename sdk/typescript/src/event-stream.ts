// Server-sent events (WHATWG HTML §9.2) as an async iterator that reconnects at the last position.

import { PostriderError } from './error.ts'
import { pause, pauseOf, type RequestOptions } from './request.ts'

/** Time without a byte after which the connection counts as lost; the service sends a comment every 15 s. */
export const QUIET_MS = 45_000
/** Longest line of a stream, in characters. */
const MAX_LINE = 64 * 1_024 * 1_024

/** Part of a stream up to a blank line. */
export interface Frame {
  readonly id: string | undefined
  readonly data: string | undefined
}

/** Parses a stream. Yields only complete frames, so the rest of a stream that was cut off is dropped. */
export async function* framesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void> {
  const decoder = new TextDecoder()
  let rest = ''
  let id: string | undefined
  let data: string[] = []
  for await (const piece of pieces) {
    rest += decoder.decode(piece, { stream: true })
    // A CR at the end may be the first half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE) throw new Error('a line of the event stream is too long')
    for (const line of lines) {
      if (line === '') {
        if (id !== undefined || data.length > 0) {
          yield { id, data: data.length === 0 ? undefined : data.join('\n') }
        }
        id = undefined
        data = []
        continue
      }
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (name === 'id' && !value.includes('\0')) id = value
      if (name === 'data') data.push(value)
    }
  }
}

/** Events as they happen. The iteration ends by `break`, or by the signal, whose reason it throws. */
export class EventStream<Event> implements AsyncIterable<Event> {
  readonly #open: (position: string | undefined, repeats?: number) => Promise<Response>
  readonly #options: RequestOptions & { readonly pauseMs: number }
  /** Position of the last event; a later stream with this `cursor` continues there. */
  position: string | undefined

  /** @param open connects at a position */
  constructor(
    open: (position: string | undefined, repeats?: number) => Promise<Response>,
    options: RequestOptions & { readonly pauseMs: number },
  ) {
    this.#open = open
    this.#options = options
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    const { signal, timeoutMs = QUIET_MS } = this.#options
    let failures = 0
    for (let isFirst = true; ; isFirst = false) {
      let failure: { readonly retryAfterMs?: number | undefined } = {}
      try {
        // The first connection is given up like any request; a lost one is opened again until it works.
        const response = await this.#open(this.position, isFirst ? undefined : 0)
        for await (const { id, data } of framesOf(piecesOf(response, timeoutMs, signal))) {
          failures = 0
          const event = data === undefined ? undefined : (JSON.parse(data) as Event)
          this.position = id ?? this.position
          if (event !== undefined) yield event
        }
      } catch (error) {
        signal?.throwIfAborted()
        if (isFirst || !(error instanceof PostriderError) || !isPassing(error)) throw error
        failure = error
      }
      await pause(pauseOf(this.#options, failure, failures++), signal)
    }
  }
}

const isPassing = ({ status, code }: PostriderError): boolean =>
  code === 'connection_failed' || code === 'timeout' || status === 429 || status >= 500

/** Yields the pieces of a body. Ends without an error when the connection is lost, or nothing arrives for too long. */
async function* piecesOf(
  { body }: Response,
  quietMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader()
  if (reader === undefined) return
  const cancel = (): void => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', cancel)
  try {
    for (;;) {
      const timer = setTimeout(cancel, quietMs)
      const { value } = await reader
        .read()
        .catch(() => ({ value: undefined }))
        .finally(() => clearTimeout(timer))
      signal?.throwIfAborted()
      if (value === undefined) return
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}
