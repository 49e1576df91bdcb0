// The SMTP doors put together: from settings to the ports on which they listen.

import type { CredentialRates } from './access/credential-rates.ts'
import type { Credentials } from './access/credentials.ts'
import type { Ground } from './app-ground.ts'
import type { BounceReception } from './bounces/receive.ts'
import type { TlsSource } from './smtpd/certificate.ts'
import { InboundServer } from './smtpd/inbound.ts'
import { SubmissionServer } from './smtpd/submission.ts'
import type { Submission } from './submission/submit.ts'

/** What submission over SMTP stands on. */
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
  const { inboundPort, returnPathHost } = config
  if (!config.roles.includes('inbound') || inboundPort === undefined) return undefined
  return lifecycle.start(
    new InboundServer({
      host: config.smtpHost,
      port: inboundPort,
      hostName: config.hostname,
      maxMessageBytes: config.maxMessageBytes,
      ...{ returnPathHost, tls, bounces, clock, log },
    }),
  )
}
