// A client of ACME (RFC 8555), which orders a certificate, from the account to the certificate chain.

import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { HttpAnswer, HttpProblem, OutgoingRequest } from '../outgoing-http/outgoing-http.ts'
import { NOT_REACHED } from '../store/node/order-state.ts'

/** The challenge types that this service can answer. */
export type ChallengeType = 'http-01' | 'tls-alpn-01'

/** The answer to a challenge, as the certificate authority expects it. */
export interface ChallengeAnswer {
  readonly type: ChallengeType
  /** Host name whose control is to be proved. */
  readonly name: string
  readonly token: string
  /** Key authorization of the challenge (RFC 8555 §8.1). */
  readonly keyAuthorization: string
}

/** Method of the outgoing HTTP client that the ACME client uses. */
interface AcmeHttp {
  request(url: URL, request: OutgoingRequest): Promise<HttpAnswer | HttpProblem>
}

export interface AcmeClientOptions {
  readonly directoryUrl: string
  /** Key of the ACME account: an EC key on P-256. */
  readonly accountKey: KeyObject
  readonly email: string
  readonly http: AcmeHttp
  /**
   * Maximum time for all requests of the client together, in milliseconds: an authority may name any number of
   * authorizations.
   */
  readonly mostMs: number
  /** Waits for this time; rejects when the node stops. */
  wait(ms: number): Promise<void>
}

export interface AcmeOrder {
  readonly names: readonly string[]
  readonly challenge: ChallengeType
  /** The certificate request, in DER. */
  readonly request: Buffer
  /** Identifier of the certificate that the new certificate replaces (RFC 9773 §5). */
  readonly replaces?: string | undefined
  /** Makes a challenge answer known to every node that the authority may reach. */
  answer(answer: ChallengeAnswer): Promise<void>
}

/** A refusal by the certificate authority, or a missing response. */
class AcmeError extends Error {
  /** Type of the problem document without the ACME prefix; empty without a problem document. */
  readonly type: string

  constructor(message: string, type = '') {
    super(message)
    this.type = type
  }
}

interface Directory {
  readonly newNonce: string
  readonly newAccount: string
  readonly newOrder: string
  readonly renewalInfo?: string
}

interface Problem {
  readonly type?: string
  readonly detail?: string
  readonly subproblems?: readonly Problem[]
}

/** Order object of RFC 8555 §7.1.3. */
interface Order {
  readonly status: string
  readonly authorizations: readonly string[]
  readonly finalize: string
  readonly certificate?: string
  readonly error?: Problem
}

/** Authorization object of RFC 8555 §7.1.4. */
interface Authorization {
  readonly status: string
  readonly identifier: { readonly value: string }
  readonly challenges: readonly {
    readonly type: string
    readonly url: string
    readonly token: string
    readonly error?: Problem
  }[]
}

interface Resource<T> {
  readonly url: string
  readonly body: T
  readonly retryAfterMs: number | undefined
}

const PREFIX = 'urn:ietf:params:acme:error:'
const USER_AGENT = 'Postrider'
const TIMEOUT_MS = 20_000
const MAX_BYTES = 256 * 1024
/**
 * Maximum number of polls of an undecided authorization or order; the wait between polls doubles from FIRST_WAIT_MS to
 * LAST_WAIT_MS.
 */
const MAX_POLLS = 20
const FIRST_WAIT_MS = 500
const LAST_WAIT_MS = 15_000
const MAX_TRIES_OF_NONCES = 3

export class AcmeClient {
  readonly #options: AcmeClientOptions
  readonly #jwk: object
  readonly #thumbprint: string
  #directory: Directory | undefined
  /** URL of the account, once known. */
  #account: string | undefined
  #nonce: string | undefined
  /** Deadline, in milliseconds of `performance.now()`. */
  readonly #endsAt: number

  constructor(options: AcmeClientOptions) {
    this.#options = options
    this.#endsAt = performance.now() + options.mostMs
    const { crv, kty, x, y } = createPublicKey(options.accountKey).export({ format: 'jwk' })
    // The thumbprint requires exactly these members in this order (RFC 7638 §3.2).
    this.#jwk = { crv, kty, x, y }
    this.#thumbprint = createHash('sha256').update(JSON.stringify(this.#jwk)).digest('base64url')
  }

