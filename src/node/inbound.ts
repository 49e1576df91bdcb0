// Inbound messages put together: from settings to what takes them in and reads them.

import type { AuthenticateMail } from '../bounces/feedback-loops.ts'
import { InboundProcessor } from '../inbound/processor.ts'
import { MailReading } from '../inbound/reading.ts'
import { InboundReception } from '../inbound/reception.ts'
import { CONTENT_BYTES } from '../lib/content-memory.ts'
import { resolverOf } from './domains.ts'
import type { NodeParts } from './parts.ts'

/** Stands for the account of mail to the operator, among those that share the thread. */
const OPERATOR = 'operator'

/** Parts of a node that inbound messages use. */
export interface InboundParts {
  readonly streams: InboundReception
  /** Undefined on a node that does not read them. */
  readonly processor: InboundProcessor | undefined
  /** Authenticates a mail in the thread that reads them. */
  readonly authenticate: AuthenticateMail
}

/** Starts reading inbound messages on a node with that role. */
export async function startInbound({
  config,
  store,
  clock,
  log,
  node,
  lifecycle,
}: NodeParts): Promise<InboundParts> {
  const { hostname: hostName } = config
  const reading = await lifecycle.start(new MailReading())
  const resolver = resolverOf(config, store, undefined, clock)
  const processor = config.roles.includes('inbound')
    ? await lifecycle.start(
        new InboundProcessor({
          ...{ store, clock, log, node, hostName, reading, resolver },
          memoryBytes: CONTENT_BYTES.inbound_reading(config),
        }),
      )
    : undefined
  const streams = new InboundReception({
    ...{ store, clock },
    limits: {
      maxMessageBytes: config.inboundMaxMessageBytes,
      accountRate: config.inboundAccountRate,
      accountBytes: config.inboundAccountBytes,
      storedBytesPerAccount: config.storedBytesPerAccount,
    },
    received: () => processor?.wake(),
  })
  const authenticate: AuthenticateMail = ({ content: raw, address: ip, helo, from: sender }) =>
    reading.authenticate(OPERATOR, { raw, ip, helo, sender, host: hostName }, resolver)
  return { streams, processor, authenticate }
}
