// Finds messages and recipients by status: the SQL condition for each status, and the queries that use an index.

import { type RawBuilder, sql } from 'kysely'
import { type MessageStatus, messageStatus } from '../../model/message.ts'
import type { RecipientStatus } from '../../model/recipient.ts'
import type { Tables } from '../database/schema.ts'
import type { Recipient } from './recipients.ts'

type Message = Tables['messages']
type WaitingStatus = 'scheduled' | 'queued' | 'deferred'

/**
 * Returns a message with the status and the update time that are derived from its recipients. The stored row of a
 * message with one recipient is not updated when the recipient is delivered or deferred.
 */
export const withStatus = (message: Message, recipients: readonly Recipient[]): Message => ({
  ...message,
  status: messageStatus(recipients.map(({ status }) => status)),
  updated_at: Math.max(message.updated_at, ...recipients.map(({ last_event_at }) => last_event_at)),
})

/** Statuses that the index `messages_by_ending` contains. */
const INDEXED = ['sending', 'partially_delivered', 'bounced', 'suppressed', 'failed', 'cancelled'] as const
const listed = (statuses: readonly MessageStatus[]): string => statuses.map((one) => `'${one}'`).join(', ')
// The condition is equal to the condition of the partial index `messages_by_ending`, so that both databases use the
// index.
const IS_INDEXED = sql.raw(`status in (${listed(INDEXED)})`)
const ENDED_UNDELIVERED = sql.raw(`(${listed(INDEXED.filter((status) => status !== 'sending'))})`)

/**
 * Returns the SQL condition for a row of the queue without a lease whose recipient has this status, in the form of the
 * index `queue_by_status`.
 */
export const waitsAs = (row: string, status: WaitingStatus): RawBuilder<unknown> =>
  sql`${sql.raw(`case when ${row}.state = 'scheduled' then 'scheduled' when ${row}.attempts > 0 then 'deferred'
    else 'queued' end`)} = ${status} and ${sql.ref(`${row}.lease_until`)} is null`

/** Query (`select … as message_id`) of the messages of a domain that may have a status. */
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

/** Returns the query of the messages that have several recipients and an indexed status other than `besides`. */
const shared =
  (besides: MessageStatus): Candidates =>
  (domainId, isWithin) =>
    sql`
    select id as message_id from messages
    where domain_id = ${domainId} and status in (${sql.join(INDEXED.filter((status) => status !== besides))})
      and recipient_count > 1 and ${IS_INDEXED} and ${isWithin(sql`id`)}`

/**
 * Returns the query of the messages with a recipient that waits in this status; lists each message only once, for the
 * first such recipient.
 */
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
 * Returns the indexed queries of the messages that may match: one list for each given status except `delivered`, which
 * most messages have.
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

/**
 * Returns the SQL condition that a message has a row in the queue that meets `condition`. `offset 0` makes PostgreSQL
 * look up the queue for each message instead of joining all messages with the queue.
 */
const inQueue = (condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select 1 from queue q where q.message_id = m.id and ${condition} limit 1 offset 0)`
const WAITS = inQueue(sql`1 = 1`)
const ATTEMPTED = inQueue(sql`(q.lease_until is not null or q.attempts > 0)`)

/** Returns the SQL condition for messages that users see with this status. */
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

/** Returns the SQL condition for messages with a recipient that users see with this status. */
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
      // The only recipient of a message has the status of the message. `count(*)` keeps PostgreSQL from turning the
      // condition into a scan of all recipients.
      return sql`case when m.recipient_count = 1 then m.status = ${status} else (
        select count(*) from recipients r where r.message_id = m.id and r.status = ${status}) > 0 end`
  }
}
