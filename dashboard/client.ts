// Calls of the private API of the service: requests and responses are JSON, and every refusal becomes a `ProblemError`.

import type { Static } from 'typebox'
import type { ProblemDocument } from '../src/api/contract/common.ts'
import { connection } from './connection.ts'
import { recentLogin } from './recent-login.ts'
import { common } from './texts/en/common.ts'
import { fill } from './texts/texts.ts'

export type Problem = Omit<Static<typeof ProblemDocument>, 'code'> & { readonly code: string }
export type FieldProblem = NonNullable<Problem['errors']>[number]

/** A failed call; the message is a sentence that a page can show. */
export class ProblemError extends Error {
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  /** Code of the problem document; `connection_lost` if there was no response. */
  readonly code: string
  readonly errors: readonly FieldProblem[]
  readonly requestId: string | undefined
  /** The whole problem document, for extension members such as `first_run`. */
  readonly document: Readonly<Record<string, unknown>>

  constructor(status: number, document: Pick<Problem, 'code' | 'detail'> & Partial<Problem>) {
    super(document.detail)
    this.status = status
    this.code = document.code
    this.errors = document.errors ?? []
    this.requestId = document.request_id
    this.document = document as object as Record<string, unknown>
  }

  /** Returns the message for one field, which the page shows next to the field. */
  field(path: string): string | undefined {
    return this.errors.find((one) => one.path === path)?.message
  }
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface CallOptions {
  readonly query?: Query | undefined
  /** Request body: an object is sent as JSON; a string or a file is sent unchanged, with the media type `type`. */
  readonly body?: object | string | Blob | undefined
  /** Media type of a string or a file. */
  readonly type?: string
  readonly signal?: AbortSignal | undefined
  /** Idempotency key for a file that is created again for each call; other POST requests get a key automatically. */
  readonly idempotencyKey?: string
}

/** Template tag that returns a path with encoded parts: path`/api/domains/${id}`. */
export const path = (texts: TemplateStringsArray, ...parts: readonly string[]): string =>
  texts.reduce((whole, text, index) => `${whole}${encodeURIComponent(parts[index - 1] ?? '')}${text}`)

/** Returns the path with its query; values that are undefined, null or empty are left out. */
export function withQuery(address: string, query: Query = {}): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return search === '' ? address : `${address}?${search}`
}

/** Pending changes, by request; a second click sends no new request. */
const underWay = new Map<string, Promise<unknown>>()
/**
 * Idempotency keys of POST requests without a response. A repeated request uses the same key, so that the service
 * recognises the repetition if the first request has arrived.
 */
const unanswered = new Map<string, { readonly key: string; readonly since: number }>()
const MAX_UNANSWERED = 50
/** Time after which an equal request counts as a new request, in milliseconds. */
const UNANSWERED_MS = 600_000

/**
 * Calls the API and returns the parsed JSON, the text of another response, or undefined for an empty response. A change
 * that is requested again while its response is pending is sent only once. POST requests carry an `Idempotency-Key`.
 */
export function call<Answer>(method: string, address: string, options: CallOptions = {}): Promise<Answer> {
  const { body, query, signal } = options
  if (method === 'GET' || signal !== undefined) return send(method, address, options)
  const asked = `${method} ${withQuery(address, query)} ${nameOfBody(body)}`
  const same = underWay.get(asked) as Promise<Answer> | undefined
  if (same !== undefined) return same
  const before = takeUnanswered(asked)
  const key = method === 'POST' ? (options.idempotencyKey ?? before?.key ?? newKey()) : undefined
  const answer = send<Answer>(method, address, options, key)
    .catch((error: unknown) => {
      const isUnknown = mayBeDone(error) || (before !== undefined && isUnderWay(error))
      if (key !== undefined && isUnknown) keepUnanswered(asked, before ?? { key, since: performance.now() })
      throw error
    })
    .finally(() => underWay.delete(asked))
  underWay.set(asked, answer)
  return answer
}

/**
 * Returns a name that is equal for equal request bodies: the text, or a name of the file that stays the same when the
 * user selects the file again.
 */
function nameOfBody(body: CallOptions['body']): string | undefined {
  if (!(body instanceof Blob)) return typeof body === 'string' ? body : JSON.stringify(body)
  if (body instanceof File) return `${body.lastModified} ${body.size} ${body.name}`
  const name = files.get(body) ?? newKey()
  files.set(body, name)
  return name
}

const files = new WeakMap<Blob, string>()

/**
 * True if the service may have carried out the request: there was no response, or an error such as the timeout of a
 * proxy.
 */
