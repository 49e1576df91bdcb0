// Builds tracing: records each delivery attempt as a step, and sends the steps to the collector if one is configured.

import type { Config } from '../config/settings.ts'
import type { Delivered, OpenMessage } from '../delivery/deliver.ts'
import type { Lifecycle } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { type Trace, traceTime } from '../lib/traces.ts'
import type { Claimed } from '../store/queue/queue.ts'

/** Starts sending traces. Returns undefined, and does not load OpenTelemetry, if no collector is configured. */
export async function startTraces(
  config: Config,
  lifecycle: Lifecycle,
  log: Log,
): Promise<Trace | undefined> {
  const { tracesUrl: url, tracesOneIn: oneIn, hostname: hostName } = config
  if (url === undefined) return undefined
  const { OpenTelemetry } = await import('./open-telemetry.ts')
  return (await lifecycle.start(new OpenTelemetry({ url, oneIn, hostName, log }))).record
}

/** Wraps a message opener so that each delivery attempt is recorded as a step of a trace. */
export const tracedOpener = (open: OpenMessage, trace: Trace | undefined): OpenMessage =>
  trace === undefined
    ? open
    : (message, content) => {
        const attempt = open(message, content)
        return async (claimed, terms) => {
          const startedAt = traceTime()
          const result = await attempt(claimed, terms)
          if (typeof result !== 'string') traceAttempt(trace, claimed, result, startedAt)
          return result
        }
      }

function traceAttempt(trace: Trace, claimed: Claimed, { ended }: Delivered, startedAt: number): void {
  const { outcome, attempt } = ended
  const hasFailed = outcome.status === 'bounced' || outcome.status === 'failed'
  trace({
    name: 'deliver',
    messageId: claimed.messageId,
    ...{ startedAt, endedAt: traceTime() },
    failure: hasFailed ? `${outcome.status}: ${outcome.category ?? 'other'}` : undefined,
    attributes: {
      'messaging.message.id': claimed.messageId,
      'messaging.destination.name': claimed.destination,
      'server.address': attempt.mx,
      'network.peer.address': attempt.address,
      'postrider.domain_id': claimed.domainId,
      'postrider.stream': claimed.stream,
      'postrider.recipient': claimed.position,
      'postrider.attempt': claimed.attempt,
      'postrider.outcome': outcome.status,
      'postrider.category': outcome.category,
      'postrider.stage': outcome.stage,
      'postrider.smtp_code': attempt.reply?.code,
      'postrider.smtp_enhanced_code': attempt.reply?.enhanced,
      'postrider.tls': attempt.tls,
    },
  })
}
