// The inbound SMTP server on port 25: accepts bounces, complaints, and mail for inbound streams.

import type { BounceReception } from '../bounces/receive.ts'
import type { TlsSource } from '../certificates/tls-source.ts'
import type { InboundReception } from '../inbound/reception.ts'
import type { Clock } from '../lib/clock.ts'
import { CONTENT_BYTES, ContentMemory } from '../lib/content-memory.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { ProxyProtocol } from '../lib/proxy-protocol.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import type { ReportIntake } from '../reports/intake.ts'
import { ConnectionSlots } from './connection-slots.ts'
import { type InboundRecipient, InboundRules, type InboundSettings } from './inbound-rules.ts'
import { INBOUND_LIMITS, type SmtpLimits } from './limits.ts'
import { Listener, type ListeningPlace } from './listener.ts'

export interface InboundServerOptions extends ListeningPlace {
  /** Port to listen on; 0 takes any free port. */
  readonly port: number
  /** The name of this installation in the greeting. */
  readonly hostName: string
  /** The host name in the addresses of return paths. */
  readonly returnPathHost: string
  readonly tls: TlsSource
  /** Reads the PROXY protocol headers of load balancers; absent without load balancers. */
  readonly proxyProtocol?: ProxyProtocol | undefined
  readonly bounces: BounceReception
  readonly streams: InboundReception
  readonly reports: ReportIntake
  readonly clock: Clock
  readonly log: Log
  /** Size of the largest message that this installation sends; a bounce may return the whole message. */
  readonly maxMessageBytes: number
  readonly limits?: Partial<SmtpLimits>
  /** Rate limits by client network. */
  readonly rates?: { readonly strangers: Rate; readonly mails: Rate }
}

/** Maximum number of bytes that a bounce adds to the returned message. */
const REPORT_BYTES = 1024 * 1024

/** Default rates: a client that guesses addresses is stopped soon, and a host may deliver ten bounces a second. */
const RATES = {
  strangers: { count: 60, perMs: 60_000 },
  mails: { count: 600, perMs: 60_000 },
}

/**
 * Accepts mail for return paths with a valid token, for the operator, for inbound streams, and for the addresses for
 * reports of domains.
 */
export class InboundServer implements Part {
  readonly name = 'SMTP inbound'
  readonly #options: InboundServerOptions
  readonly #listener: Listener<string, InboundRecipient>

  constructor(options: InboundServerOptions) {
    this.#options = options
    const { clock, log, hostName, returnPathHost, tls, bounces, streams, reports, rates = RATES } = options
    const limits = { ...INBOUND_LIMITS, ...options.limits }
    const maxMessageBytes = Math.max(options.maxMessageBytes + REPORT_BYTES, streams.maxMessageBytes)
    const settings: InboundSettings = {
      memory: new ContentMemory(
        CONTENT_BYTES.inbound({ ...options, inboundMaxMessageBytes: streams.maxMessageBytes }),
      ),
      maxMessageBytes,
      strangers: { limiter: new RateLimiter(), rate: rates.strangers },
      mails: { limiter: new RateLimiter(), rate: rates.mails },
      limits,
      returnPathHost,
      bounces,
      streams,
      reports,
      hostName,
      clock,
      log,
    }
    this.#listener = new Listener({
      rulesFor: (client) => new InboundRules(settings, client),
      slots: new ConnectionSlots(limits, clock),
      implicitTls: false,
      proxyProtocol: options.proxyProtocol,
      tls,
      settings,
    })
  }

  /** Returns the port; known after the start. */
  get port(): number {
    return this.#listener.port
  }

  /** Throws if the port cannot be opened. */
  start(): Promise<void> {
    return this.#listener.open(this.#options.port, this.#options)
  }

  /** Stops accepting connections, waits for transactions under way, then closes the remaining connections. */
  stop(): Promise<void> {
    return this.#listener.drain()
  }
}
