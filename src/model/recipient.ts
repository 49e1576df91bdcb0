// One address of a message and its state: the unit of delivery and of counting.

/** Header field of a recipient; `bcc` appears in none. */
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

/** True if nothing more is attempted for a recipient in this state. */
export const isFinal = (status: RecipientStatus): boolean => FINAL.has(status)
