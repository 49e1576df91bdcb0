// The service's own payload, in the envelope that Standard Webhooks recommends.

import { EVENT_TYPES } from '../../model/event.ts'
import { eventDocument } from '../../model/event-document.ts'
import { JSON_TYPE, type PayloadFormat } from '../format.ts'
import type { PayloadEvent } from '../received-mail.ts'

const envelope = (event: PayloadEvent): object => {
  const data = eventDocument(event)
  const { inbound } = event
  return { type: data.type, timestamp: data.at, data: inbound === undefined ? data : { ...data, inbound } }
}

export const standard: PayloadFormat = {
  types: new Set(EVENT_TYPES),
  batches: true,
  compose: (events, { isBatch }) => ({
    headers: JSON_TYPE,
    body: JSON.stringify(isBatch ? events.map(envelope) : envelope(events[0]!)),
  }),
}
