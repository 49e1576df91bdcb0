// The API as commands call it: the endpoints in this process on the store of the machine, or those of an installation
// elsewhere. Both are the same endpoints, so that each command is written once.

import { parseWritten } from '../lib/written-numbers.ts'
import { type FieldProblem, isProblemCode, Problem, type ProblemCode } from '../model/problem.ts'

/** Request to an endpoint. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with its query, such as `/v1/domains?limit=200`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Response of an endpoint. */
export interface ApiResponse {
  readonly status: number
  /** Media type with its parameters; empty without a body. */
  readonly type: string
  readonly body: string
  /** Time in milliseconds after which the client may repeat a refused request. */
  readonly waitMs?: number | undefined
  /** Cause of an internal error in this process. */
  readonly cause?: Error | undefined
}

/** Sends a request, and returns the response. Throws `unavailable` if there is no response. */
export type Transport = (request: ApiRequest) => Promise<ApiResponse>

type Values = Readonly<Record<string, string | number | undefined>>

/** Refusal of an installation elsewhere, whose request log has the ID of the request. */
export class RefusedElsewhere extends Problem {
  readonly requestId: string | undefined

  constructor(code: ProblemCode, detail: string, errors: readonly FieldProblem[], requestId?: string) {
    super(code, detail, { errors })
    this.requestId = requestId
  }
}

/** Maximum number of items of a page, which is the maximum of the endpoints. */
const PAGE = 200

/** Calls the endpoints. Every method throws `Problem` for a refusal. */
export class Api {
  readonly #transport: Transport
  /** Name of the installation in messages, such as `https://mail.example.com`; undefined on the machine itself. */
  readonly at: string | undefined

  constructor(transport: Transport, at?: string) {
    this.#transport = transport
    this.at = at
  }

  get<T>(path: string, query: Values = {}): Promise<T> {
    return this.#send('GET', path, query, undefined)
  }

  post<T>(path: string, body?: object, query: Values = {}): Promise<T> {
    return this.#send('POST', path, query, body)
  }

  put<T>(path: string, body: object, query: Values = {}): Promise<T> {
    return this.#send('PUT', path, query, body)
  }

  patch<T>(path: string, body: object): Promise<T> {
    return this.#send('PATCH', path, {}, body)
  }

  delete(path: string, query: Values = {}): Promise<void> {
    return this.#send('DELETE', path, query, undefined)
  }

  /** Returns a response that is text of this media type. */
  async text(path: string, type: string, query: Values = {}): Promise<string> {
    const { body } = await this.#exchange('GET', path, query, { accept: type }, undefined, type)
    return body
  }

  /** Sends a CSV. */
  async postCsv<T>(path: string, csv: string, query: Values = {}): Promise<T> {
    const headers = { 'content-type': 'text/csv; charset=utf-8' }
    const { body } = await this.#exchange('POST', path, query, headers, csv)
    return documentIn(body)
  }

  /** Returns the items of all pages of a list, at most `most` items. */
  async list<T>(path: string, query: Values = {}, most = Number.POSITIVE_INFINITY): Promise<T[]> {
    const found: T[] = []
    for await (const one of this.pages<T>(path, query, most)) found.push(...one)
    return found
  }

  /** Yields the pages of a list, with at most `most` items together. */
  async *pages<T>(path: string, query: Values = {}, most = Number.POSITIVE_INFINITY): AsyncGenerator<T[]> {
    let count = 0
    for (let cursor: string | undefined; count < most; ) {
      const limit = Math.min(PAGE, most - count)
      const page = await this.get<Page<T>>(path, { ...query, limit, cursor })
      count += page.data.length
      yield page.data
      // The cursor of a hostile or broken list that repeats would never end.
      if (page.next_cursor === null || page.next_cursor === cursor) return
      cursor = page.next_cursor
    }
  }

  async #send<T>(
    method: ApiRequest['method'],
    path: string,
    query: Values,
    body: object | undefined,
  ): Promise<T> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const written = body === undefined ? undefined : JSON.stringify(body)
    const answer = await this.#exchange(method, path, query, headers, written)
    return documentIn(answer.body)
  }

  async #exchange(
    method: ApiRequest['method'],
    path: string,
    query: Values,
    headers: ApiRequest['headers'],
    body: string | undefined,
    type = 'application/json',
  ): Promise<ApiResponse> {
    const answer = await this.#transport({ method, path: withQuery(path, query), headers, body })
    if (answer.cause !== undefined && !(answer.cause instanceof Problem)) throw answer.cause
    const isText = answer.type.startsWith(type)
    if (answer.status >= 400) throw this.#refusal(answer)
    if (answer.status === 204 || (answer.status >= 200 && answer.status < 300 && isText)) return answer
    throw this.#otherAnswer(answer)
  }

  #refusal(answer: ApiResponse): Problem {
    const document = answer.type.startsWith('application/problem+json') ? problemIn(answer.body) : undefined
    if (document === undefined) return this.#otherAnswer(answer)
    const { code, errors, request_id } = document
    const wait =
      answer.waitMs === undefined ? '' : ` Try again in ${Math.ceil(answer.waitMs / 1_000)} seconds.`
    const detail = document.detail + wait
    return new RefusedElsewhere(code, detail, errors, this.at === undefined ? undefined : request_id)
  }

  /** Returns the problem of an answer that is none of the API. */
  #otherAnswer({ status, type }: ApiResponse): Problem {
    const [media = ''] = type.split(';')
    const what = media === '' ? 'without a body' : `with ${media} instead of JSON`
    const hint =
      status === 429
        ? 'too many requests were sent; try again later'
        : 'the URL is not that of an installation, or a proxy in front of the installation answers; check the URL, and the log of the proxy'
    return new Problem('unavailable', `${this.at} answers with status ${status} ${what}: ${hint}.`)
  }
}

interface Page<T> {
  readonly data: T[]
  readonly next_cursor: string | null
}

/** Returns the parsed document of a response; undefined without a body. */
function documentIn<T>(body: string): T {
  try {
    return (body === '' ? undefined : parseWritten(body)) as T
  } catch (error) {
    throw new Problem('unavailable', `The answer is not JSON: ${(error as Error).message.slice(0, 200)}.`)
  }
}

/** Returns the fields of a problem document (RFC 9457); undefined if the text is none. */
function problemIn(body: string) {
  let document: unknown
  try {
    document = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof document !== 'object' || document === null) return undefined
  const { code, detail, errors = [], request_id } = document as Readonly<Record<string, unknown>>
  if (typeof detail !== 'string' || !Array.isArray(errors)) return undefined
  return {
    // An installation of a later version may have further codes.
    code: typeof code === 'string' && isProblemCode(code) ? code : ('unavailable' as const),
    detail,
    errors: errors as FieldProblem[],
    request_id: typeof request_id === 'string' ? request_id : undefined,
  }
}

/** Returns a path with a query, without undefined parameters. */
function withQuery(path: string, query: Values): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/** Returns a path of constant parts and names, which are percent-encoded. */
export const pathOf = (parts: TemplateStringsArray, ...names: readonly string[]): string =>
  parts.reduce((path, part, index) => `${path}${encodeURIComponent(names[index - 1] ?? '')}${part}`)
