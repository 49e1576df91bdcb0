// The plan of a database for a query.

import { CompiledQuery, sql } from 'kysely'
import { isPostgres, type Read } from '../../src/store/database/dialect.ts'

/**
 * Returns the plan of a query. PostgreSQL is set to avoid sequential scans, so the plan shows a suitable index even for
 * a small table.
 */
export const planOf = (read: Read, { sql: text, parameters }: CompiledQuery): Promise<string> =>
  read.connection().execute(async (connection) => {
    const postgres = isPostgres(read)
    if (postgres) await sql`set enable_seqscan = off`.execute(connection)
    const explain = postgres ? 'explain' : 'explain query plan'
    const { rows } = await connection.executeQuery<object>(
      CompiledQuery.raw(`${explain} ${text}`, [...parameters]),
    )
    if (postgres) await sql`reset enable_seqscan`.execute(connection)
    return rows.flatMap((row) => Object.values(row)).join('\n')
  })
