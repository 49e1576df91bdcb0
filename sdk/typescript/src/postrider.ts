// The client: the nouns of the API as properties, for one key, one domain of it, or an account of the installation.

import { EventStream, QUIET_MS } from './event-stream.ts'
import { Nouns, nounsOf, OPERATIONS, type Operation, VERSION } from './generated/nouns.ts'
import type { AccountKeyRequest } from './generated/types.ts'
import { Listing, type Page } from './listing.ts'
import { type Answered, type Connection, type Outgoing, type RequestOptions, send } from './request.ts'

/** Options of a client. */
export interface PostriderOptions {
  /** Address of the service without `/v1`, such as `https://mail.example.com`. */
  readonly url: string
  /** A key of any kind. A web page may use public keys only. */
  readonly key: string
  /** Maximum time of each attempt in milliseconds; 60,000 by default. A `wait` of a request is added. */
  readonly timeoutMs?: number
  /** How often a request is repeated after a lost connection or status 429 or 503; 3 by default. */
  readonly repeats?: number
  /** First pause before a repeat in milliseconds, doubled for each further repeat; 500 by default. */
  readonly pauseMs?: number
  /** Replaces the `fetch` of the runtime, for a proxy or own certificates. */
  readonly fetch?: typeof fetch
}

/** Options of a client for an account; by default the key gives all scopes that the calling key may give. */
export type AccountOptions = Partial<Omit<AccountKeyRequest, 'expires_at'>>

const TIMEOUT_MS = 60_000
const REPEATS = 3
const PAUSE_MS = 500

/** Part of the life of a key after which the next call mints a new one. */
const RENEW_AFTER = 0.8

/** Header fields of responses, by the object that a call has returned. */
const headersByObject = new WeakMap<object, Headers>()

/**
 * Returns the header fields of the response from which an object comes, such as `etag` for `ifMatch`, `x-request-id` and
 * `ratelimit`; undefined for any other object.
 */
export const headersOf = (object: object): Headers | undefined => headersByObject.get(object)

/** A client of the API. Each operation is a method, named as in the API reference: `postrider.messages.send(…)`. */
export class Postrider extends Nouns {
  readonly #connection: Connection

