// Sends HTTP requests to other hosts through one guard, which resolves the host name, checks every address and connects
// only to permitted addresses.

import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import { findAddresses } from '../dns/mail-hosts.ts'
import type { DnsAnswer, Resolver } from '../dns/resolver.ts'
import { type AllowedNetworks, isSpecialUse } from '../dns/special-use.ts'
import type { Part } from '../lib/lifecycle.ts'
import { isLoopback } from '../lib/setting-kinds.ts'

export interface OutgoingHttpOptions {
  readonly resolver: Resolver
  /** Special-use networks that may be contacted. */
  readonly allowed: AllowedNetworks
  /** True if http URLs are permitted in addition to https URLs. */
  readonly plainHttp?: boolean | undefined
  /** Maximum number of bytes read from a connection for one request; `MOST_ON_THE_WIRE` by default. */
  readonly mostOnTheWire?: number | undefined
}

/** HTTP request with its limits. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Timeout of the whole request in milliseconds: DNS lookup, connection and response. */
  readonly timeoutMs: number
  /**
   * Maximum size of the response body in bytes; a longer body causes a problem or is truncated, depending on
   * `longAnswer`.
   */
  readonly maxBytes: number
  readonly longAnswer?: 'problem' | 'cut'
  /**
   * Asks for memory for a body of this size before the bytes are kept; if the result is false, the response counts as
   * too large.
   */
  readonly mayHold?: (bytes: number) => boolean
}

/** HTTP response. Redirects are not followed, so a 3xx response is returned like any other response. */
export interface HttpAnswer {
  readonly status: number
  /** Header fields by name in lower case; only the first value of each field. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Reason why there is no response; `forbidden` means that the URL, or every address of its host, must not be contacted.
 */
export interface HttpProblem {
  readonly problem: 'forbidden' | 'dns' | 'connection' | 'certificate' | 'timeout' | 'too_large'
  /** Description of the problem in a sentence for users. */
  readonly detail: string
}

const CONNECT_MS = 10_000
/** Default maximum number of bytes read from a connection for one request, enough for a small body in any framing. */
const MOST_ON_THE_WIRE = 1024 * 1024
const MAX_ADDRESSES = 8

let loaded: Promise<typeof import('undici')> | undefined

/**
 * Loads the undici library for the first request, because the library takes 25 MB. The promise is stored, because every
 * repeated import would go through the module loader.
 */
function loadUndici(): Promise<typeof import('undici')> {
  loaded ??= import('undici')
  return loaded
}

/** Client for all outgoing HTTP requests of this service. */
export class OutgoingHttp implements Part {
  readonly name = 'outgoing HTTP'
  readonly #options: OutgoingHttpOptions
  #agent: Agent | undefined
  #stopped = false

  constructor(options: OutgoingHttpOptions) {
    this.#options = options
  }

