// Control of the queue by an operator: retries, cancels and inspects messages, and pauses and resumes mail.

import { type HoldKind, holdOf } from '../../model/queue-state.ts'
import { inboxOf } from '../../model/test-inbox.ts'
import { pauseOf } from '../../model/triage.ts'
import { type Database, isPostgres, LOCK_CLAIMED, LOCK_WAITING, type Read } from '../database/dialect.ts'
import { updateRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { endRecipients, eventOf, keepEvents, type NewEvent } from '../messages/history.ts'
import { withStatus } from '../messages/message-status.ts'
import type { Message, Owner } from '../messages/messages.ts'
import { type Recipient, readRecipients, withEmails } from '../messages/recipients.ts'
import { findSendingDomains } from './immediate.ts'
import { QUEUED, type RecipientKey } from './leases.ts'
import { listPaused } from './pauses.ts'

/** Selection of waiting recipients; all conditions must match. */
export interface QueueSelection {
  /** Owner of the messages; set for requests of a customer. */
  readonly owner?: Owner | undefined
  readonly messageId?: string | undefined
  /** IDs of at most `OPERATOR_BATCH` messages. */
  readonly messageIds?: readonly string[] | undefined
  readonly destination?: string | undefined
  readonly domainName?: string | undefined
  readonly stream?: string | undefined
  /** Time of the restore that holds the recipients. */
  readonly restored?: string | undefined
}

/** Returns the name by which the audit log names a selection; undefined for the whole queue. */
function selectedName({ selection }: { readonly selection: QueueSelection }): string | undefined {
  const { messageId, destination, domainName, stream, restored } = selection
  return messageId ?? destination ?? domainName ?? stream ?? restored
}

/** Maximum number of recipients in one write of an operator, so that mail can be accepted between two writes. */
export const OPERATOR_BATCH = 500

/**
 * Result of an operator's write: the number of changed recipients, and the key after which the next write continues
 * (undefined at the end).
 */
export interface OperatorBatch {
  readonly recipients: number
  readonly next: RecipientKey | undefined
}

interface OperatorRequest {
  readonly selection: QueueSelection
  readonly after?: RecipientKey | undefined
  readonly now: number
}

/**
 * Makes up to 500 waiting recipients due immediately, except recipients in an attempt and recipients with a time chosen
 * by the sender. A pause still holds its recipients; a customer's retry leaves them out.
 */
export async function retryRecipients(
  db: Database,
  items: readonly OperatorRequest[],
): Promise<OperatorBatch[]> {
  const results: OperatorBatch[] = []
  for (const { selection, after, now } of items) {
    let query = selectWaiting(db, selection, after).where('state', 'not in', ['ready', 'scheduled'])
    // A customer must not release recipients that an operator holds or that are suspected of crashing a process.
    if (selection.owner !== undefined) query = query.where('state', '=', 'deferred')
    // A recipient held by a restore may have been delivered before, so only a selection that names the message or the
    // restore includes such a recipient.
    if (selection.messageId === undefined && selection.restored === undefined) {
      query = query.where('waits_for', 'not like', `${holdOf('restored', '')}%`)
    }
    const rows = await query.execute()
    // A retry by a customer makes no attempt for a paused recipient, so the result does not count the recipient.
    const due = selection.owner === undefined ? rows : await withoutPaused(db, rows)
    await updateRows(
      db,
      'queue',
      ['message_id', 'position'],
      due.map(({ messageId: message_id, position }) => ({
        message_id,
        position,
        state: 'ready' as const,
        waits_for: '',
        start_tag: now,
        faults: 0,
      })),
      { clear: ['due_at'] },
    )
    results.push({ ...batchOf(rows), recipients: due.length })
  }
  return results
}
retryRecipients.auditTarget = selectedName

/** Returns the recipients that no pause holds. */
async function withoutPaused<Row extends { readonly domainId: string; destination: string; stream: string }>(
  db: Database,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (rows.length === 0) return rows
  const paused = await listPaused(db)
  if (paused.size === 0) return rows
  const domains = await findSendingDomains(db, new Set(rows.map(({ domainId }) => domainId)))
  return rows.filter((row) => {
    const { domainName = '' } = domains.get(row.domainId) ?? {}
    return pauseOf({ ...row, domainName }, paused) === undefined
  })
}

/**
 * Ends up to 500 waiting recipients as cancelled, with an event that names the cause. Skips recipients in an attempt.
 */
export async function cancelRecipients(
  db: Database,
  items: readonly (OperatorRequest & { readonly by: CancelledBy })[],
): Promise<OperatorBatch[]> {
  const results: OperatorBatch[] = []
  for (const { selection, after, by, now } of items) {
    const rows = await selectWaiting(db, selection, after).execute()
    await endAsCancelled(db, rows, by, now)
    results.push(batchOf(rows))
  }
  return results
}
cancelRecipients.auditTarget = selectedName

const batchOf = (rows: readonly RecipientKey[]): OperatorBatch => ({
  recipients: rows.length,
  next: rows.length < OPERATOR_BATCH ? undefined : rows.at(-1),
})

/** Cause of a cancellation; `domain` means that the domain was deleted. */
type CancelledBy = 'sender' | 'operator' | 'domain'

/** The fields of a recipient in the queue that are needed to cancel the recipient. */
type Waiting = Omit<NewEvent['row'], 'email' | 'inboxId'> & RecipientKey & { readonly destination: string }

/**
 * Cancels recipients that the caller has locked: removes the recipients from the queue, and writes their statuses and
 * events.
 */
export async function endAsCancelled(
  db: Database,
  rows: readonly Waiting[],
  by: CancelledBy,
  now: number,
): Promise<void> {
  const ended = await withEmails(db, rows)
  await endRecipients(db, ended, 'cancelled', now)
  await keepEvents(
    db,
    ended.map((row) => eventOf({ ...row, inboxId: inboxOf(row.destination) }, 'cancelled', now, { by })),
  )
}

/**
 * Selects recipients that no node holds, and locks their rows, so that no node claims the recipients during the
 * transaction. A query for named messages waits until other nodes have finished claiming or releasing recipients, so
 * that the result is reliable; any other query skips such recipients.
 */
function selectWaiting(db: Database, selection: QueueSelection, after: RecipientKey | undefined) {
  const isNamed = selection.messageId !== undefined || selection.messageIds !== undefined
  const lock = isNamed ? LOCK_WAITING : LOCK_CLAIMED
  let query = db
    .selectFrom('queue')
    .select(QUEUED)
    .where('state', '!=', 'active')
    .orderBy('message_id')
    .orderBy('position')
    .limit(OPERATOR_BATCH)
    .modifyEnd(lock[isPostgres(db) ? 'postgres' : 'sqlite'])
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('message_id', 'position'), '>', tuple(after.messageId, after.position)),
    )
  }
  const { messageId, messageIds, owner, destination, stream, domainName, restored } = selection
  if (messageIds !== undefined) query = query.where('message_id', 'in', messageIds)
  if (restored !== undefined) {
    query = query.where('state', '=', 'held').where('waits_for', '=', holdOf('restored', restored))
  }
  if (messageId !== undefined) query = query.where('message_id', '=', messageId)
  if (owner !== undefined) {
    query = query.where('account_id', '=', owner.accountId).where('domain_id', '=', owner.domainId)
  }
  if (destination !== undefined) query = query.where('destination', '=', destination)
  if (stream !== undefined) query = query.where('stream', '=', stream)
  if (domainName !== undefined) {
    query = query.where('domain_id', 'in', (eb) =>
      eb.selectFrom('domains').select('domains.id').where('domains.name', '=', domainName),
    )
  }
  return query
}

