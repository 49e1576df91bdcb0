// The queue in an operator's hands: try now, cancel, pause, let go on, look.

import type { PauseKind } from '../../model/queue-state.ts'
import {
  type Database,
  isPostgres,
  LOCK_CLAIMED,
  LOCK_WAITING,
  type Read,
  updateRows,
} from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import { deriveMessageStatuses, eventOf, keepEvents, type NewEvent } from '../messages/history.ts'
import type { Message, Owner, Recipient } from '../messages/messages.ts'

/** Selection of waiting recipients; all conditions must match. */
export interface QueueSelection {
  /** Owner of the messages, where a customer asks. */
  readonly owner?: Owner | undefined
  readonly messageId?: string | undefined
  readonly destination?: string | undefined
  readonly domainName?: string | undefined
  readonly stream?: string | undefined
}

/** Rows that one write of an operator takes, so that mail is accepted in between; the caller repeats it. */
export const OPERATOR_BATCH = 500

/**
 * Makes up to 500 waiting recipients due at once; answers how many. Those in an attempt are left alone, and those
 * whose time their sender has chosen.
 */
export async function retryRecipients(
  db: Database,
  items: readonly { readonly selection: QueueSelection; readonly now: number }[],
): Promise<number[]> {
  const counts: number[] = []
  for (const { selection, now } of items) {
    const rows = await selectWaiting(db, selection)
      .where('lane', '!=', 'ready')
      // Recipients made due by the batch before, and throttled again by a worker.
      .where('next_attempt_at', '!=', now)
      .where('status', '!=', 'scheduled')
      .execute()
    await updateRows(
      db,
      'recipients',
      ['message_id', 'position'],
      rows.map(({ message_id, position }) => ({
        message_id,
        position,
        lane: 'ready' as const,
        next_attempt_at: now,
        faults: 0,
      })),
    )
    counts.push(rows.length)
  }
  return counts
}

/**
 * Ends up to 500 waiting recipients as cancelled, with their event that says by whom; answers how many. Attempts are
 * left alone.
 */
export async function cancelRecipients(
  db: Database,
  items: readonly {
    readonly selection: QueueSelection
    readonly by: CancelledBy
    readonly now: number
  }[],
): Promise<number[]> {
  const counts: number[] = []
  for (const { selection, by, now } of items) {
    const rows = await selectWaiting(db, selection).execute()
    const waiting = rows.map((row) => ({
      messageId: row.message_id,
      position: row.position,
      accountId: row.account_id,
      domainId: row.domain_id,
      stream: row.stream,
      email: row.email,
    }))
    await endAsCancelled(db, waiting, by, now)
    counts.push(rows.length)
  }
  return counts
}

/** Party that has given recipients up: `domain`: it was deleted. */
type CancelledBy = 'sender' | 'operator' | 'domain'

/** Ends recipients that nobody holds as cancelled: state, event and message. */
export async function endAsCancelled(
  db: Database,
  rows: readonly (NewEvent['row'] & { readonly position: number })[],
  by: CancelledBy,
  now: number,
): Promise<void> {
  await updateRows(
    db,
    'recipients',
    ['message_id', 'position'],
    rows.map(({ messageId, position }) => ({
      message_id: messageId,
      position,
      status: 'cancelled' as const,
      lane: null,
      next_attempt_at: null,
      last_event_at: now,
    })),
  )
  await keepEvents(
    db,
    rows.map((row) => eventOf(row, 'cancelled', now, { by })),
  )
  await deriveMessageStatuses(db, new Map(rows.map((row) => [row.messageId, row.domainId])), now)
}

/**
 * Those that nobody holds, locked, so that no worker claims them meanwhile. Of one message those that a worker is just
 * claiming or handing back are waited for, so that the answer about it is sure; of many they are left out.
 */
function selectWaiting(db: Database, selection: QueueSelection) {
  const lock = selection.messageId === undefined ? LOCK_CLAIMED : LOCK_WAITING
  let query = db
    .selectFrom('recipients')
    .selectAll('recipients')
    .select(({ selectFrom }) =>
      selectFrom('messages')
        .select('messages.stream')
        .whereRef('messages.domain_id', '=', 'recipients.domain_id')
        .whereRef('messages.id', '=', 'recipients.message_id')
        .$asScalar()
        .$notNull()
        .as('stream'),
    )
    .where('lane', 'is not', null)
    .where('lane', '!=', 'leased')
    .limit(OPERATOR_BATCH)
    .modifyEnd(lock[isPostgres(db) ? 'postgres' : 'sqlite'])
  if (selection.messageId !== undefined) {
    query = query.where('message_id', '=', selection.messageId).orderBy('position')
  }
  if (selection.owner !== undefined) {
    const { accountId, domainId } = selection.owner
    query = query.where('account_id', '=', accountId).where('domain_id', '=', domainId)
  }
  if (selection.destination !== undefined) query = query.where('destination', '=', selection.destination)
  if (selection.stream !== undefined) {
    const stream = selection.stream
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('messages')
          .select('messages.id')
          .whereRef('messages.domain_id', '=', 'recipients.domain_id')
          .whereRef('messages.id', '=', 'recipients.message_id')
          .where('messages.stream', '=', stream),
      ),
    )
  }
  if (selection.domainName !== undefined) {
    const name = selection.domainName
    query = query.where('domain_id', 'in', (eb) =>
      eb.selectFrom('domains').select('domains.id').where('domains.name', '=', name),
    )
  }
  return query
}

/** Holds back a destination, a stream or a domain; false when it was paused already. */
export async function pauseQueue(db: Database, items: readonly Tables['queue_pauses'][]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const item of items) {
    const rows = await db
      .insertInto('queue_pauses')
      .values(item)
      .onConflict((on) => on.columns(['kind', 'value']).doNothing())
      .returning('value')
      .execute()
    results.push(rows.length > 0)
  }
  return results
}

/** Lets it go on; false when it was not paused. */
export async function resumeQueue(
  db: Database,
  items: readonly { readonly kind: PauseKind; readonly value: string }[],
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

/** A line of the queue by destination. */
export interface QueueLine {
  readonly destination: string
  /** Number of waiting recipients, those in an attempt included. */
  readonly recipients: number
  readonly inAttempt: number
  readonly nextAttemptAt: number
  readonly oldestMessageId: string
}

/** The queue by destination, the longest first, from behind `after`. */
export async function summariseQueue(
  read: Read,
  limit: number,
  after?: Pick<QueueLine, 'recipients' | 'destination'>,
): Promise<QueueLine[]> {
  let query = read
    .selectFrom('recipients')
    .select(({ fn }) => [
      'destination',
      fn.countAll<number>().as('recipients'),
      fn.count<number>('lease').as('inAttempt'),
      fn.min<number>('next_attempt_at').as('nextAttemptAt'),
      fn.min('message_id').as('oldestMessageId'),
    ])
    .where('lane', 'is not', null)
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

/** Pauses in force. */
export const listPauses = (read: Read): Promise<Pause[]> =>
  read.selectFrom('queue_pauses').selectAll().orderBy('kind').orderBy('value').execute()

/** A message as the operator sees it: whatever its account, with all attempts. */
export interface InspectedMessage {
  readonly message: Message
  readonly recipients: readonly Recipient[]
  readonly attempts: readonly Tables['attempts'][]
}

/** Undefined when nobody has such a message. */
export async function inspectMessage(read: Read, id: string): Promise<InspectedMessage | undefined> {
  const recipients = await read
    .selectFrom('recipients')
    .selectAll()
    .where('message_id', '=', id)
    .orderBy('position')
    .execute()
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
  return { message, recipients, attempts }
}