  /** Sends a request. Errors caused by the other host are returned as problems and never reject the promise. */
  async request(url: URL, options: OutgoingRequest): Promise<HttpAnswer | HttpProblem> {
    const forbidden = this.refusalOf(url)
    if (forbidden !== undefined) return { problem: 'forbidden', detail: forbidden }
    const { method, headers, body, timeoutMs, maxBytes, longAnswer, mayHold } = options
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
      const read = await readBody(answer.body, maxBytes, mayHold)
      if (read.longer && longAnswer !== 'cut') {
        return { problem: 'too_large', detail: `The answer is longer than ${maxBytes} bytes.` }
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
      // HTTP/2 is off, so that a connection carries one request at a time and all received bytes belong to this
      // request.
      const connect = connectorWith({ allowH2: false, lookup: this.#lookup, timeout: CONNECT_MS })
      this.#agent = new Maker({
        connect: bounded(connect, this.#options.mostOnTheWire ?? MOST_ON_THE_WIRE),
        allowH2: false,
        pipelining: 1,
        keepAliveTimeout: 4_000,
        keepAliveMaxTimeout: 30_000,
        maxHeaderSize: 16 * 1024,
      })
    }
    return this.#agent
  }

  /**
   * Returns the reason why a URL is refused regardless of the addresses of its host; undefined if the URL may be
   * requested.
   */
  refusalOf(url: URL): string | undefined {
    const refused = refusedUrl(url, this.#options.plainHttp)
    if (refused !== undefined) return refused
    // Node does not call the lookup function if the URL contains an IP address.
    const address = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(address) !== 0 && isSpecialUse(address, this.#options.allowed)) return FORBIDDEN_ADDRESS
    return undefined
  }

  /** Replaces the DNS lookup of the system, so that connections are only made to checked addresses. */
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

  /** Looks up the addresses of a host name. Names of the local machine are not looked up in the DNS (RFC 6761 §6.3). */
  #find(hostname: string): Promise<DnsAnswer<readonly string[]>> {
    if (isLoopback(hostname)) return Promise.resolve({ kind: 'found', records: ['127.0.0.1', '::1'] })
    return findAddresses(this.#options.resolver, hostname)
  }
}

/**
 * Lowest permitted port other than 80 and 443; lower ports belong to other protocols such as SMTP, and servers of these
 * protocols could misread a request.
 */
const MIN_PORT = 1_024

/**
 * Returns the reason why a URL is refused because of its scheme, port or credentials; undefined if the URL may be
 * requested.
 */
function refusedUrl(
  { protocol, port, username, password }: URL,
  plainHttp: boolean | undefined,
): string | undefined {
  if (protocol !== 'https:' && !(protocol === 'http:' && plainHttp)) {
    return `Only ${plainHttp ? 'http and ' : ''}https URLs are requested; give such a URL.`
  }
  if (username !== '' || password !== '') return 'A URL with a user name or password is not requested.'
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
 * Limits the bytes that a host may send for a request, because endless interim responses, chunk extensions and trailers
 * are not part of a body but cost as much.
 */
const bounded =
  (connect: buildConnector.connector, most: number): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) =>
      error === null ? callback(null, boundedSocket(socket, most)) : callback(error, null),
    )

function boundedSocket<Connection extends Socket>(socket: Connection, most: number): Connection {
  let written = 0
  let before = 0
  socket.on('readable', () => {
    // The socket has sent another request since the last count.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      before = socket.bytesRead
    }
    if (socket.bytesRead - before > most) socket.destroy(new TooMuch(most))
  })
  return socket
}

class TooMuch extends Error {
  readonly code = 'TOO_MUCH'

  constructor(most: number) {
    super(`The host sent more than ${most} bytes.`)
  }
}

/**
 * Returns the first `most` bytes of the body, and whether the body is longer. Stops reading after these bytes. Pieces
 * are copied, because a piece of one byte would keep the whole read buffer in memory.
 */
async function readBody(
  body: Dispatcher.ResponseData['body'],
  most: number,
  mayHold: (bytes: number) => boolean = () => true,
): Promise<{ readonly body: Buffer; readonly longer: boolean }> {
  let read = Buffer.alloc(0)
  let size = 0
  // The iterator destroys the stream and its connection if the loop ends early.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const end = Math.min(most, size + chunk.length)
    if (end > read.length) {
      const capacity = Math.min(most, Math.max(end, 2 * read.length))
      if (!mayHold(capacity)) return { body: read.subarray(0, size), longer: true }
      const larger = Buffer.alloc(capacity)
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
  if (code === 'TOO_MUCH') return { problem: 'too_large', detail: error.message }
  if (CERTIFICATE.test(code)) {
    return { problem: 'certificate', detail: `The certificate of the host cannot be verified (${code}).` }
  }
  if (/TIMEOUT|ETIMEDOUT/.test(code))
    return { problem: 'timeout', detail: 'The host did not answer in time.' }
  const sentence = CONNECTION_PROBLEMS.find(([codes]) => codes.test(code))?.[1] ?? 'The request failed'
  return { problem: 'connection', detail: `${sentence} (${code}).` }
}

/** Sentences for the codes of connection errors; the first match counts. */
const CONNECTION_PROBLEMS: readonly (readonly [codes: RegExp, sentence: string])[] = [
  [/^ECONNREFUSED$/, 'Connection refused: nothing listens on this port of the host'],
  [
    /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/,
    'The host closed the connection before its answer was complete',
  ],
  [/^(EHOSTUNREACH|EHOSTDOWN)$/, 'No route to the host'],
  [/^(ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'The network of the host is unreachable'],
  [/^(EPROTO|ERR_SSL_|ERR_TLS_)/, 'The TLS handshake with the host failed'],
  [
    /^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_)/,
    'The answer of the host is not valid HTTP',
  ],
]
