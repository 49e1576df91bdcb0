// HTTP to the outside through one guard: it resolves the name, checks every address and connects to those it checked.

import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import { findAddresses } from '../dns/mail-hosts.ts'
import type { DnsAnswer, Resolver } from '../dns/resolver.ts'
import { type AllowedNetworks, isSpecialUse } from '../dns/special-use.ts'
import type { Part } from '../lib/lifecycle.ts'
import { isLoopback } from '../lib/setting-kinds.ts'

export interface OutgoingHttpOptions {
  readonly resolver: Resolver
  /** Special-use networks that may be spoken to all the same. */
  readonly allowed: AllowedNetworks
  /** True where http URLs are requested as well; https alone unless told. */
  readonly plainHttp?: boolean | undefined
}

/** A request with its bounds. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** For all of it: name, connection, answer. */
  readonly timeoutMs: number
  /** Bytes of the answer's body; one that is longer is a problem, or ends there. */
  readonly mostOctets: number
  readonly longAnswer?: 'problem' | 'cut'
}

/** An answer. Redirects are not followed: a 3xx is an answer like any other. */
export interface HttpAnswer {
  readonly status: number
  /** Names in lower case; the first value of each. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Reason for having no answer. `forbidden`: neither the URL nor an address of its host may be contacted. */
export interface HttpProblem {
  readonly problem: 'forbidden' | 'dns' | 'connection' | 'certificate' | 'timeout' | 'too_large'
  /** A public sentence. */
  readonly detail: string
}

const CONNECT_MS = 10_000
/** Bytes that are read of a connection for one request: an answer of the largest body, in a frame of any shape. */
const MOST_ON_THE_WIRE = 1024 * 1024
const MAX_ADDRESSES = 8

let loaded: Promise<typeof import('undici')> | undefined

/** Loads the library with the first request: it takes 25 MB. Importing it anew would go through the loader each time. */
function loadUndici(): Promise<typeof import('undici')> {
  loaded ??= import('undici')
  return loaded
}

/** The one way by which this service asks other hosts over HTTP. */
export class OutgoingHttp implements Part {
  readonly name = 'outgoing HTTP'
  readonly #options: OutgoingHttpOptions
  #agent: Agent | undefined
  #stopped = false

  constructor(options: OutgoingHttpOptions) {
    this.#options = options
  }

  /** Asks, and never rejects for what the other side does. */
  async request(url: URL, options: OutgoingRequest): Promise<HttpAnswer | HttpProblem> {
    const forbidden = this.refusalOf(url)
    if (forbidden !== undefined) return { problem: 'forbidden', detail: forbidden }
    const { method, headers, body, timeoutMs, mostOctets, longAnswer } = options
    const undici = await loadUndici()
    if (this.#stopped) return { problem: 'connection', detail: 'The service is stopping.' }
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await undici.request(url, {
        dispatcher: this.#agentOf(undici),
        method,
        signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
      })
      const read = await readBody(answer.body, mostOctets)
      if (read.longer && longAnswer !== 'cut') {
        return { problem: 'too_large', detail: `The answer is longer than ${mostOctets} octets.` }
      }
      return { status: answer.statusCode, headers: firstValues(answer.headers), body: read.body }
    } catch (error) {
      if (signal.aborted)
        return { problem: 'timeout', detail: `There was no answer in ${timeoutMs / 1000} s.` }
      return problemOf(error as NodeJS.ErrnoException)
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#agent?.destroy()
  }

  #agentOf({ Agent: Maker, buildConnector: connectorWith }: typeof import('undici')): Agent {
    if (this.#agent === undefined) {
      // HTTP/1.1: a connection carries one request at a time, so that what comes over it is of that request.
      const connect = connectorWith({ allowH2: false, lookup: this.#lookup, timeout: CONNECT_MS })
      this.#agent = new Maker({
        connect: bounded(connect),
        allowH2: false,
        pipelining: 1,
        keepAliveTimeout: 4_000,
        keepAliveMaxTimeout: 30_000,
        maxHeaderSize: 16 * 1024,
      })
    }
    return this.#agent
  }

