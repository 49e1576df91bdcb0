// What happened to a recipient, as append-only history.

/** The types of event (contract §2). */
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
] as const
export type EventType = (typeof EVENT_TYPES)[number]
