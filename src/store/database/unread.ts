// Statements of a transaction whose answers nobody reads.

import type { CompiledQuery } from 'kysely'
import type { Database } from './dialect.ts'

/** Sends a statement, and leaves its answer to the end of the transaction. */
type Send = (query: CompiledQuery) => void

const senders = new WeakMap<Database, Send>()

/** Has the statements of a transaction that are not waited for sent in this way. */
export const sendUnread = (db: Database, send: Send): void => void senders.set(db, send)

/**
 * Runs a statement whose answer nobody reads. In a transaction on PostgreSQL it is only sent, so that those behind it and
 * the commit follow at once; when it fails, the transaction does, with its error. Elsewhere it has ended when this resolves.
 */
export async function executeUnread(db: Database, query: CompiledQuery): Promise<void> {
  const send = senders.get(db)
  if (send === undefined) await db.executeQuery(query)
  else send(query)
}
