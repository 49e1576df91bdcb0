// Traces the acceptance of messages.

import type { Trace, TracedStep } from '../lib/traces.ts'
import type { KeptMessage } from './batch.ts'

/** Records that messages were accepted together. */
export function traceAccepted(
  trace: Trace,
  messages: readonly KeptMessage[],
  step: Pick<TracedStep, 'startedAt' | 'endedAt' | 'caller'> & { readonly protocol: string },
): void {
  const { protocol, startedAt, endedAt, caller } = step
  for (const { message, recipients } of messages) {
    trace({
      ...{ name: 'accept', messageId: message.id, startedAt, endedAt, caller },
      attributes: {
        'messaging.message.id': message.id,
        'messaging.message.body.size': message.size,
        'network.protocol.name': protocol,
        'postrider.account_id': message.account_id,
        'postrider.domain_id': message.domain_id,
        'postrider.stream': message.stream,
        'postrider.recipients': recipients.length,
      },
    })
  }
}
