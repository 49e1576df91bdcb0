// The shared store for many nodes, in PostgreSQL.

import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import type { OpenDatabase } from './database.ts'
import { NO_CONNECTION, whyReadOnly } from './dialect.ts'
import { commitGroups, type WriteProgram } from './group-commit.ts'
import { reportWaits } from './lock-waits.ts'
import { migrate } from './migrate.ts'
import { COMMITS, CONNECTIONS, READ_PLACES, READS, WRITING } from './postgres-connections.ts'
import { Hosts, UnfitDatabaseError } from './postgres-hosts.ts'
import { GuardedPool, type PoolOptions } from './postgres-pool.ts'
import { transactionsOf } from './postgres-transaction.ts'
import { ReadTurns } from './read-turns.ts'
import type { Tables } from './schema.ts'

const INT8 = 20

/** Maximum time for which a node that hangs in a transaction can block the other nodes. */
const MAX_IDLE_MS = 2_000
/** Maximum time for which a statement waits for rows that other transactions have locked. */
const MAX_LOCK_MS = 4_000
/**
 * Disables the time limits of the role or the database, because changing a large table takes time. The values are
 * strings because the driver omits the number 0.
 */
const NO_LIMITS = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
} as object
/** Additional time in which the server can report that it cancelled a statement. */
const ANSWER_MS = 250

/** Maximum time for which closing the connections waits for the server. */
const CLOSE_MS = 3_000

/**
 * Parsers for PostgreSQL values: a bigint becomes a number, because times in milliseconds and counts fit into a double.
 */
export const POSTGRES_TYPES = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/**
 * Connects to PostgreSQL, and creates or migrates the tables. A query that gets no answer within `timeoutMs` fails.
 * `onError` receives the errors of broken connections, and `onWait` receives a sentence that explains why opening the
 * store waits. `url` may contain several hosts, of which the host that accepts writes is used.
 */
export async function openPostgresStore(
  url: string,
  timeoutMs: number,
  onError: (error: Error) => void,
  program: WriteProgram,
  onWait: (sentence: string) => void = () => {},
): Promise<OpenDatabase> {
  const options = {
    hosts: new Hosts(url),
    writes: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: Math.min(5_000, timeoutMs),
    application_name: 'postrider',
    types: POSTGRES_TYPES,
  }
  const poolOf = (more: Pick<PoolOptions, 'max'> & Partial<PoolOptions>): GuardedPool =>
    new GuardedPool({ ...options, ...more }, onError)
  const connect = (more: Parameters<typeof poolOf>[0]): Kysely<Tables> => databaseOf(poolOf(more))
  program.opened()
  const unlimited = (): Kysely<Tables> => connect({ max: 1, ...NO_LIMITS })
  const own = unlimited()
  const beside = (): Kysely<Tables> => connect({ max: 1, query_timeout: timeoutMs })
  const migrating = reportWaits(own, beside, onWait, () => migrateOnce(own, program))
  const migrated = await migrating.finally(() => own.destroy())
  const limits: Partial<PoolOptions> = {
    // The timeouts of the server expire first, so that the locks of a crashed or hanging node are released before
    // waiting clients give up.
    idle_in_transaction_session_timeout: Math.min(MAX_IDLE_MS, timeoutMs),
    lock_timeout: Math.min(MAX_LOCK_MS, timeoutMs),
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs + ANSWER_MS,
  }
  // Reads have a separate pool, so that a commit never waits for a connection because of slow searches.
  const read = databaseOf(inTurns(poolOf({ max: READS.searching, ...limits }), new ReadTurns(READ_PLACES)))
  const urgentRead = connect({ max: READS.urgent, ...limits })
  const writers = poolOf({ max: WRITING, byKey: true, pipeline: true, ...limits })
  const write = databaseOf(writers)
  const transaction = transactionsOf(writers)
  // A server or pooler that cannot provide these connections is reported now, instead of at the first message.
  await Promise.all([write, read, urgentRead].map((db) => sql`select 1`.execute(db))).catch(async (error) => {
    await Promise.all([read.destroy(), urgentRead.destroy(), write.destroy()])
    throw whyReadOnly(error) === NO_CONNECTION ? tooFew() : error
  })
  return {
    read,
    urgentRead,
    migrated,
    commitsAtOnce: COMMITS,
    commit: (groups) => commitGroups(groups, transaction, program),
    async unlimited(work, stopping) {
      const own = unlimited()
      try {
        return await unlessAborted(work(own), stopping)
      } finally {
        await close(own)
      }
    },
    giveUp: () => options.hosts.leave(),
    close: () => close(read, urgentRead, write),
  }
}

const tooFew = (): UnfitDatabaseError =>
  new UnfitDatabaseError(
    'it has fewer than three connections left for this node',
    `each node takes up to ${CONNECTIONS} connections: raise max_connections, or the limit of the role or the database`,
  )

const databaseOf = (pool: PostgresPool): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

/** Wraps a pool so that accounts take turns in using the connections. */
const inTurns = (pool: GuardedPool, turns: ReadTurns): PostgresPool => ({
  options: pool.options,
  async connect() {
    const turn = await turns.take()
    const client = await pool.connect().catch((error) => {
      turn.end(0)
      throw error
    })
    const began = performance.now()
    return {
      query: client.query,
      release(isUnfit) {
        client.release(isUnfit)
        turn.end(performance.now() - began)
      },
    }
  },
  end: () => pool.end(),
})

/** Resolves with the result of the work, or rejects as soon as the signal is aborted. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('the node is stopping'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Closes connections, and waits up to CLOSE_MS for the server. */
async function close(...connections: readonly Kysely<Tables>[]): Promise<void> {
  const closed = Promise.all(connections.map((one) => one.destroy()))
  const late = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())
  await Promise.race([closed, late])
}

/** Migrates the tables on a separate connection without time limits. */
async function migrateOnce(db: Kysely<Tables>, program: WriteProgram): Promise<string[]> {
  const migrated = await migrate(db as unknown as Kysely<never>, 'postgres')
  await program.migrated(db)
  return migrated
}
