// The history of recipients as rows, and the state of a message that follows from it.

import { newId } from '../lib/ids.ts'
import type { EventType } from '../model/event.ts'
import { messageStatus } from '../model/message.ts'
import { type Database, insertRows, isPostgres, updateRows } from './dialect.ts'
import { countEvent } from './message-counts.ts'

/** An event of a recipient that is about to be written. */
export interface NewEvent {
  readonly row: {
    readonly messageId: string
    readonly accountId: string
    readonly domainId: string
    readonly stream: string
    readonly email: string
    /** When it was to be sent: how long a delivery took is counted from there. */
    readonly createdAt?: number
  }
  readonly type: EventType
  readonly at: number
  readonly detail: object
}

export const eventOf = (row: NewEvent['row'], type: EventType, at: number, detail: object): NewEvent => ({
  row,
  type,
  at,
  detail,
})

/** Writes events; they are counted in the same transaction. */
export async function keepEvents(db: Database, events: readonly NewEvent[]): Promise<void> {
  await insertRows(
    db,
    'events',
    events.map(({ row, type, at, detail }) => ({
      id: newId('evt', at),
      message_id: row.messageId,
      account_id: row.accountId,
      domain_id: row.domainId,
      type,
      at,
      email: row.email,
      detail: JSON.stringify(detail),
    })),
  )
  for (const event of events) countEvent(db, event)
}

/**
 * Sets the state of messages, given with their domains, from the states of their recipients. The messages are locked
 * first: of two transactions that end recipients of the same message, the later one must see what the earlier did.
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
  await updateRows(db, 'messages', ['domain_id', 'id'], changes)
}
