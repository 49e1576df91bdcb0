// Calls of the service's private API: JSON there and back, every refusal as a `ProblemError`.

import type { Static } from 'typebox'
import type { ProblemDocument } from '../src/api/contract/common.ts'
import { connection } from './connection.ts'
import { recentLogin } from './recent-login.ts'
import { common } from './texts/en/common.ts'
import { fill } from './texts/texts.ts'

export type Problem = Omit<Static<typeof ProblemDocument>, 'code'> & { readonly code: string }
export type FieldProblem = NonNullable<Problem['errors']>[number]

/** A failed call; its message is a sentence that can be shown. */
export class ProblemError extends Error {
  /** 0 when no answer came. */
  readonly status: number
  /** The code of the problem document; `connection_lost` when no answer came. */
  readonly code: string
  readonly errors: readonly FieldProblem[]
  readonly requestId: string | undefined
  /** The whole document, for members of its own such as `first_run`. */
  readonly document: Readonly<Record<string, unknown>>

  constructor(status: number, document: Pick<Problem, 'code' | 'detail'> & Partial<Problem>) {
    super(document.detail)
    this.status = status
    this.code = document.code
    this.errors = document.errors ?? []
    this.requestId = document.request_id
    this.document = document as object as Record<string, unknown>
  }

  /** Message for one field, to be shown beside it. */
  field(path: string): string | undefined {
    return this.errors.find((one) => one.path === path)?.message
  }
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface CallOptions {
  readonly query?: Query | undefined
  /** Sent as JSON; a text or a file as it is, with `type`. */
  readonly body?: object | string | Blob | undefined
  /** The media type of a text or a file. */
  readonly type?: string
  readonly signal?: AbortSignal | undefined
  /** Of a file that is put together anew each time; other POSTs have one by themselves. */
  readonly idempotencyKey?: string
}

/** An address with its parts encoded: path`/api/domains/${id}`. */
export const path = (texts: TemplateStringsArray, ...parts: readonly string[]): string =>
  texts.reduce((whole, text, index) => `${whole}${encodeURIComponent(parts[index - 1] ?? '')}${text}`)

/** The address with its query; what is undefined, null or empty is left out. */
export function withQuery(address: string, query: Query = {}): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return search === '' ? address : `${address}?${search}`
}

/** Changes that wait for their answer, by what they ask for: a second click asks for nothing new. */
const underWay = new Map<string, Promise<unknown>>()
/** Keys of the POSTs that may have been carried out: the same one sent again is known by its key, if the first one did arrive. */
const unanswered = new Map<string, { readonly key: string; readonly since: number }>()
const MAX_UNANSWERED = 50
/** What is asked for later than that is meant once more. */
const UNANSWERED_MS = 600_000

/**
 * Calls and answers the parsed JSON, a text where it is none, undefined for an empty answer. A change that is asked for
 * once more while it waits for its answer is the same change. POSTs carry an `Idempotency-Key`.
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

/** By which a body is known again: its text, or of a file that it is the same one, also where it was chosen once more. */
function nameOfBody(body: CallOptions['body']): string | undefined {
  if (!(body instanceof Blob)) return typeof body === 'string' ? body : JSON.stringify(body)
  if (body instanceof File) return `${body.lastModified} ${body.size} ${body.name}`
  const name = files.get(body) ?? newKey()
  files.set(body, name)
  return name
}

const files = new WeakMap<Blob, string>()

/** No answer came, or one that does not tell whether the request was carried out, such as that of a proxy which waited too long. */
const mayBeDone = (error: unknown): boolean =>
  error instanceof ProblemError && (error.status === 0 || error.status >= 500)

/** The one before, which the service has under this key, has not ended. */
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

/** `crypto.randomUUID` is not to be had where the page came by plain HTTP from another machine. */
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

/** Answers by their address, for as long as the page is open: what has not changed is not sent again. */
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

/** Error for a call without an answer; an abandoned call stays what it is. */
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
  // A proxy in between answers in words of its own.
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

/** A page of a list. */
export interface Page<Row> {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
}
