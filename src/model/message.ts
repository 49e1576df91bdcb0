// A submitted message, and its state, which follows from its recipients.

import { isFinal, type RecipientStatus } from './recipient.ts'

/** States of a message (contract §2). */
export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'delivered',
  'partially_delivered',
  'bounced',
  'suppressed',
  'failed',
  'cancelled',
] as const
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/**
 * Format of the stored content: the JSON of a send request; a raw message submitted over SMTP; or such a message of which each
 * recipient gets a form of their own, with the places that differ (`personal-content.ts`).
 */
export type ContentFormat = 'json' | 'mime' | 'personal'

const UNATTEMPTED: ReadonlySet<RecipientStatus> = new Set(['scheduled', 'queued', 'suppressed', 'cancelled'])
const UNDELIVERED = ['bounced', 'suppressed', 'failed', 'cancelled'] as const

/** Returns the state of a message from the states of all its recipients, at least one. */
export function messageStatus(recipients: readonly RecipientStatus[]): MessageStatus {
  if (recipients.every(isFinal)) return finalStatus(recipients)
  if (!recipients.every((status) => UNATTEMPTED.has(status))) return 'sending'
  return recipients.includes('queued') ? 'queued' : 'scheduled'
}

function finalStatus(recipients: readonly RecipientStatus[]): MessageStatus {
  const count = (wanted: RecipientStatus): number => recipients.filter((status) => status === wanted).length
  const delivered = count('delivered')
  if (delivered === recipients.length) return 'delivered'
  if (delivered > 0) return 'partially_delivered'
  // The most frequent state; among equals the first in this order (contract §2).
  return UNDELIVERED.reduce((most, status) => (count(status) > count(most) ? status : most))
}
