// Events of a recipient, as append-only history.

/** The types of event (contract §2); `received` is of inbound messages. */
export const EVENT_TYPES = [
  'accepted',
  'scheduled',
  'sending',
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
  'cancelled',
  'opened',
  'clicked',
  'complained',
  'unsubscribed',
  'received',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The types that are counted by hour. */
export const COUNTED_EVENTS = [
  'accepted',
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
  'cancelled',
  'complained',
  'unsubscribed',
  'opened',
  'clicked',
] as const satisfies readonly EventType[]
export type CountedEvent = (typeof COUNTED_EVENTS)[number]
