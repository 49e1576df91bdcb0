// Reads recipients of messages, with the status that users see and the time in the queue.

import { type Holding, holdingOf } from '../../model/held.ts'
import type { QueueState } from '../../model/queue-state.ts'
import type { RecipientStatus } from '../../model/recipient.ts'
import type { Database, Read } from '../database/dialect.ts'
import { findRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { listHoldings } from './holdings.ts'
import type { Owner } from './owner.ts'

/** A recipient with the status that users see, and with the time in the queue while the status is not final. */
export interface Recipient extends Omit<Tables['recipients'], 'status'> {
  readonly status: RecipientStatus
  /** End of the lease, due time or start tag of the recipient in the queue; null for a final or held recipient. */
  readonly next_attempt_at: number | null
  /** Reason why no attempt is made; null for a recipient that is final, in an attempt, or attempted later. */
  readonly held: Holding | null
}

/**
 * Returns the recipients of these messages, ordered by message ID and position; only recipients of one account if
 * `accountId` is given.
 */
export async function readRecipients(
  read: Read,
  messageIds: readonly string[],
  accountId?: string,
): Promise<Recipient[]> {
  if (messageIds.length === 0) return []
  let query = read
    .selectFrom('recipients')
    .leftJoin('queue', (join) =>
      join
        .onRef('queue.message_id', '=', 'recipients.message_id')
        .onRef('queue.position', '=', 'recipients.position'),
    )
    .selectAll('recipients')
    .select(({ fn }) => [
      'queue.active_since',
      'queue.state',
      'queue.stream',
      'queue.waits_for',
      fn.coalesce('queue.lease_until', 'queue.due_at', 'queue.start_tag').as('next_attempt_at'),
    ])
    .where('recipients.message_id', 'in', [...messageIds])
    .orderBy('recipients.message_id')
    .orderBy('recipients.position')
  if (accountId !== undefined) query = query.where('recipients.account_id', '=', accountId)
  const rows = await query.execute()
  const waiting = rows.filter((row) => mayBeHeld(row.state))
  const holdings = await listHoldings(
    read,
    waiting.map(({ domain_id }) => domain_id),
  )
  return rows.map(({ active_since, state, stream, waits_for, ...row }) => {
    if (active_since !== null) return { ...row, status: 'sending', last_event_at: active_since, held: null }
    const { domain_id: domainId, destination } = row
    const place = { domainId, destination, stream: stream ?? '', waitsFor: waits_for ?? '' }
    const held = mayBeHeld(state) ? holdingOf(place, holdings) : null
    return { ...row, held, next_attempt_at: held === null ? row.next_attempt_at : null }
  })
}

/**
 * True for the state of a recipient that a pause holds. Scheduled recipients are not held, because a pause may end
 * before the time that their sender chose.
 */
export const mayBeHeld = (state: QueueState | null): boolean =>
  state !== null && state !== 'active' && state !== 'scheduled'

/** Adds the email addresses to these recipients; omits recipients that are not stored. */
export async function withEmails<One extends { readonly messageId: string; readonly position: number }>(
  db: Database,
  rows: readonly One[],
): Promise<(One & { readonly email: string })[]> {
  const found = await findRows(
    db,
    'recipients',
    ['message_id', 'position'],
    rows.map(({ messageId: message_id, position }) => ({ message_id, position })),
    ['message_id', 'position', 'email'],
  )
  const emails = new Map(found.map((one) => [`${one.message_id} ${one.position}`, one.email]))
  return rows.flatMap((row) => {
    const email = emails.get(`${row.messageId} ${row.position}`)
    return email === undefined ? [] : [{ ...row, email }]
  })
}

/** An attempt with the address of its recipient. */
export type AttemptOfRecipient = Tables['attempts'] & { readonly email: string }

/**
 * Returns the attempts for all recipients of a message, oldest first; an empty list if the owner has no such message.
 */
export const listAttempts = (read: Read, owner: Owner, messageId: string): Promise<AttemptOfRecipient[]> =>
  read
    .selectFrom('attempts')
    .innerJoin('recipients', (join) =>
      join
        .onRef('recipients.message_id', '=', 'attempts.message_id')
        .onRef('recipients.position', '=', 'attempts.position'),
    )
    .selectAll('attempts')
    .select('recipients.email')
    .where('attempts.message_id', '=', messageId)
    .where('attempts.account_id', '=', owner.accountId)
    .where('attempts.domain_id', '=', owner.domainId)
    .orderBy('attempts.started_at')
    .orderBy('attempts.position')
    .orderBy('attempts.number')
    .execute()
