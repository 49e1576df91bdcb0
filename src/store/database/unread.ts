// Runs statements of a transaction whose results are not read.

import type { CompiledQuery } from 'kysely'
import type { Database } from './dialect.ts'

/**
 * Sends a statement to PostgreSQL without waiting; the end of the transaction reports an error of the statement. A
 * statement of SQLite runs at once, without the query builder, which would take the connection for each statement; an
 * error of the statement is thrown.
 */
type Send = (query: CompiledQuery) => void

const senders = new WeakMap<Database, Send>()

/** Sets the function that sends the unread statements of a transaction. */
export const sendUnread = (db: Database, send: Send): void => void senders.set(db, send)

/**
 * Runs a statement whose result is not read. A transaction on PostgreSQL only sends the statement, so that the next
 * statements and the commit follow immediately; an error of the statement makes the transaction fail. The promise
 * resolves after the statement has ended in all other cases.
 *
 * @throws the error of the statement, except in a transaction on PostgreSQL
 */
export async function executeUnread(db: Database, query: CompiledQuery): Promise<void> {
  const send = senders.get(db)
  if (send === undefined) await db.executeQuery(query)
  else send(query)
}
