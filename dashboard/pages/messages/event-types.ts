// Types of the events of a message.

import type { MessageEvent } from './calls.ts'

/** All event types, in the order in which they happen. */
export const EVENT_TYPES = Object.keys({
  accepted: true,
  scheduled: true,
  sending: true,
  delivered: true,
  deferred: true,
  bounced: true,
  failed: true,
  suppressed: true,
  cancelled: true,
  opened: true,
  clicked: true,
  complained: true,
  unsubscribed: true,
  received: true,
} satisfies Record<MessageEvent['type'], true>) as readonly MessageEvent['type'][]
