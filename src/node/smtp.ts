// Builds the SMTP listeners from the settings.

import type { CredentialRates } from '../access/credential-rates.ts'
import type { Credentials } from '../access/credentials.ts'
import type { RequestLog } from '../access/request-log.ts'
import type { BounceReception } from '../bounces/receive.ts'
import type { TlsSource } from '../certificates/tls-source.ts'
import type { Config } from '../config/settings.ts'
import type { InboundReception } from '../inbound/reception.ts'
import type { Clock } from '../lib/clock.ts'
import type { Figure } from '../lib/figures.ts'
import type { ProxyProtocol } from '../lib/proxy-protocol.ts'
import type { RateLimiter } from '../lib/rate-limiter.ts'
import type { ReportIntake } from '../reports/intake.ts'
import { InboundServer } from '../smtpd/inbound.ts'
import { NETWORKS_PER_BLOCK, type SmtpLimits } from '../smtpd/limits.ts'
import { SubmissionServer } from '../smtpd/submission.ts'
import type { Submission } from '../submission/submit.ts'
import type { NodeParts } from './parts.ts'
import type { PlacedConfig } from './placement.ts'

/** Parts of the node that every SMTP listener needs. */
export interface ListenerParts extends NodeParts {
  readonly config: PlacedConfig
  readonly tls: TlsSource
  readonly proxyProtocol: ProxyProtocol | undefined
}

/** Parts of the node that submission over SMTP needs. */
export interface SubmissionGround extends ListenerParts {
  readonly credentials: Credentials
  readonly rates: CredentialRates
  readonly submission: Submission
  /** Rate limiter for failed SMTP logins. */
  readonly loginFailures: RateLimiter
  readonly requestLog: RequestLog
}

/** Opens the SMTP listener for submission; returns undefined on a node without submission. */
export async function openSubmissionListener(parts: SubmissionGround): Promise<SubmissionServer | undefined> {
  const { config, clock, log, lifecycle, tls, credentials, rates, submission, proxyProtocol, requestLog } =
    parts
  if (!config.roles.includes('smtp')) return undefined
  return lifecycle.start(
    new SubmissionServer({
      host: config.smtpHost,
      port: config.smtpPort,
      reusePort: config.sharesPorts,
      ...(config.smtpsPort === undefined ? {} : { tlsPort: config.smtpsPort }),
      hostName: config.hostname,
      maxMessageBytes: config.maxMessageBytes,
      authFailureRate: config.authFailureRate,
      failures: parts.loginFailures,
      limits: limitsOf(config, config.smtpConnections, config.smtpNetworkConnections),
      ...{ tls, credentials, rates, submission, proxyProtocol, clock, log, requestLog },
    }),
  )
}

/** Opens the SMTP listener for inbound mail; returns undefined on a node without inbound mail. */
export async function openInboundListener(
  { config, clock, log, lifecycle, tls, proxyProtocol }: ListenerParts,
  bounces: BounceReception,
  streams: InboundReception,
  reports: ReportIntake,
): Promise<InboundServer | undefined> {
  const { inboundHost, inboundPort, returnPathHost } = config
  if (!config.roles.includes('inbound') || inboundPort === undefined) return undefined
  return lifecycle.start(
    new InboundServer({
      host: inboundHost,
      port: inboundPort,
      reusePort: config.sharesPorts,
      hostName: config.hostname,
      maxMessageBytes: config.maxMessageBytes,
      limits: limitsOf(config, config.inboundConnections, config.inboundNetworkConnections),
      rates: { mails: config.inboundNetworkRate, strangers: config.inboundUnknownRate },
      ...{ returnPathHost, tls, proxyProtocol, bounces, streams, reports, clock, log },
    }),
  )
}

/** Returns the limits of an SMTP listener that depend on the settings. */
const limitsOf = (
  config: Config,
  connections: number,
  connectionsPerNetwork: number,
): Partial<SmtpLimits> => ({
  connections,
  connectionsPerNetwork,
  connectionsPerBlock: NETWORKS_PER_BLOCK * connectionsPerNetwork,
  commandMs: config.smtpCommandTimeoutMs,
  loginMs: config.smtpLoginTimeoutMs,
  malformedLines: config.smtpMalformedLines,
  junkCommands: config.smtpJunkCommands,
  junkCommandsBeforeLogin: config.smtpJunkCommandsBeforeLogin,
})

/**
 * Returns the state of the certificate for `/readyz`. A node with an expired certificate stays ready, because the node
 * still accepts and delivers mail.
 */
export function certificateSummary(tls: TlsSource, clock: Clock): object {
  const { notAfter, problem } = tls.state()
  const status = notAfter <= clock.now() ? 'expired' : problem === undefined ? 'ok' : 'not replaced'
  return {
    status,
    not_after: new Date(notAfter).toISOString(),
    ...(problem === undefined ? {} : { problem }),
  }
}

/** Returns the metrics of the certificate. */
export const certificateFigures = (tls: TlsSource, clock: Clock): Figure[] => [
  {
    name: 'postrider_smtp_certificate_remaining_seconds',
    help: 'Seconds until the certificate of the SMTP ports expires; negative afterwards',
    kind: 'gauge',
    read: () => Math.round((tls.state().notAfter - clock.now()) / 1_000),
  },
  {
    name: 'postrider_smtp_certificate_files_usable',
    help: '1 while the certificate files are in use; 0 after the files have changed and cannot be used',
    kind: 'gauge',
    read: () => (tls.state().problem === undefined ? 1 : 0),
  },
]
