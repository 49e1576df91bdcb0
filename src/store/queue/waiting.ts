// Lists the waiting recipients of the queue for an operator.

import { sql } from 'kysely'
import { type Holding, holdingOf } from '../../model/held.ts'
import { holdOf, type Standing } from '../../model/queue-state.ts'
import type { Read } from '../database/dialect.ts'
import { listHoldings } from '../messages/holdings.ts'
import { mayBeHeld, type Recipient } from '../messages/recipients.ts'
import type { QueueSelection } from './queue-control.ts'

/** Position at which a list of waiting recipients continues. */
export interface QueuePlace {
  readonly nextAttemptAt: number
  readonly messageId: string
  readonly position: number
}

/** A recipient that waits in the queue. */
export interface Waiting extends QueuePlace, Standing {
  readonly email: string
  readonly destination: string
  readonly domainName: string
  readonly stream: string
  readonly status: Recipient['status']
  readonly attempts: number
  readonly createdAt: number
  readonly lastEventAt: number
  readonly smtpCode: number | null
  readonly smtpResponse: string | null
  /** Reason why no attempt is made; null if an attempt will be made. */
  readonly held: Holding | null
}

/**
 * Returns recipients in the queue, including recipients in an attempt, ordered by their next time, after the position
 * `after`.
 */
export async function listWaiting(
  read: Read,
  selection: QueueSelection,
  limit: number,
  after: QueuePlace | undefined,
): Promise<Waiting[]> {
  const at = sql<number>`coalesce(queue.lease_until, queue.due_at, queue.start_tag)`
  let query = read
    .selectFrom('queue')
    .innerJoin('recipients', (join) =>
      join
        .onRef('recipients.message_id', '=', 'queue.message_id')
        .onRef('recipients.position', '=', 'queue.position'),
    )
    .innerJoin('domains', 'domains.id', 'queue.domain_id')
    .innerJoin('messages', (join) =>
      join.onRef('messages.domain_id', '=', 'queue.domain_id').onRef('messages.id', '=', 'queue.message_id'),
    )
    .select([
      'queue.message_id as messageId',
      'queue.position',
      'recipients.email',
      'queue.domain_id as domainId',
      'queue.destination',
      'domains.name as domainName',
      'queue.stream',
      'recipients.status',
      'queue.attempts',
      'queue.state',
      'queue.waits_for as waitsFor',
      'queue.active_since as activeSince',
      at.as('nextAttemptAt'),
      'messages.created_at as createdAt',
      'recipients.last_event_at as lastEventAt',
      'recipients.smtp_code as smtpCode',
      'recipients.smtp_response as smtpResponse',
    ])
    .orderBy(at)
    .orderBy('queue.message_id')
    .orderBy('queue.position')
    .limit(limit)
  const { messageId, destination, stream, domainName, restored } = selection
  if (restored !== undefined) query = query.where('queue.waits_for', '=', holdOf('restored', restored))
  if (messageId !== undefined) query = query.where('queue.message_id', '=', messageId)
  if (destination !== undefined) query = query.where('queue.destination', '=', destination)
  if (stream !== undefined) query = query.where('queue.stream', '=', stream)
  if (domainName !== undefined) query = query.where('domains.name', '=', domainName)
  if (after !== undefined) {
    const { nextAttemptAt, messageId: id, position } = after
    query = query.where(
      sql<boolean>`(${at}, queue.message_id, queue.position) > (${nextAttemptAt}, ${id}, ${position})`,
    )
  }
  const rows = await query.execute()
  const holdings = await listHoldings(
    read,
    rows.map(({ domainId }) => domainId),
  )
  return rows.map(({ activeSince, domainId, ...row }) => {
    const held = mayBeHeld(row.state) ? holdingOf({ domainId, ...row }, holdings) : null
    return activeSince === null
      ? { ...row, held }
      : { ...row, held, status: 'sending', lastEventAt: activeSince }
  })
}

/** Latest reply that a waiting recipient of a destination received. */
export interface LastReply {
  readonly destination: string
  readonly messageId: string
  readonly at: number
  readonly smtpCode: number | null
  readonly smtpResponse: string | null
  readonly mx: string | null
}

/** Returns the latest reply from each of these destinations; omits destinations without an attempt. */
export async function lastReplies(read: Read, destinations: readonly string[]): Promise<LastReply[]> {
  if (destinations.length === 0) return []
  // The recipient that was deferred last usually has the latest due time.
  const nth = sql<number>`row_number() over (partition by destination
    order by coalesce(due_at, start_tag) desc, message_id desc, position desc)`
  const waiting = read
    .selectFrom('queue')
    .select(['destination', 'message_id', 'position', nth.as('nth')])
    .where('destination', 'in', destinations)
    .where('attempts', '>', 0)
  return read
    .selectFrom(waiting.as('waiting'))
    .innerJoin('recipients', (join) =>
      join
        .onRef('recipients.message_id', '=', 'waiting.message_id')
        .onRef('recipients.position', '=', 'waiting.position'),
    )
    .select(['waiting.destination', 'waiting.message_id as messageId', 'recipients.last_event_at as at'])
    .select(['smtp_code as smtpCode', 'smtp_response as smtpResponse', 'mx'])
    .where('nth', '=', 1)
    .execute()
}
