// Changes the time of a scheduled message; the commit decides between the change and the release by the queue.

import { sql } from 'kysely'
import type { RecipientStatus } from '../../model/recipient.ts'
import { inboxOf } from '../../model/test-inbox.ts'
import { firstState } from '../../model/triage.ts'
import { type Database, isPostgres, LOCK_WAITING } from '../database/dialect.ts'
import { updateRows } from '../database/rows.ts'
import { keepEvents, scheduledEvent } from '../messages/history.ts'
import type { Owner } from '../messages/owner.ts'
import { withEmails } from '../messages/recipients.ts'
import { QUEUED } from './leases.ts'

/** New time of a message. */
export interface Reschedule {
  readonly owner: Owner
  readonly messageId: string
  /** Time to send the message, in milliseconds since the epoch; null to send the message now. */
  readonly sendAt: number | null
  /** Start tag of each recipient, by its position. */
  readonly startTags: readonly number[]
  /** True if each recipient must wait until the time of its start tag, because the stream has a rate limit. */
  readonly isPaced: boolean
  readonly now: number
}

/** Result of a change; `released` means that the queue has released a recipient, or that no recipient waits. */
export type Rescheduled = 'changed' | 'released'

const KEY = ['message_id', 'position'] as const
/** Statuses of recipients that the queue has not released. */
const UNRELEASED: ReadonlySet<RecipientStatus> = new Set(['scheduled', 'suppressed', 'cancelled'])

/** Changes the time of messages, and adds a `scheduled` event with the new time for each waiting recipient. */
export async function rescheduleMessage(db: Database, items: readonly Reschedule[]): Promise<Rescheduled[]> {
  const results: Rescheduled[] = []
  for (const item of items) results.push(await reschedule(db, item))
  return results
}
rescheduleMessage.auditTarget = ({ messageId }: Pick<Reschedule, 'messageId'>): string => messageId

async function reschedule(db: Database, item: Reschedule): Promise<Rescheduled> {
  const { owner, messageId, sendAt, startTags, isPaced, now } = item
  const rows = await lockedRows(db, item)
  const recipients = await db
    .selectFrom('recipients')
    .select('status')
    .where('message_id', '=', messageId)
    .execute()
  const isScheduled = rows.length > 0 && rows.every(({ state }) => state === 'scheduled')
  if (!isScheduled || recipients.some(({ status }) => !UNRELEASED.has(status))) return 'released'
  const at = sendAt ?? now
  const status = sendAt === null ? ('queued' as const) : ('scheduled' as const)
  const keys = rows.map(({ position }) => ({ message_id: messageId, position }))
  await updateRows(
    db,
    'queue',
    KEY,
    keys.map((key) => {
      const start_tag = startTags[key.position] ?? at
      const { state, dueAt } = firstState({ acceptedAt: now, sendAt, isPaced }, start_tag)
      return { ...key, state, start_tag, due_at: dueAt }
    }),
    { isUnread: true },
  )
  const changed = keys.map((key) => ({ ...key, status, last_event_at: now }))
  await updateRows(db, 'recipients', KEY, changed, { isUnread: true })
  await db
    .updateTable('messages')
    .set({
      status,
      send_at: at,
      updated_at: now,
      expires_at: sql<number | null>`expires_at + (${at} - send_at)`,
    })
    .where('domain_id', '=', owner.domainId)
    .where('id', '=', messageId)
    .execute()
  const named = await withEmails(db, rows)
  await keepEvents(
    db,
    named.map((row) => scheduledEvent({ ...row, inboxId: inboxOf(row.destination) }, at, now)),
  )
  return 'changed'
}

/**
 * Returns the rows of a message in the queue, after other transactions that change the rows have ended; no node releases
 * the recipients until the transaction ends.
 */
const lockedRows = (db: Database, { owner, messageId }: Pick<Reschedule, 'owner' | 'messageId'>) =>
  db
    .selectFrom('queue')
    .select([...QUEUED, 'state'])
    .where('message_id', '=', messageId)
    .where('account_id', '=', owner.accountId)
    .where('domain_id', '=', owner.domainId)
    .orderBy('position')
    .modifyEnd(LOCK_WAITING[isPostgres(db) ? 'postgres' : 'sqlite'])
    .execute()
