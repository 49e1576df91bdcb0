// Messages and recipients by status: the condition for each status, and the index that finds it.

import { type RawBuilder, sql } from 'kysely'
import { type MessageStatus, messageStatus } from '../../model/message.ts'
import type { RecipientStatus } from '../../model/recipient.ts'
import type { Tables } from '../database/schema.ts'
import type { Recipient } from './recipients.ts'

type Message = Tables['messages']
type WaitingStatus = 'scheduled' | 'queued' | 'deferred'

/**
 * Returns a message with the status and the time of the last change that follow from its recipients: the row of a
 * message is written only when it ends undelivered.
 */
export const withStatus = (message: Message, recipients: readonly Recipient[]): Message => ({
  ...message,
  status: messageStatus(recipients.map(({ status }) => status)),
  updated_at: Math.max(message.updated_at, ...recipients.map(({ last_event_at }) => last_event_at)),
})

/** Stored statuses in the index `messages_by_ending`. */
const INDEXED = ['sending', 'partially_delivered', 'bounced', 'suppressed', 'failed', 'cancelled'] as const
const listed = (statuses: readonly MessageStatus[]): string => statuses.map((one) => `'${one}'`).join(', ')
// The condition as the index defines it, which makes databases use the index.
const IS_INDEXED = sql.raw(`status in (${listed(INDEXED)})`)
const ENDED_UNDELIVERED = sql.raw(`(${listed(INDEXED.filter((status) => status !== 'sending'))})`)

/**
 * Returns the condition that a row of the queue is under no lease and its recipient has a status, in the form of the
 * index `queue_by_status`.
 */
export const waitsAs = (row: string, status: WaitingStatus): RawBuilder<unknown> =>
  sql`${sql.raw(`case when ${row}.state = 'scheduled' then 'scheduled' when ${row}.attempts > 0 then 'deferred'
    else 'queued' end`)} = ${status} and ${sql.ref(`${row}.lease_until`)} is null`

/** Query of the messages of a domain that may match: `select … as message_id`. */
export type Candidates = (
  domainId: string,
  isWithin: (column: RawBuilder<unknown>) => RawBuilder<unknown>,
) => RawBuilder<unknown>

const stored =
  (status: MessageStatus): Candidates =>
  (domainId, isWithin) =>
    sql`
    select id as message_id from messages
    where domain_id = ${domainId} and status = ${status} and ${IS_INDEXED} and ${isWithin(sql`id`)}`

/** Returns the messages with several recipients that are stored with any other status. */
const shared =
  (besides: MessageStatus): Candidates =>
  (domainId, isWithin) =>
    sql`
    select id as message_id from messages
    where domain_id = ${domainId} and status in (${sql.join(INDEXED.filter((status) => status !== besides))})
      and recipient_count > 1 and ${IS_INDEXED} and ${isWithin(sql`id`)}`

/** Returns each message once: by its first recipient that waits in this status. */
const waiting =
  (status: WaitingStatus): Candidates =>
  (domainId, isWithin) =>
    sql`
    select q.message_id as message_id from queue q
    where q.domain_id = ${domainId} and ${waitsAs('q', status)} and ${isWithin(sql`q.message_id`)}
      and not exists (
        select 1 from queue f
        where f.message_id = q.message_id and f.position < q.position and ${waitsAs('f', status)})`

const active: Candidates = (domainId, isWithin) => sql`
  select distinct message_id from queue
  where lease_until is not null and domain_id = ${domainId} and ${isWithin(sql`message_id`)}`

const BY_STATUS: Record<Exclude<MessageStatus, 'delivered'>, readonly Candidates[]> = {
  scheduled: [waiting('scheduled')],
  queued: [waiting('queued')],
  sending: [active, waiting('deferred'), stored('sending')],
  partially_delivered: [stored('partially_delivered')],
  bounced: [stored('bounced')],
  suppressed: [stored('suppressed')],
  failed: [stored('failed')],
  cancelled: [stored('cancelled')],
}

// A message without an attempt may have recipients that are suppressed or cancelled.
const UNATTEMPTED = [waiting('scheduled'), waiting('queued'), active]

const BY_RECIPIENT: Record<Exclude<RecipientStatus, 'delivered'>, readonly Candidates[]> = {
  scheduled: [waiting('scheduled')],
  queued: [waiting('queued')],
  sending: [active],
  deferred: [waiting('deferred')],
  bounced: [stored('bounced'), shared('bounced')],
  failed: [stored('failed'), shared('failed')],
  suppressed: [stored('suppressed'), shared('suppressed'), ...UNATTEMPTED],
  cancelled: [stored('cancelled'), shared('cancelled'), ...UNATTEMPTED],
}

/**
 * Returns the messages that may match a status and a recipient's status, each found by indexes; an empty list for
 * `delivered`, which most messages are.
 */
export function candidatesOf({
  status = 'delivered',
  recipientStatus = 'delivered',
}: {
  readonly status?: MessageStatus | undefined
  readonly recipientStatus?: RecipientStatus | undefined
}): readonly (readonly Candidates[])[] {
  return [
    ...(status === 'delivered' ? [] : [BY_STATUS[status]]),
    ...(recipientStatus === 'delivered' ? [] : [BY_RECIPIENT[recipientStatus]]),
  ]
}

/** The offset makes PostgreSQL look up each message instead of joining all of them with the queue. */
const inQueue = (condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select 1 from queue q where q.message_id = m.id and ${condition} limit 1 offset 0)`
const WAITS = inQueue(sql`1 = 1`)
const ATTEMPTED = inQueue(sql`(q.lease_until is not null or q.attempts > 0)`)

/** Returns the condition that a message has a status, as users see it. */
export function hasStatus(status: MessageStatus): RawBuilder<unknown> {
  switch (status) {
    case 'scheduled':
      return sql`${inQueue(waitsAs('q', 'scheduled'))} and m.status <> 'sending'
        and not ${inQueue(sql`(q.lease_until is not null or q.state <> 'scheduled')`)}`
    case 'queued':
      return sql`${inQueue(waitsAs('q', 'queued'))} and m.status <> 'sending' and not ${ATTEMPTED}`
    case 'sending':
      return sql`(m.status = 'sending' and ${WAITS} or ${ATTEMPTED})`
    case 'delivered':
      return sql`m.status not in ${ENDED_UNDELIVERED} and not ${WAITS}`
    default:
      return sql`m.status = ${status}`
  }
}

/** Returns the condition that a recipient of the message has a status, as users see it. */
export function hasRecipient(status: RecipientStatus): RawBuilder<unknown> {
  const isStored = sql`exists (select 1 from recipients r where r.message_id = m.id and r.status = ${status})`
  switch (status) {
    case 'scheduled':
    case 'queued':
    case 'deferred':
      return inQueue(waitsAs('q', status))
    case 'sending':
      return inQueue(sql`q.lease_until is not null`)
    case 'delivered':
      return isStored
    default:
      // A single recipient has the status of its message. The count keeps PostgreSQL from turning the condition into a
      // scan of all recipients.
      return sql`case when m.recipient_count = 1 then m.status = ${status} else (
        select count(*) from recipients r where r.message_id = m.id and r.status = ${status}) > 0 end`
  }
}