  /** @throws TypeError for an address or a key that cannot be used */
  constructor(options: PostriderOptions) {
    super()
    const derived = DERIVED.get(options)
    this.#connection = derived?.connection ?? connectionOf(options)
    const { domain } = derived ?? {}
    Object.assign(
      this,
      nounsOf((operation, args) => call(this.#connection, domain, operation, args)),
    )
  }

  /** Returns a client whose calls name a domain with `?domain=`, for a key of several domains. */
  domain(name: string): Postrider {
    return derive(this.#connection, name)
  }

  /**
   * Returns a client for another account of the installation. The client mints a key of the account that is valid for an
   * hour, and renews it. This client needs a key with the scope `accounts:write`.
   */
  forAccount(account_id: string, options: AccountOptions = {}): Postrider {
    const mint = async () => {
      const grants = async () => (await this.key.get()).grants
      const scopes =
        options.scopes ?? (await grants()).filter((scope) => !/^(accounts|operator):/.test(scope))
      return this.accounts.createKey(account_id, { name: '@postrider/sdk', ...options, scopes })
    }
    return derive({ ...this.#connection, key: mintedKey(mint) })
  }
}

/** Connections of clients that other clients have made, by the options that the constructor gets. */
const DERIVED = new WeakMap<PostriderOptions, { readonly connection: Connection; readonly domain?: string }>()

function derive(connection: Connection, domain?: string): Postrider {
  const options = { url: '', key: '' }
  DERIVED.set(options, domain === undefined ? { connection } : { connection, domain })
  return new Postrider(options)
}

function connectionOf(options: PostriderOptions): Connection {
  const { key, timeoutMs = TIMEOUT_MS, repeats = REPEATS, pauseMs = PAUSE_MS } = options
  const { protocol, href, username, search, hash } = new URL(options.url)
  const url = href.replace(/\/+$/, '')
  if (!/^https?:$/.test(protocol) || username !== '' || search !== '' || hash !== '' || /\/v1$/.test(url)) {
    throw new TypeError(
      'url is the address of the service, such as https://mail.example.com, without /v1, user, query and fragment.',
    )
  }
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key)) {
    throw new TypeError('key is a key such as send_…, without spaces and line breaks.')
  }
  if (isWebPage() && !key.startsWith('public_')) {
    throw new TypeError('A web page shows its key to every visitor: use a public key (public_…) there.')
  }
  // The method is called without its object, which browsers refuse.
  const fetcher: typeof fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  return { url, key: async () => key, fetch: fetcher, timeoutMs, repeats, pauseMs }
}

/** True in a web page, where other sites may not set every header field. */
const isWebPage = (): boolean => 'document' in globalThis

/** Returns the `key` function of a connection that mints its keys, and shares a key among all calls. */
function mintedKey(
  mint: () => Promise<{
    readonly key: string
    readonly created_at: string
    readonly expires_at: string | null
  }>,
): Connection['key'] {
  let current: Promise<{ readonly key: string; readonly renewAt: number }> | undefined
  const minted = async () => {
    const { key, created_at, expires_at } = await mint()
    // Both times are from the clock of the service.
    const lifeMs =
      expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - Date.parse(created_at)
    return { key, renewAt: performance.now() + lifeMs * RENEW_AFTER }
  }
  return async (refused) => {
    for (;;) {
      const before = current
      const held = await before?.catch(() => undefined)
      if (held !== undefined && held.key !== refused && performance.now() < held.renewAt) return held.key
      // The first of all waiting calls mints a key, and the others wait for this key.
      if (current === before) {
        current = minted()
        return (await current).key
      }
    }
  }
}

/** Options of a call beside the query. */
interface CallOptions extends RequestOptions {
  readonly idempotencyKey?: string
  readonly ifMatch?: string
  readonly contentType?: string
}

function call(
  connection: Connection,
  domain: string | undefined,
  operation: Operation,
  args: readonly unknown[],
) {
  const rest = [...args]
  const path = operation.url.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, rest.shift()))
  const { body, headers } =
    operation.body === undefined ? { headers: {} } : encoded(rest.shift(), operation.body)
  const options = (rest.shift() ?? {}) as CallOptions & Readonly<Record<string, unknown>>
  const { signal, timeoutMs, idempotencyKey, ifMatch, contentType, ...query } = options
  const request = (more: Readonly<Record<string, unknown>> = {}): Outgoing => ({
    method: operation.method,
    path: `${path}${queryOf({ ...(operation.ofDomain ? { domain } : {}), ...query, ...more })}`,
    headers: {
      ...(isWebPage() ? {} : { 'user-agent': `postrider-sdk/${VERSION}` }),
      ...headers,
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(operation.method === 'POST' ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    },
    body,
    signal,
    timeoutMs: (timeoutMs ?? connection.timeoutMs) + waitMs(query.wait ?? query.timeout),
  })
  if (operation.answer === 'events') {
    const open = async (position: string | undefined, repeats = connection.repeats): Promise<Response> => {
      const one = request(position === undefined ? {} : { cursor: position })
      const quiet = { ...one, isStream: true, timeoutMs: timeoutMs ?? QUIET_MS }
      return (await send({ ...connection, repeats }, quiet)).response
    }
    return new EventStream(open, { signal, timeoutMs, pauseMs: connection.pauseMs })
  }
  const isTable = query.format !== undefined && query.format !== 'json'
  if (operation.answer === 'list' && !isTable) {
    const page = async (cursor: string | undefined) => {
      const answer = await send(connection, request(cursor === undefined ? {} : { cursor }))
      return kept(answer) as Page<unknown>
    }
    return new Listing(page, query.cursor as string | undefined)
  }
  return send(connection, request()).then(kept)
}

/** Returns the body of a response, and keeps its header fields for `headersOf`. */
function kept({ response, body }: Answered): unknown {
  if (typeof body === 'object' && body !== null) headersByObject.set(body, response.headers)
  return body
}

/** Returns a value as a segment of a path. Throws TypeError for a value that would change the path. */
function segment(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (text === '' || text === '.' || text === '..') {
    throw new TypeError(`${name} is missing: give its value as an argument.`)
  }
  return encodeURIComponent(text)
}

function queryOf(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [value].flat().map((one) => [name, String(one)]),
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** Returns the time that a request asks the service to wait, such as `60s`, in milliseconds. */
const waitMs = (wait: unknown): number =>
  typeof wait === 'string' && /^\d{1,4}s$/.test(wait) ? Number.parseInt(wait, 10) * 1_000 : 0

const JSON_TYPE = 'application/json'
const LINES_TYPE = 'application/x-ndjson'

/** Returns a body for one of the media types of the operation: an object as JSON, a text or bytes unchanged. */
function encoded(body: unknown, types: readonly string[]): Pick<Outgoing, 'body' | 'headers'> {
  if (body === undefined) return { headers: {} }
  const other = types.find((type) => type !== JSON_TYPE)
  const isFile = typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob
  if (isFile && other !== undefined) return { body, headers: { 'content-type': other } }
  if (Array.isArray(body) && !types.includes(JSON_TYPE) && types.includes(LINES_TYPE)) {
    const lines = body.map((row) => `${JSON.stringify(row)}\n`)
    return { body: lines.join(''), headers: { 'content-type': LINES_TYPE } }
  }
  return { body: JSON.stringify(body), headers: { 'content-type': JSON_TYPE } }
}

/** Returns the IDs of all operations, as in the OpenAPI document. */
export const operationIds = (): readonly string[] => Object.keys(OPERATIONS)
