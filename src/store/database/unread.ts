// Runs statements of a transaction whose answers nobody reads.

import type { CompiledQuery } from 'kysely'
import type { Database } from './dialect.ts'

/** Sends a statement; the end of the transaction reports its error. */
type Send = (query: CompiledQuery) => void

const senders = new WeakMap<Database, Send>()

/** Sets the function that sends the unread statements of a transaction. */
export const sendUnread = (db: Database, send: Send): void => void senders.set(db, send)

/**
 * Runs a statement whose answer nobody reads. In a transaction on PostgreSQL the statement is only sent, so that the
 * next statements and the commit follow at once; if the statement fails, the transaction fails with its error.
 * Elsewhere the statement has ended when the promise resolves.
 */
export async function executeUnread(db: Database, query: CompiledQuery): Promise<void> {
  const send = senders.get(db)
  if (send === undefined) await db.executeQuery(query)
  else send(query)
}
