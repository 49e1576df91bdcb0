// Events of a recipient, which form an append-only history, and events of other objects of a domain.

/** Types of events that are about another object of the domain than a message. */
export const OBJECT_EVENTS = [
  'incident_opened',
  'incident_closed',
  'listed',
  'delisted',
  'report_received',
  'key_due',
  'key_switched',
] as const
export type ObjectEvent = (typeof OBJECT_EVENTS)[number]
const OF_OBJECTS: ReadonlySet<string> = new Set(OBJECT_EVENTS)

/** True if an event of this type is about a message. */
export const isOfMessage = (type: string): boolean => !OF_OBJECTS.has(type)

/** Event types; `received` is about inbound messages. */
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
  ...OBJECT_EVENTS,
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Event types that the hourly statistics count. */
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
const COUNTED: ReadonlySet<string> = new Set(COUNTED_EVENTS)

/**
 * True if an event counts in the statistics. Statistics count recipients: a later deferral (`attempt` > 1) and a
 * `repeated` opening or click do not count.
 */
export const isCounted = (type: string, attempt: number, repeated: boolean): boolean =>
  COUNTED.has(type) && !repeated && !(type === 'deferred' && attempt > 1)
