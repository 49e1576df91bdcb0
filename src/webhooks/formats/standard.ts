// The service's own payload, in the envelope that Standard Webhooks recommends.

import { ACCOUNT_EVENT_TYPES, accountEventDocument } from '../../model/account-event.ts'
import { EVENT_TYPES } from '../../model/event.ts'
import { eventDocument } from '../../model/event-document.ts'
import type { AccountFeedEvent } from '../../store/events/account-feed.ts'
import { JSON_TYPE, type PayloadFormat } from '../format.ts'
import type { MessagePayload, PayloadEvent } from '../received-mail.ts'

interface Document {
  readonly type: string
  readonly at: string
}

/** Returns the format whose payload is the documents of the events. */
const documents = <Event extends PayloadEvent>(
  types: readonly Event['type'][],
  documentOf: (event: Event) => Document,
): PayloadFormat<Event> => {
  const envelope = (event: Event): object => {
    const data = documentOf(event)
    return { type: data.type, timestamp: data.at, data }
  }
  return {
    types: new Set(types),
    batches: true,
    compose: (events, { isBatch }) => ({
      headers: JSON_TYPE,
      body: JSON.stringify(isBatch ? events.map(envelope) : envelope(events[0]!)),
    }),
  }
}

export const standard = documents<MessagePayload>(EVENT_TYPES, (event) => {
  const { inbound } = event
  return { ...eventDocument(event), ...(inbound === undefined ? {} : { inbound }) }
})

/** The same envelope for events of accounts. */
export const standardOfAccount = documents<AccountFeedEvent>(ACCOUNT_EVENT_TYPES, accountEventDocument)
