// Messages and recipients by status: which stored ones come into question, and what the queue says of them beside that.

import { type RawBuilder, sql } from 'kysely'
import { MESSAGE_STATUSES, type MessageStatus } from '../../model/message.ts'
import type { RecipientStatus } from '../../model/recipient.ts'

/** Statuses of messages, as they are stored, that have a recipient of each status which is not delivered. */
export const STORED_WITH: Record<Exclude<RecipientStatus, 'delivered'>, readonly MessageStatus[]> = {
  scheduled: ['scheduled', 'queued', 'sending'],
  queued: ['queued', 'sending'],
  sending: ['scheduled', 'queued', 'sending'],
  // A message of which a recipient was deferred is neither final nor untouched.
  deferred: ['sending'],
  bounced: ['sending', 'partially_delivered', 'bounced', 'suppressed', 'failed', 'cancelled'],
  failed: ['sending', 'partially_delivered', 'bounced', 'suppressed', 'failed', 'cancelled'],
  suppressed: MESSAGE_STATUSES.filter((status) => status !== 'delivered'),
  cancelled: MESSAGE_STATUSES.filter((status) => status !== 'delivered'),
}

/** Statuses that the messages in question are stored with; undefined where delivered is one of them. */
export function storedStatuses({
  status,
  recipientStatus,
}: {
  readonly status?: MessageStatus | undefined
  readonly recipientStatus?: RecipientStatus | undefined
}): readonly MessageStatus[] | undefined {
  if (status === 'sending') return STORED_WITH.sending
  if (status !== undefined && status !== 'delivered') return [status]
  return recipientStatus === undefined || recipientStatus === 'delivered'
    ? undefined
    : STORED_WITH[recipientStatus]
}

/** Condition that a message is stored with one of these statuses, in words by which databases know the index of them. */
export const isStored = (statuses: readonly MessageStatus[]): RawBuilder<unknown> =>
  sql`status in (${sql.join(statuses)}) and status <> 'delivered'`

/** Condition that a message has a status, of which the queue tells that an attempt is under way. */
export function hasStatus(status: MessageStatus): RawBuilder<unknown> {
  const stored = sql`m.status = ${status}`
  const isActive = sql`exists (
    select 1 from queue q where q.message_id = m.id and q.lease_until is not null)`
  if (status === 'sending') return sql`(${stored} or m.status in ('queued', 'scheduled') and ${isActive})`
  return status === 'queued' || status === 'scheduled' ? sql`${stored} and not ${isActive}` : stored
}

/** Condition that a recipient of the message has a status, as it is told: by the queue while it is not final. */
export function hasRecipient(status: RecipientStatus): RawBuilder<unknown> {
  const waits = (state: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`exists (select 1 from queue q where q.message_id = m.id and ${state})`
  if (status === 'sending') return waits(sql`q.lease_until is not null`)
  if (status === 'deferred') return waits(sql`q.lease_until is null and q.attempts > 0`)
  return sql`exists (
    select 1 from recipients r left join queue q on q.message_id = r.message_id and q.position = r.position
    where r.message_id = m.id and r.status = ${status} and q.lease_until is null)`
}
