// Verifications of single addresses are found among those of the same length, instead of by an index that cost more than they.

import type { Kysely } from 'kysely'
import type { DialectName } from '../dialect.ts'
import { CHECKS_BY_LENGTH, makeAtOnce, makeWhereEmpty } from '../late-indexes.ts'

/** Where nodes of the version before still write, the index is made behind the start (`operator/table-upkeep.ts`). */
export const up = (db: Kysely<unknown>, dialect: DialectName): Promise<void> =>
  (dialect === 'postgres' ? makeWhereEmpty : makeAtOnce)(db, CHECKS_BY_LENGTH)
