// One recipient of a message with a delivery state: the unit of delivery and of counting.

/** Header field in which a recipient appears; a `bcc` recipient appears in no field. */
export type RecipientRole = 'to' | 'cc' | 'bcc'

/** States of a recipient. */
export const RECIPIENT_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'deferred',
  'delivered',
  'bounced',
  'suppressed',
  'failed',
  'cancelled',
] as const
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number]

const FINAL: ReadonlySet<RecipientStatus> = new Set([
  'delivered',
  'bounced',
  'suppressed',
  'failed',
  'cancelled',
])

/** True if no further attempt is made for a recipient in this state. */
export const isFinal = (status: RecipientStatus): boolean => FINAL.has(status)
