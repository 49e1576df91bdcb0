// Stores the events of recipients, and derives the status of messages from the statuses of their recipients.

import { newId } from '../../lib/ids.ts'
import type { EventType } from '../../model/event.ts'
import { messageStatus } from '../../model/message.ts'
import { type Database, isPostgres } from '../database/dialect.ts'
import { deleteRows, insertRows, updateRows } from '../database/rows.ts'
import { type LoggedDialog, type LoggedOutcome, logEvent } from '../events/event-log.ts'

/** A new event of a recipient. */
export interface NewEvent {
  readonly row: {
    readonly messageId: string
    readonly accountId: string
    readonly domainId: string
    readonly stream: string
    readonly email: string
    /** Test inbox of the message; null for a live message and for received mail. */
    readonly inboxId: string | null
    /** Time at which the message was to be sent; the delivery time is measured from this time. */
    readonly createdAt?: number
    /** Search words of the message; set only in the first event of the message. */
    readonly words?: string
    /** Tag of the message; statistics count the event under this tag. */
    readonly tag?: string | null | undefined
    /** Size of the content in bytes; set only in the first event of the message. */
    readonly size?: number
  }
  readonly type: EventType
  readonly at: number
  readonly detail: object
  /** True for an event that is stored but not counted in statistics. */
  readonly uncounted?: boolean
  /** The dialog of an attempt, for the counts of replies. */
  readonly dialog?: LoggedDialog
}

export const eventOf = (row: NewEvent['row'], type: EventType, at: number, detail: object): NewEvent => ({
  row,
  type,
  at,
  detail,
})

/** Returns the `scheduled` event, which contains the time at which the message will be sent. */
export const scheduledEvent = (row: NewEvent['row'], sendAt: number, now: number): NewEvent =>
  eventOf(row, 'scheduled', now, { send_at: new Date(sendAt).toISOString() })

/**
 * Writes events to the table `events` and to the event log. The detail of an event of a test message says so, and no
 * statistics count the event.
 */
export async function keepEvents(db: Database, events: readonly NewEvent[]): Promise<void> {
  const rows = events.map(({ row, type, at, detail, dialog, uncounted: isUncounted = false }) => {
    const { messageId, accountId, domainId, stream, email, inboxId } = row
    const isTest = inboxId !== null
    const uncounted = isUncounted || isTest
    const { createdAt = null, words = null, tag = null, size = null } = row
    const id = newId('evt', at)
    const logged = { id, accountId, domainId, stream, type, at, messageId, createdAt, words, tag, size }
    logEvent(db, { ...logged, uncounted, outcome: outcomeOf(detail, dialog) })
    return {
      id,
      message_id: messageId,
      account_id: accountId,
      domain_id: domainId,
      type,
      at,
      email,
      detail: JSON.stringify(isTest ? { ...detail, test: true } : detail),
    }
  })
  await insertRows(db, 'events', rows)
}

/** Returns the fields of an event's detail that statistics use. */
function outcomeOf(detail: NewEvent['detail'], dialog: LoggedDialog = []): LoggedOutcome | undefined {
  const {
    category = null,
    mx = null,
    attempt = null,
  } = detail as Partial<Record<'category' | 'mx', string> & { attempt: number }>
  return category === null && mx === null ? undefined : [category, mx, attempt, ...dialog]
}

/** Identity of a recipient, with the domain of its message. */
interface EndedRecipient {
  readonly messageId: string
  readonly position: number
  readonly domainId: string
}

/**
 * Ends recipients that the caller has locked: removes the recipients from the queue, and sets the status of the
 * recipients and of their messages.
 */
export async function endRecipients(
  db: Database,
  rows: readonly EndedRecipient[],
  status: 'suppressed' | 'cancelled' | 'failed',
  now: number,
): Promise<void> {
  const keys = rows.map(({ messageId: message_id, position }) => ({ message_id, position }))
  await deleteRows(db, 'queue', ['message_id', 'position'], keys)
  const ended = keys.map((key) => ({ ...key, status, last_event_at: now }))
  await updateRows(db, 'recipients', ['message_id', 'position'], ended, { isUnread: true })
  await deriveMessageStatuses(db, new Map(rows.map((row) => [row.messageId, row.domainId])), now)
}

/**
 * Derives the status of messages from the statuses of their recipients. `messages` maps message IDs to domain IDs.
 * Locks the messages first: when two transactions end recipients of the same message, the later transaction must see
 * the changes of the earlier transaction.
 */
export async function deriveMessageStatuses(
  db: Database,
  messages: ReadonlyMap<string, string>,
  now: number,
): Promise<void> {
  if (messages.size === 0) return
  const ids = [...messages.keys()]
  if (isPostgres(db)) {
    await db
      .selectFrom('messages')
      .select('id')
      .where('domain_id', 'in', [...new Set(messages.values())])
      .where('id', 'in', ids)
      .orderBy('id')
      .forUpdate()
      .execute()
  }
  const rows = await db
    .selectFrom('recipients')
    .select(['message_id', 'status'])
    .where('message_id', 'in', ids)
    .execute()
  const changes = [...Map.groupBy(rows, (row) => row.message_id)].map(([id, recipients]) => ({
    domain_id: messages.get(id) as string,
    id,
    status: messageStatus(recipients.map((row) => row.status)),
    updated_at: now,
  }))
  await updateRows(db, 'messages', ['domain_id', 'id'], changes, { isUnread: true })
}
