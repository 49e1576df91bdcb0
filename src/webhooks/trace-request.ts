// Records a request to a receiver as a step in the traces of the messages that the events belong to.

import { type Trace, traceTime } from '../lib/traces.ts'
import type { Delivery } from '../store/webhooks/deliveries.ts'
import { type DeliveredEvent, subjectOf } from './webhook-feed.ts'

export interface TracedRequest {
  /** State of the delivery after the request. */
  readonly delivery: Delivery
  readonly events: readonly DeliveredEvent[]
  /** URL of the receiver, whose path and query may be secrets. */
  readonly url: URL
  readonly startedAt: number
}

/** Records a finished request, with one step for each event. Inbound messages, samples and
 * events of accounts have no trace. */
export function traceRequest(trace: Trace, { delivery, events, url, startedAt }: TracedRequest): void {
  const attempt = delivery.log.at(-1)
  const endedAt = traceTime()
  for (const event of events) {
    const { id, type } = event
    const messageId = subjectOf(event)
    if (!messageId.startsWith('msg_')) continue
    trace({
      ...{ name: 'webhook', messageId, startedAt, endedAt },
      failure: delivery.status === 'failed' ? 'failed: the last attempt' : undefined,
      attributes: {
        'messaging.message.id': messageId,
        'server.address': url.hostname,
        'http.response.status_code': attempt?.status ?? undefined,
        'postrider.webhook_id': delivery.webhook_id,
        'postrider.event_id': id,
        'postrider.event_type': type,
        'postrider.attempt': delivery.attempts,
        'postrider.outcome': delivery.status,
      },
    })
  }
}