/**
 * Pauses a destination, a stream or a domain; the result is false if the pause existed already. A new note replaces the
 * note of an existing pause.
 */
export async function pauseQueue(
  db: Database,
  items: readonly (Omit<Pause, 'note'> & Partial<Pick<Pause, 'note'>>)[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { note = null, ...item } of items) {
    const rows = await db
      .insertInto('queue_pauses')
      .values({ ...item, note })
      .onConflict((on) => on.columns(['kind', 'value']).doNothing())
      .returning('value')
      .execute()
    results.push(rows.length > 0)
    if (rows.length > 0 || note === null) continue
    await db
      .updateTable('queue_pauses')
      .set({ note })
      .where('kind', '=', item.kind)
      .where('value', '=', item.value)
      .execute()
  }
  return results
}
pauseQueue.auditTarget = ({ value }: { readonly value: string }): string => value

/** Ends the pause of a destination, a stream or a domain; the result is false if no pause existed. */
export async function resumeQueue(
  db: Database,
  items: readonly { readonly kind: HoldKind; readonly value: string }[],
): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { kind, value } of items) {
    const rows = await db
      .deleteFrom('queue_pauses')
      .where('kind', '=', kind)
      .where('value', '=', value)
      .returning('value')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}
resumeQueue.auditTarget = ({ value }: { readonly value: string }): string => value