  /** Reason why this URL is refused wherever its name leads; undefined when it may be requested. */
  refusalOf(url: URL): string | undefined {
    const refused = refusedUrl(url, this.#options.plainHttp)
    if (refused !== undefined) return refused
    // Node looks no address up that stands in the URL itself.
    const address = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(address) !== 0 && isSpecialUse(address, this.#options.allowed)) return FORBIDDEN_ADDRESS
    return undefined
  }

  /** Stands in for the system's lookup, so that the addresses dialled are those that were checked. */
  readonly #lookup: LookupFunction = (hostname, lookupOptions, callback) => {
    void this.#find(hostname).then((answer) => {
      if (answer.kind !== 'found') {
        const code = answer.kind === 'failure' ? answer.code : 'ENOTFOUND'
        return callback(new LookupError('dns', `The name ${hostname} cannot be looked up (${code}).`), '')
      }
      const usable = answer.records.filter((address) => !isSpecialUse(address, this.#options.allowed))
      const [first] = usable
      if (first === undefined) return callback(new LookupError('forbidden', FORBIDDEN_ADDRESS), '')
      if (!lookupOptions.all) return callback(null, first, isIP(first))
      return callback(
        null,
        usable.slice(0, MAX_ADDRESSES).map((address) => ({ address, family: isIP(address) })),
      )
    })
  }

  /** RFC 6761 §6.3: names of this machine are not asked for. */
  #find(hostname: string): Promise<DnsAnswer<readonly string[]>> {
    if (isLoopback(hostname)) return Promise.resolve({ kind: 'found', records: ['127.0.0.1', '::1'] })
    return findAddresses(this.#options.resolver, hostname)
  }
}

/** Ports below it belong to other protocols, which a request must not be mistaken for: SMTP, for example. */
const MIN_PORT = 1_024

/** Reason why this URL is refused wherever its name leads; undefined when it may be requested. */
function refusedUrl(
  { protocol, port, username, password }: URL,
  plainHttp: boolean | undefined,
): string | undefined {
  if (protocol !== 'https:' && !(protocol === 'http:' && plainHttp)) {
    return `Only ${plainHttp ? 'http and ' : ''}https URLs are requested; give one.`
  }
  if (username !== '' || password !== '') return 'A URL with a user or password in it is not requested.'
  if (port !== '' && port !== '80' && port !== '443' && Number(port) < MIN_PORT) {
    return `Only the ports 80, 443 and those from ${MIN_PORT} on are requested.`
  }
  return undefined
}

const FORBIDDEN_ADDRESS = 'The host has only addresses of private or special use, which are not contacted.'

class LookupError extends Error {
  readonly problem: HttpProblem['problem']

  constructor(problem: HttpProblem['problem'], message: string) {
    super(message)
    this.problem = problem
  }
}

/**
 * Bounds what a host may send for a request, whatever it is: interim answers without end, extensions of chunks and
 * trailers are part of no body, and cost us as much as one.
 */
const bounded =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) =>
      error === null ? callback(null, boundedSocket(socket)) : callback(error, null),
    )

function boundedSocket<Connection extends Socket>(socket: Connection): Connection {
  let written = 0
  let before = 0
  socket.on('readable', () => {
    // Another request has been written since.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      before = socket.bytesRead
    }
    if (socket.bytesRead - before > MOST_ON_THE_WIRE) socket.destroy(new TooMuch())
  })
  return socket
}

class TooMuch extends Error {
  readonly code = 'TOO_MUCH'
}

/**
 * The body up to `most` bytes, and whether it is longer; no more of it is read then. Pieces are copied: a piece of one
 * byte holds all that was read with it.
 */
async function readBody(
  body: Dispatcher.ResponseData['body'],
  most: number,
): Promise<{ readonly body: Buffer; readonly longer: boolean }> {
  let read = Buffer.alloc(0)
  let size = 0
  // Leaving the loop destroys the stream and its connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const end = Math.min(most, size + chunk.length)
    if (end > read.length) {
      const larger = Buffer.alloc(Math.min(most, Math.max(end, 2 * read.length)))
      read.copy(larger)
      read = larger
    }
    chunk.copy(read, size, 0, end - size)
    if (size + chunk.length > most) return { body: read, longer: true }
    size = end
  }
  return { body: read.subarray(0, size), longer: false }
}

function firstValues(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const values: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined) values[name.toLowerCase()] = first
  }
  return values
}

const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_)/

function problemOf(error: NodeJS.ErrnoException): HttpProblem {
  if (error instanceof LookupError) return { problem: error.problem, detail: error.message }
  const code = error.code ?? error.name
  if (code === 'TOO_MUCH')
    return { problem: 'too_large', detail: `The host sent more than ${MOST_ON_THE_WIRE} octets.` }
  if (CERTIFICATE.test(code)) {
    return { problem: 'certificate', detail: `The certificate of the host does not verify (${code}).` }
  }
  if (/TIMEOUT|ETIMEDOUT/.test(code))
    return { problem: 'timeout', detail: 'The host did not answer in time.' }
  return { problem: 'connection', detail: `The host could not be asked (${code}).` }
}
