// HTTP to the outside through one guard: it resolves the name, checks every address and connects to those it checked.

import { isIP, type LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
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
  /** Octets of the answer's body; one that is longer is a problem, or ends there. */
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
        dispatcher: this.#agentOf(undici.Agent),
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

  #agentOf(Maker: typeof Agent): Agent {
    this.#agent ??= new Maker({
      connect: { lookup: this.#lookup, timeout: CONNECT_MS },
      pipelining: 1,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
      maxHeaderSize: 16 * 1024,
    })
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

/** The body up to `most` octets, and whether it is longer; no more of it is read then. */
async function readBody(
  body: Dispatcher.ResponseData['body'],
  most: number,
): Promise<{ readonly body: Buffer; readonly longer: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop destroys the stream and its connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    chunks.push(chunk)
    if (size > most) break
  }
  return { body: Buffer.concat(chunks).subarray(0, most), longer: size > most }
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
  if (CERTIFICATE.test(code)) {
    return { problem: 'certificate', detail: `The certificate of the host does not verify (${code}).` }
  }
  if (/TIMEOUT|ETIMEDOUT/.test(code))
    return { problem: 'timeout', detail: 'The host did not answer in time.' }
  return { problem: 'connection', detail: `The host could not be asked (${code}).` }
}
