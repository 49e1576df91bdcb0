// Prevents concurrent changes to the workspace of a domain.

import { type Database, isPostgres } from '../database/dialect.ts'

/**
 * Waits until no other transaction saves or deletes templates, layouts or streams of the domain, and blocks such
 * transactions until this one ends, so that the facts it reads (an alias, a layout in use, a number) still hold when it
 * writes. SQLite has one writer anyway.
 */
export async function lockWorkspace(db: Database, domainId: string): Promise<void> {
  if (!isPostgres(db)) return
  await db.selectFrom('domains').select('id').where('id', '=', domainId).forUpdate().execute()
}