const mayBeDone = (error: unknown): boolean =>
  error instanceof ProblemError && (error.status === 0 || error.status >= 500)

/** True if an earlier request with this idempotency key is still in progress. */
const isUnderWay = (error: unknown): boolean => error instanceof ProblemError && error.code === 'conflict'

function takeUnanswered(asked: string): { key: string; since: number } | undefined {
  const before = unanswered.get(asked)
  unanswered.delete(asked)
  return before && performance.now() - before.since < UNANSWERED_MS ? before : undefined
}

function keepUnanswered(asked: string, kept: { readonly key: string; readonly since: number }): void {
  unanswered.set(asked, kept)
  if (unanswered.size > MAX_UNANSWERED) unanswered.delete([...unanswered.keys()][0] as string)
}

/**
 * Returns a random key; `crypto.randomUUID` does not exist on a page that was loaded by plain HTTP from another
 * machine.
 */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (octet) => octet.toString(16).padStart(2, '0')).join(
    '',
  )

async function send<Answer>(
  method: string,
  address: string,
  options: CallOptions,
  idempotencyKey?: string,
): Promise<Answer> {
  const before = method === 'GET' ? answers.get(withQuery(address, options.query)) : undefined
  const ask = (): Promise<Response> => request(method, address, options, idempotencyKey, before?.etag)
  let response = await ask()
  if (before !== undefined && response.status === 304) return before.answer as Answer
  let problem = response.ok ? undefined : await problemOf(response)
  if (problem?.code === 'recent_login_required' && (await recentLogin.ask())) {
    response = await ask()
    problem = response.ok ? undefined : await problemOf(response)
  }
  if (problem !== undefined) throw problem
  const json = response.headers.get('content-type')?.includes('json') ?? false
  const text = await response.text().catch((error: unknown) => {
    throw lost(error)
  })
  const answer = (json ? JSON.parse(text) : text === '' ? undefined : text) as Answer
  const etag = response.headers.get('etag')
  if (method === 'GET' && etag !== null) keepAnswer(withQuery(address, options.query), { etag, answer })
  return answer
}

/**
 * Responses with their ETag by URL, for the lifetime of the page, so that the service need not send an unchanged
 * response again.
 */
const answers = new Map<string, { readonly etag: string; readonly answer: unknown }>()
const MAX_ANSWERS = 50

function keepAnswer(address: string, kept: { readonly etag: string; readonly answer: unknown }): void {
  answers.delete(address)
  answers.set(address, kept)
  if (answers.size > MAX_ANSWERS) answers.delete([...answers.keys()][0] as string)
}

function request(
  method: string,
  address: string,
  { query, body, type = 'application/json', signal }: CallOptions,
  idempotencyKey: string | undefined,
  etag: string | undefined,
): Promise<Response> {
  const headers: Record<string, string> = {}
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
  if (etag !== undefined) headers['if-none-match'] = etag
  if (body !== undefined) headers['content-type'] = type
  const sent = typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body)
  return reach(withQuery(address, query), { method, headers, body: sent ?? null, signal: signal ?? null })
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, { ...init, credentials: 'same-origin', cache: 'no-store' })
    connection.set('up')
    return response
  } catch (error) {
    throw lost(error)
  }
}

/** Returns the error for a call without a response; the error of an aborted call stays unchanged. */
function lost(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'AbortError') return error
  connection.set('down')
  return new ProblemError(0, {
    code: 'connection_lost',
    detail: common.problem.unreachable,
  })
}

async function problemOf(response: Response): Promise<ProblemError> {
  const document = await response.json().catch(() => undefined)
  if (typeof document?.code === 'string') return new ProblemError(response.status, document)
  // A proxy may send an error page of its own.
  return new ProblemError(response.status, {
    code: 'unexpected_answer',
    detail: fill(common.problem.unexpected, { status: String(response.status) }),
  })
}

export const get = <Answer>(address: string, query?: Query, signal?: AbortSignal): Promise<Answer> =>
  call('GET', address, { query, signal })

export const post = <Answer>(address: string, body?: object, query?: Query): Promise<Answer> =>
  call('POST', address, { body, query })

export const put = <Answer>(address: string, body: object): Promise<Answer> => call('PUT', address, { body })

export const patch = <Answer>(address: string, body: object): Promise<Answer> =>
  call('PATCH', address, { body })

export const remove = <Answer>(address: string, body?: object, query?: Query): Promise<Answer> =>
  call('DELETE', address, { body, query })

/** A page of a list that the API returns. */
export interface Page<Row> {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
}
