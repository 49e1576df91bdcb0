// PostgreSQL: the contents of messages stand in partitions by the day.

import type { Kysely } from 'kysely'
import type { DialectName } from '../dialect.ts'
import { CONTENT_PARTITIONS, divideEmpty } from '../partitions.ts'

/** A table with rows is put into partitions later, while nodes use it (`operator/table-upkeep.ts`). */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  if (dialect === 'postgres') await divideEmpty(db, CONTENT_PARTITIONS, Date.now())
}
