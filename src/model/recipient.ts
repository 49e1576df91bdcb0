// One address of a message and its state: the unit of delivery and of counting.

/** Header field that a recipient stands in; `bcc` stands in none. */
export type RecipientRole = 'to' | 'cc' | 'bcc'

/** The states of a recipient (contract §2). */
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

/** True if nothing more is tried for a recipient in this state. */
export const isFinal = (status: RecipientStatus): boolean => FINAL.has(status)
