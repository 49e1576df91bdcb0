// The shared store: PostgreSQL, for many nodes.

import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { OpenDatabase } from './database.ts'
import { commitGroups, type WriteProgram } from './group-commit.ts'
import { migrate } from './migrate.ts'
import { GuardedPool } from './postgres-pool.ts'
import type { Tables } from './schema.ts'

const INT8 = 20

/** Commits at once: while one waits for its fsync, a second one gathers. */
const COMMITS = { accepting: 2, ending: 2, other: 1 } as const
/** A node that stands still in the middle of a transaction holds up the others for so long at most. */
const MAX_IDLE_MS = 5_000

/** Time for which closing waits for the other side. */
const CLOSE_MS = 3_000

/**
 * Connects, makes or migrates the tables. A query that is not answered within `timeoutMs` has failed. `onError` hears
 * of connections that broke.
 */
export async function openPostgresStore(
  url: string,
  timeoutMs: number,
  onError: (error: Error) => void,
  program: WriteProgram,
): Promise<OpenDatabase> {
  const options: pg.PoolConfig = {
    connectionString: url,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: Math.min(5_000, timeoutMs),
    application_name: 'postrider',
    // Whole milliseconds and counts fit a double.
    types: {
      getTypeParser: ((oid: number, format: 'text' | 'binary') =>
        oid === INT8
          ? Number
          : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  }
  const connect = (more: pg.PoolConfig): Kysely<Tables> =>
    new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: new GuardedPool({ ...options, ...more }, onError) }),
    })
  program.opened()
  const { migrated, isCommitLazy } = await migrateOnce(connect({ max: 1 }), program)
  const limits: pg.PoolConfig = {
    // The server gives up at the same time as we do, and lets go of what a node holds that died in a transaction.
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: Math.min(MAX_IDLE_MS, timeoutMs),
    query_timeout: timeoutMs,
  }
  // Apart, so that slow searches never keep a commit waiting for a connection.
  const read = connect({ max: 8, ...limits })
  const write = connect({
    max: COMMITS.accepting + COMMITS.ending + COMMITS.other,
    ...limits,
    // What is answered with 202 or 250 survives a crash; a role or a database may have it off.
    ...(isCommitLazy ? { options: '-c synchronous_commit=on' } : {}),
  })
  return {
    read,
    migrated,
    commitsAtOnce: COMMITS,
    commit: (groups) => commitGroups(groups, (work) => write.transaction().execute(work), program),
    async close() {
      const closed = Promise.all([read.destroy(), write.destroy()])
      const late = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())
      await Promise.race([closed, late])
    },
  }
}

/** On a connection of its own, without time limits: changing a large table takes what it takes. */
async function migrateOnce(
  db: Kysely<Tables>,
  program: WriteProgram,
): Promise<{ readonly migrated: string[]; readonly isCommitLazy: boolean }> {
  try {
    const migrated = await migrate(db as unknown as Kysely<never>, 'postgres')
    await program.migrated(db)
    const { rows } = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(db)
    return { migrated, isCommitLazy: rows[0]?.synchronous_commit === 'off' }
  } finally {
    await db.destroy()
  }
}
