// Calls of the service's private API: JSON there and back, every refusal as a `ProblemError`.

import type { Static } from 'typebox'
import type { ProblemDocument } from '../src/api/contract/common.ts'
import { connection } from './connection.ts'
import { recentLogin } from './recent-login.ts'

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

/** Calls and answers the parsed JSON, a text where it is none, undefined for an empty answer. */
export async function call<Answer>(
  method: string,
  address: string,
  options: CallOptions = {},
): Promise<Answer> {
  let response = await ask(method, address, options)
  let problem = response.ok ? undefined : await problemOf(response)
  if (problem?.code === 'recent_login_required' && (await recentLogin.ask())) {
    response = await ask(method, address, options)
    problem = response.ok ? undefined : await problemOf(response)
  }
  if (problem !== undefined) throw problem
  const json = response.headers.get('content-type')?.includes('json') ?? false
  const text = await response.text().catch((error: unknown) => {
    throw lost(error)
  })
  return (json ? JSON.parse(text) : text === '' ? undefined : text) as Answer
}

function ask(method: string, address: string, options: CallOptions): Promise<Response> {
  const { query, body, type = 'application/json', signal } = options
  return reach(withQuery(address, query), {
    method,
    ...(body === undefined
      ? {}
      : {
          headers: { 'content-type': type },
          body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
        }),
    signal: signal ?? null,
  })
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
    detail: 'The service could not be reached. Your input is kept; try again in a moment.',
  })
}

async function problemOf(response: Response): Promise<ProblemError> {
  const document = await response.json().catch(() => undefined)
  if (typeof document?.code === 'string') return new ProblemError(response.status, document)
  // A proxy in between answers in words of its own.
  return new ProblemError(response.status, {
    code: 'unexpected_answer',
    detail: `The service answered with status ${response.status}. Try again in a moment.`,
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