  /** Orders a certificate. Returns the chain in PEM, the leaf first. Throws `AcmeError`. */
  async order(wanted: AcmeOrder): Promise<string> {
    await this.#openAccount()
    const { newOrder } = await this.#find()
    const identifiers = wanted.names.map((value) => ({ type: 'dns', value }))
    const order = await this.#placeOrder(newOrder, identifiers, wanted.replaces)
    for (const url of order.body.authorizations) await this.#authorize(url, wanted)
    const csr = wanted.request.toString('base64url')
    await this.#untilDecided<Order>(order.url, 'the order', ['ready', 'valid'])
    await this.#post(order.body.finalize, { csr })
    const done = await this.#untilDecided<Order>(order.url, 'the order', ['valid'])
    if (done.certificate === undefined) throw new AcmeError('the order is valid and has no certificate')
    const { text } = await this.#post<string>(done.certificate, '')
    return text
  }

  /**
   * Returns the period in which the authority wants a certificate to be renewed (RFC 9773 §4.2), in milliseconds since
   * the epoch; undefined if the authority names no period.
   */
  async renewalWindow(id: string): Promise<{ readonly start: number; readonly end: number } | undefined> {
    const { renewalInfo } = await this.#find()
    if (renewalInfo === undefined) return undefined
    const { body } = await this.#request<{ suggestedWindow?: { start: string; end: string } }>(
      `${renewalInfo}/${id}`,
      { method: 'GET' },
    )
    const { start = '', end = '' } = body.suggestedWindow ?? {}
    const window = { start: Date.parse(start), end: Date.parse(end) }
    return window.start <= window.end ? window : undefined
  }

  async #find(): Promise<Directory> {
    this.#directory ??= (await this.#request<Directory>(this.#options.directoryUrl, { method: 'GET' })).body
    for (const name of ['newNonce', 'newAccount', 'newOrder'] as const) {
      if (typeof this.#directory[name] !== 'string') throw new AcmeError(`its directory contains no ${name}`)
    }
    return this.#directory
  }

  /** Creates the account, or finds the account of the key (RFC 8555 §7.3). */
  async #openAccount(): Promise<void> {
    const { newAccount } = await this.#find()
    const contact = [`mailto:${this.#options.email}`]
    const { url } = await this.#post(newAccount, { termsOfServiceAgreed: true, contact })
    if (url === '') throw new AcmeError('it sent an account without a URL')
    this.#account = url
  }

  async #placeOrder(
    url: string,
    identifiers: readonly object[],
    replaces?: string,
  ): Promise<Resource<Order>> {
    try {
      return await this.#post<Order>(url, { identifiers, ...(replaces === undefined ? {} : { replaces }) })
    } catch (error) {
      // The order is repeated without `replaces`, because the old certificate may already have been replaced, or may be
      // from another authority (RFC 9773 §5).
      if (replaces === undefined || !(error instanceof AcmeError) || error.type === 'rateLimited') throw error
      return this.#post<Order>(url, { identifiers })
    }
  }

  async #authorize(url: string, { challenge: type, answer }: AcmeOrder): Promise<void> {
    const { body } = await this.#post<Authorization>(url, '')
    if (body.status === 'valid') return
    const name = body.identifier.value
    const challenge = body.challenges.find((one) => one.type === type)
    if (challenge === undefined) throw new AcmeError(`it offers no ${type} challenge for ${name}`)
    const { token } = challenge
    if (!/^[\w-]{22,200}$/.test(token)) throw new AcmeError(`its ${type} challenge for ${name} has no token`)
    await answer({ type, name, token, keyAuthorization: `${token}.${this.#thumbprint}` })
    await this.#post(challenge.url, {})
    await this.#untilDecided<Authorization>(url, `the authorization for ${name} by ${type}`, ['valid'])
  }

  /**
   * Polls until the status is one of `wanted`; throws if the authority decides on another status, or if the decision
   * takes too long.
   */
  async #untilDecided<T extends Order | Authorization>(
    url: string,
    what: string,
    wanted: readonly string[],
  ): Promise<T> {
    for (let poll = 0; poll < MAX_POLLS; poll++) {
      const { body, retryAfterMs = 0 } = await this.#post<T>(url, '')
      if (wanted.includes(body.status)) return body
      if (body.status !== 'pending' && body.status !== 'processing' && body.status !== 'ready') {
        throw new AcmeError(`${what} is ${body.status}${reasonOf(body)}`)
      }
      await this.#options.wait(Math.min(LAST_WAIT_MS, Math.max(retryAfterMs, FIRST_WAIT_MS * 2 ** poll)))
    }
    throw new AcmeError(`${what} was not decided in time`)
  }

  /** Posts a signed object (RFC 8555 §6.2); an empty payload reads a resource (§6.3). */
  async #post<T>(url: string, payload: object | ''): Promise<Resource<T> & { readonly text: string }> {
    for (let tries = 1; ; tries++) {
      const nonce = this.#nonce ?? (await this.#newNonce())
      this.#nonce = undefined
      try {
        return await this.#request<T>(url, {
          method: 'POST',
          headers: { 'content-type': 'application/jose+json' },
          body: this.#signed(url, nonce, payload),
        })
      } catch (error) {
        // The response to a bad nonce contains a fresh nonce (RFC 8555 §6.5).
        if (!(error instanceof AcmeError && error.type === 'badNonce') || tries >= MAX_TRIES_OF_NONCES)
          throw error
      }
    }
  }

  /** Returns the payload as a JWS (RFC 7515 §7.2.2), signed with ES256 (RFC 7518 §3.4). */
  #signed(url: string, nonce: string, payload: object | ''): string {
    const encoded = (value: object | ''): string =>
      Buffer.from(value === '' ? '' : JSON.stringify(value)).toString('base64url')
    const key = this.#account === undefined ? { jwk: this.#jwk } : { kid: this.#account }
    const head = encoded({ alg: 'ES256', nonce, url, ...key })
    const body = encoded(payload)
    const signature = sign('sha256', Buffer.from(`${head}.${body}`), {
      key: this.#options.accountKey,
      dsaEncoding: 'ieee-p1363',
    })
    return JSON.stringify({ protected: head, payload: body, signature: signature.toString('base64url') })
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.#find()
    await this.#request(newNonce, { method: 'GET' })
    if (this.#nonce === undefined) throw new AcmeError('it provides no nonces')
    return this.#nonce
  }

  /** Sends one request. Throws `AcmeError` for every response other than 2xx. */
  async #request<T>(
    url: string,
    request: Pick<OutgoingRequest, 'method' | 'headers' | 'body'>,
  ): Promise<Resource<T> & { readonly text: string }> {
    const leftMs = Math.floor(this.#endsAt - performance.now())
    if (leftMs <= 0) throw new AcmeError('the order took too long')
    const answer = await this.#options.http.request(urlOf(url), {
      ...request,
      headers: { ...request.headers, 'user-agent': USER_AGENT },
      timeoutMs: Math.min(TIMEOUT_MS, leftMs),
      maxBytes: MAX_BYTES,
    })
    if ('problem' in answer) throw new AcmeError(`${NOT_REACHED}: ${answer.detail}`)
    this.#nonce = answer.headers['replay-nonce'] ?? this.#nonce
    const text = answer.body.toString()
    const body = /json/.test(answer.headers['content-type'] ?? '') ? parsed(text) : {}
    if (answer.status < 200 || answer.status > 299) throw refusal(answer.status, body as Problem)
    const seconds = Number(answer.headers['retry-after'])
    return {
      url: answer.headers.location ?? '',
      body: body as T,
      text,
      retryAfterMs: seconds > 0 ? seconds * 1_000 : undefined,
    }
  }
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw new AcmeError(`${JSON.stringify(text).slice(0, 100)} is no URL`)
  return new URL(text)
}

function parsed(text: string): object {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {}
  throw new AcmeError('its answer is not JSON')
}

function refusal(status: number, problem: Problem): AcmeError {
  const { type = '', detail = '' } = problem
  const short = String(type).startsWith(PREFIX) ? type.slice(PREFIX.length) : ''
  return new AcmeError(
    `it answered ${status}${short && ` ${short}`}${detail && `: ${String(detail).slice(0, 500)}`}`,
    short,
  )
}

/** Returns the authority's description of a failure. */
function reasonOf(body: Order | Authorization): string {
  const errors = 'challenges' in body ? body.challenges.map(({ error }) => error) : [body.error]
  const detail = errors.find((error) => error?.detail !== undefined)?.detail
  return detail === undefined ? '' : `: ${String(detail).slice(0, 500)}`
}
