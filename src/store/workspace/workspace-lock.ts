// Keeps two writers from changing the workspace of one domain at the same time.

import { type Database, isPostgres } from '../database/dialect.ts'

/**
 * Waits until no other transaction saves or deletes templates, layouts or streams of the domain, and holds others off
 * until the transaction ends: so that what is looked up (an alias, a layout in use, how many there are) still holds
 * when it is written. SQLite has one writer anyway.
 */
export async function lockWorkspace(db: Database, domainId: string): Promise<void> {
  if (!isPostgres(db)) return
  await db.selectFrom('domains').select('id').where('id', '=', domainId).forUpdate().execute()
}
