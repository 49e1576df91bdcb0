// The SMTP doors put together: from settings to the ports on which they listen.

import type { CredentialRates } from '../access/credential-rates.ts'
import type { Credentials } from '../access/credentials.ts'
import type { BounceReception } from '../bounces/receive.ts'
import type { Clock } from '../lib/clock.ts'
import type { Figure } from '../lib/figures.ts'
import type { TlsSource } from '../smtpd/certificate.ts'
import { InboundServer } from '../smtpd/inbound.ts'
import { SubmissionServer } from '../smtpd/submission.ts'
import type { Submission } from '../submission/submit.ts'
import type { Ground } from './parts.ts'

/** Parts that submission over SMTP is built on. */
export interface SubmissionGround extends Ground {
  readonly tls: TlsSource
  readonly credentials: Credentials
  readonly rates: CredentialRates
  readonly submission: Submission
}

/** Opens the door for submission; undefined on a node that does not have it. */
export async function openSubmissionDoor(ground: SubmissionGround): Promise<SubmissionServer | undefined> {
  const { config, clock, log, lifecycle, tls, credentials, rates, submission } = ground
  if (!config.roles.includes('smtp')) return undefined
  return lifecycle.start(
    new SubmissionServer({
      host: config.smtpHost,
      port: config.smtpPort,
      ...(config.smtpsPort === undefined ? {} : { tlsPort: config.smtpsPort }),
      hostName: config.hostname,
      maxMessageBytes: config.maxMessageBytes,
      authFailureRate: config.authFailureRate,
      ...{ tls, credentials, rates, submission, clock, log },
    }),
  )
}

/** Opens the door for what comes back; undefined on a node that does not have it. */
export async function openInboundDoor(
  { config, clock, log, lifecycle }: Ground,
  tls: TlsSource,
  bounces: BounceReception,
): Promise<InboundServer | undefined> {
  const { inboundHost, inboundPort, returnPathHost } = config
  if (!config.roles.includes('inbound') || inboundPort === undefined) return undefined
  return lifecycle.start(
    new InboundServer({
      host: inboundHost,
      port: inboundPort,
      hostName: config.hostname,
      maxMessageBytes: config.maxMessageBytes,
      ...{ returnPathHost, tls, bounces, clock, log },
    }),
  )
}

/** Tells in `/readyz` how the certificate stands. An old one does not make a node unready: its mail still comes and goes. */
export function certificateSummary(tls: TlsSource, clock: Clock): object {
  const { notAfter, problem } = tls.state()
  const status = notAfter <= clock.now() ? 'expired' : problem === undefined ? 'ok' : 'not replaced'
  return {
    status,
    not_after: new Date(notAfter).toISOString(),
    ...(problem === undefined ? {} : { problem }),
  }
}

/** The figures of the certificate. */
export const certificateFigures = (tls: TlsSource, clock: Clock): Figure[] => [
  {
    name: 'postrider_smtp_certificate_remaining_seconds',
    help: 'Seconds until the certificate of the SMTP ports expires; negative afterwards',
    kind: 'gauge',
    read: () => Math.round((tls.state().notAfter - clock.now()) / 1_000),
  },
  {
    name: 'postrider_smtp_certificate_files_usable',
    help: '1 while the certificate files are the ones in use; 0 when they have changed and cannot be used',
    kind: 'gauge',
    read: () => (tls.state().problem === undefined ? 1 : 0),
  },
]
