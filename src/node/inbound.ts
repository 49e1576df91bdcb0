// Inbound messages put together: from settings to what takes them in and reads them.

import { InboundProcessor } from '../inbound/processor.ts'
import { MailReading } from '../inbound/reading.ts'
import { InboundReception } from '../inbound/reception.ts'
import { resolverOf } from './domains.ts'
import type { NodeParts } from './parts.ts'

/** Parts of a node that inbound messages use. */
export interface InboundParts {
  readonly streams: InboundReception
  /** Undefined on a node that does not read them. */
  readonly processor: InboundProcessor | undefined
}

/** Starts reading inbound messages on a node with that role. */
export async function startInbound({
  config,
  store,
  clock,
  log,
  lifecycle,
}: NodeParts): Promise<InboundParts> {
  const processor = config.roles.includes('inbound')
    ? await lifecycle.start(
        new InboundProcessor({
          ...{ store, clock, log, hostName: config.hostname },
          reading: await lifecycle.start(new MailReading()),
          resolver: resolverOf(config, store, undefined, clock),
          isAlone: config.databaseUrl === undefined,
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
    received: () => processor?.poke(),
  })
  return { streams, processor }
}
