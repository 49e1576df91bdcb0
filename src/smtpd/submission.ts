// The submission server: SMTP at port 587 with STARTTLS, and optionally with implicit TLS at port 465.

import type { CredentialRates } from '../access/credential-rates.ts'
import type { Credentials } from '../access/credentials.ts'
import type { TlsSource } from '../certificates/tls-source.ts'
import type { Clock } from '../lib/clock.ts'
import { CONTENT_BYTES, ContentMemory } from '../lib/content-memory.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { ProxyProtocol } from '../lib/proxy-protocol.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import type { Address } from '../model/address.ts'
import type { Submission } from '../submission/submit.ts'
import { Authenticator } from './authenticate.ts'
import { ConnectionSlots } from './connection-slots.ts'
import { DEFAULT_LIMITS, type SmtpLimits } from './limits.ts'
import { Listener, type ListeningPlace } from './listener.ts'
import type { Client } from './listener-rules.ts'
import { Mending } from './mending.ts'
import { SubmissionRules, type SubmissionSettings } from './submission-rules.ts'

export interface SubmissionServerOptions extends ListeningPlace {
  /** The port with STARTTLS; 0 takes any free port. */
  readonly port: number
  /** The port with implicit TLS; the port is not opened if undefined. */
  readonly tlsPort?: number | undefined
  /** The name of this installation in the greeting. */
  readonly hostName: string
  readonly tls: TlsSource
  /** Reads the PROXY protocol headers of load balancers; absent without load balancers. */
  readonly proxyProtocol?: ProxyProtocol | undefined
  readonly credentials: Credentials
  readonly rates: CredentialRates
  readonly submission: Submission
  readonly clock: Clock
  readonly log: Log
  readonly maxMessageBytes: number
  /** Rate limit of failed logins from one client network. */
  readonly authFailureRate: Rate
  readonly limits?: Partial<SmtpLimits>
  /** Counts failed logins by client network. */
  readonly failures?: RateLimiter
  /** Memory for the messages that are being received. */
  readonly memory?: ContentMemory
  /** Log of the refusals; absent if refusals are not kept. */
  readonly requestLog?: SubmissionSettings['requestLog']
}

/** Accepts messages by SMTP from clients with a credential (RFC 6409). */
export class SubmissionServer implements Part {
  readonly name = 'SMTP submission'
  readonly #options: SubmissionServerOptions
  readonly #startTls: Listener<Address, Address>
  readonly #implicitTls: Listener<Address, Address> | undefined
  readonly #mending = new Mending()

  constructor(options: SubmissionServerOptions) {
    this.#options = options
    const { clock, log, hostName, tls, maxMessageBytes, submission, proxyProtocol } = options
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    const settings: SubmissionSettings = {
      memory: options.memory ?? new ContentMemory(CONTENT_BYTES.submission(options)),
      authenticator: new Authenticator({ ...options, failures: options.failures ?? new RateLimiter() }),
      limits,
      maxMessageBytes,
      submission,
      mending: this.#mending,
      hostName,
      clock,
      log,
      requestLog: options.requestLog,
    }
    const slots = new ConnectionSlots(limits, clock)
    const rulesFor = (client: Client): SubmissionRules => new SubmissionRules(settings, client)
    const listener = (implicitTls: boolean) =>
      new Listener({ implicitTls, tls, slots, settings, rulesFor, proxyProtocol })
    this.#startTls = listener(false)
    this.#implicitTls = options.tlsPort === undefined ? undefined : listener(true)
  }

  /** Returns the port with STARTTLS; known after the start. */
  get port(): number {
    return this.#startTls.port
  }

  /** Returns the port with implicit TLS, known after the start; undefined if the port is not opened. */
  get tlsPort(): number | undefined {
    return this.#implicitTls?.port
  }

  /** Throws if a port cannot be opened; neither port is open in this case. */
  async start(): Promise<void> {
    const { port, tlsPort } = this.#options
    await this.#startTls.open(port, this.#options)
    try {
      await this.#implicitTls?.open(tlsPort ?? 0, this.#options)
    } catch (error) {
      await this.#startTls.drain()
      throw error
    }
  }

  /** Stops accepting connections, waits for transactions under way, then closes the remaining connections. */
  async stop(): Promise<void> {
    await Promise.all([this.#startTls.drain(), this.#implicitTls?.drain()])
    await this.#mending.stop()
  }
}
