// Lock that prevents concurrent changes to the workspace of a domain.

import { type Database, isPostgres } from '../database/dialect.ts'

/**
 * Waits until no other transaction saves or deletes templates, layouts or streams of the domain, and blocks such
 * transactions until the caller's transaction ends. Facts that the caller reads (an alias, a layout in use, a count)
 * therefore still hold when the caller writes. SQLite has only one writer and needs no lock.
 */
export async function lockWorkspace(db: Database, domainId: string): Promise<void> {
  if (!isPostgres(db)) return
  await db.selectFrom('domains').select('id').where('id', '=', domainId).forUpdate().execute()
}