/** Summary of the queue for one destination. */
export interface QueueLine {
  readonly destination: string
  /** Number of waiting recipients, including recipients in an attempt. */
  readonly recipients: number
  readonly inAttempt: number
  /** Number of recipients held by a pause or by a restore. */
  readonly held: number
  /** Time of the next attempt, or the end of an attempt in progress; null if all recipients are held. */
  readonly nextAttemptAt: number | null
  readonly oldestMessageId: string
}

/** Returns summaries of the queue by destination, in descending order of recipients, after the position `after`. */
export async function summariseQueue(
  read: Read,
  limit: number,
  after?: Pick<QueueLine, 'recipients' | 'destination'>,
): Promise<QueueLine[]> {
  let query = read
    .selectFrom('queue')
    .select(({ fn }) => [
      'destination',
      fn.countAll<number>().as('recipients'),
      fn.count<number>('lease').as('inAttempt'),
      fn.countAll<number>().filterWhere('state', '=', 'held').as('held'),
      fn
        .min<number | null>(fn.coalesce('lease_until', 'due_at', 'start_tag'))
        .filterWhere('state', '!=', 'held')
        .as('nextAttemptAt'),
      fn.min('message_id').as('oldestMessageId'),
    ])
    .groupBy('destination')
    .orderBy('recipients', 'desc')
    .orderBy('destination')
    .limit(limit)
  if (after !== undefined) {
    const { recipients, destination } = after
    query = query.having(({ eb, fn }) =>
      eb.or([
        eb(fn.countAll<number>(), '<', recipients),
        eb.and([eb(fn.countAll<number>(), '=', recipients), eb('destination', '>', destination)]),
      ]),
    )
  }
  return query.execute()
}

export type Pause = Tables['queue_pauses']

/** Returns the pauses that operators have set. */
export const listPauses = (read: Read): Promise<Pause[]> =>
  read.selectFrom('queue_pauses').selectAll().orderBy('kind').orderBy('value').execute()

/** A message as an operator sees it: of any account, with all attempts. */
export interface InspectedMessage {
  readonly message: Message
  readonly recipients: readonly Recipient[]
  readonly attempts: readonly Tables['attempts'][]
}

/** Reads a message; undefined if no message has this ID. */
export async function inspectMessage(read: Read, id: string): Promise<InspectedMessage | undefined> {
  const recipients = await readRecipients(read, [id])
  const [first] = recipients
  if (first === undefined) return undefined
  const message = await read
    .selectFrom('messages')
    .selectAll()
    .where('domain_id', '=', first.domain_id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const attempts = await read
    .selectFrom('attempts')
    .selectAll()
    .where('message_id', '=', id)
    .orderBy('position')
    .orderBy('number')
    .execute()
  return { message: withStatus(message, recipients), recipients, attempts }
}
