// One request to the service: repeats after lost connections and while the service is busy, timeouts, and the reading of
// the response.

import { ofConnection, ofProblem, ofStranger, PostriderError } from './error.ts'
import type { Problem } from './generated/types.ts'

/** Options of every call. */
export interface RequestOptions {
  /** Ends the call; the call then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /**
   * Maximum time of each attempt in milliseconds, instead of the `timeoutMs` of the client. For an event stream: the
   * maximum time without a sign of life, 45 s by default.
   */
  readonly timeoutMs?: number | undefined
}

/** Access to a service. */
export interface Connection {
  /** Base URL without a slash at the end. */
  readonly url: string
  /** Returns the key. `refused` is a key that the service has refused. */
  key(refused?: string): Promise<string>
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly repeats: number
  /** First pause before a repeat, in milliseconds; doubled for each further repeat. */
  readonly pauseMs: number
}

/** Request of one operation. */
export interface Outgoing extends RequestOptions {
  readonly method: string
  /** Path with query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | Blob | undefined
  /** True if the response stays open, and the caller reads it. */
  readonly isStream?: boolean
}

export interface Answered {
  readonly response: Response
  /** The body: parsed JSON, text, bytes, or undefined for status 204 and for a stream. */
  readonly body: unknown
}

/** Longest pause before a repeat, as a multiple of the first. */
const MAX_DOUBLING = 16
/** A request is not repeated if the service wants a longer pause. */
const MAX_RETRY_AFTER_MS = 60_000
const MAX_RESPONSE_BYTES = 256 * 1_024 * 1_024

/**
 * Sends a request. Repeats the request up to `repeats` times if there is no complete response, and after status 429 and
 * 503; after another status from 500 only with an `Idempotency-Key`.
 * @throws PostriderError for a refusal and for a failure, and the reason of `signal`
 */
export async function send(connection: Connection, request: Outgoing): Promise<Answered> {
  let wasLost = false
  let key = await connection.key()
  let isRenewed = false
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOnce(connection, request, key)
    if (!(outcome instanceof PostriderError)) return outcome
    // An earlier attempt has deleted the object, and its response was lost.
    if (request.method === 'DELETE' && wasLost && outcome.status === 404) {
      return { response: new Response(null, { status: 204 }), body: undefined }
    }
    if (outcome.status === 401 && !wasLost && !isRenewed) {
      isRenewed = true
      const renewed = await connection.key(key)
      if (renewed !== key) {
        key = renewed
        continue
      }
    }
    if (attempt >= connection.repeats || !isRepeatable(outcome, request, wasLost)) throw outcome
    wasLost ||= outcome.status === 0
    await pause(pauseOf(connection, outcome, attempt), request.signal)
  }
}

function isRepeatable(
  { status, code, retryAfterMs = 0 }: PostriderError,
  request: Outgoing,
  wasLost: boolean,
) {
  if (retryAfterMs > MAX_RETRY_AFTER_MS) return false
  // The repeat of a change that has happened would be refused, because the version of the object is another one.
  if (code === 'connection_failed' || code === 'timeout') return !('if-match' in request.headers)
  if (status === 429 || status === 503) return true
  const hasKey = 'idempotency-key' in request.headers
  // The service may still be busy with the attempt whose response was lost.
  if (status === 409) return hasKey && wasLost && code === 'conflict'
  return hasKey && status >= 500
}

/** Returns the pause before a repeat: the time that the service asked for, and a random part of a time that doubles. */
export function pauseOf(
  { pauseMs }: Pick<Connection, 'pauseMs'>,
  { retryAfterMs = 0 }: { readonly retryAfterMs?: number | undefined },
  attempt: number,
): number {
  const most = pauseMs * Math.min(2 ** attempt, MAX_DOUBLING)
  return retryAfterMs + most * (0.5 + Math.random() / 2)
}

/** Waits. Throws the reason of the signal. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** Makes one attempt; returns its failure. Throws the reason of the signal. */
async function attemptOnce(
  connection: Connection,
  { method, path, headers, body, signal, timeoutMs = connection.timeoutMs, isStream = false }: Outgoing,
  key: string,
): Promise<Answered | PostriderError> {
  signal?.throwIfAborted()
  const { origin } = new URL(connection.url)
  const ended = new AbortController()
  const onAbort = (): void => ended.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => ended.abort(), timeoutMs)
  try {
    const response = await connection.fetch(`${connection.url}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${key}` },
      // A redirect would lose the body, or show the key to another server.
      redirect: 'manual',
      signal: ended.signal,
      ...(body === undefined ? {} : { body: body as string }),
    })
    const read = await readResponse(response, isStream, origin)
    return read
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof PostriderError) return error
    if (!ended.signal.aborted) return ofConnection(error, origin)
    const message = `There is no complete response from ${origin} within ${timeoutMs / 1_000} s. Set a longer \`timeoutMs\`, or check the service.`
    return new PostriderError(message, { code: 'timeout', cause: error })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Reads a response. Throws the PostriderError of a refusal, and the error of an incomplete response. */
async function readResponse(response: Response, isStream: boolean, origin: string): Promise<Answered> {
  const { status, headers } = response
  const type = headers.get('content-type') ?? ''
  const isJson = /^application\/(problem\+)?json\b/i.test(type)
  const isForeign =
    isStream && status === 200 ? !/^text\/event-stream\b/i.test(type) : /^text\/html\b/i.test(type)
  const isRefusal = status >= 400
  if (status < 200 || isForeign || (status >= 300 && !isRefusal) || (isRefusal && !isJson)) {
    await response.body?.cancel().catch(() => {})
    throw ofStranger(response, origin)
  }
  if (isStream && status === 200) return { response, body: undefined }
  const bytes = await bytesOf(response, origin)
  if (!isJson) {
    if (status === 204) return { response, body: undefined }
    return { response, body: type.startsWith('text/') ? new TextDecoder().decode(bytes) : bytes }
  }
  // JSON that does not parse was cut off: the request is repeated.
  const body: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  if (!isRefusal) return { response, body }
  const isProblem = typeof body === 'object' && body !== null && 'code' in body && 'title' in body
  throw isProblem ? ofProblem({ ...(body as Problem), status }, headers) : ofStranger(response, origin)
}

async function bytesOf(response: Response, origin: string): Promise<Uint8Array> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = response.body?.getReader()
  for (;;) {
    const { value } = (await reader?.read()) ?? {}
    if (value === undefined) break
    length += value.length
    if (length > MAX_RESPONSE_BYTES) {
      await reader?.cancel().catch(() => {})
      const message = `The response from ${origin} is longer than ${MAX_RESPONSE_BYTES} bytes. Ask for a smaller part.`
      throw new PostriderError(message, { status: response.status, code: 'response_too_large' })
    }
    pieces.push(value)
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}
