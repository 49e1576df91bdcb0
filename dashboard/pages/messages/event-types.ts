// Types of the events of a message, with the properties that the pages need. The compiler reports a missing type.

import type { MessageEvent } from './calls.ts'

type Type = MessageEvent['type']

interface Properties {
  /** True if the event reports the outcome of a message for a recipient. */
  readonly isOutcome: boolean
}

const STEP: Properties = { isOutcome: false }
const OUTCOME: Properties = { isOutcome: true }

const TYPES: Readonly<Record<Type, Properties>> = {
  accepted: STEP,
  scheduled: STEP,
  sending: STEP,
  delivered: OUTCOME,
  deferred: OUTCOME,
  bounced: OUTCOME,
  failed: OUTCOME,
  suppressed: OUTCOME,
  cancelled: OUTCOME,
  opened: STEP,
  clicked: STEP,
  complained: OUTCOME,
  unsubscribed: OUTCOME,
  received: OUTCOME,
  incident_opened: STEP,
  incident_closed: STEP,
  listed: STEP,
  delisted: STEP,
  report_received: STEP,
  key_due: STEP,
  key_switched: STEP,
}

/** All event types, in the order in which they happen. */
export const EVENT_TYPES = Object.keys(TYPES) as readonly Type[]

/** Event types that report the outcome of a message for a recipient. */
export const OUTCOMES: readonly Type[] = EVENT_TYPES.filter((type) => TYPES[type]?.isOutcome)
