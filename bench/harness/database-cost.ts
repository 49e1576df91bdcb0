// Measures the cost of messages in PostgreSQL: CPU time of the server processes, bytes of write-ahead log, and disk
// space.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { treeFigures } from './process-tree.ts'

/** Resource usage of a PostgreSQL server on this machine since the start of the server. */
export interface DatabaseCost {
  /** CPU time of all processes of the PostgreSQL server, in microseconds. */
  readonly cpuMicros: number
  readonly walBytes: number
  /** Size of all tables and indexes, in bytes. */
  readonly storedBytes: number
  readonly commits: number
}

/** Returns the resource usage of PostgreSQL; undefined for SQLite, which has no processes of its own. */
export async function databaseCost(url: string | undefined): Promise<DatabaseCost | undefined> {
  if (url === undefined) return undefined
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ directory: string; wal: string; stored: string; commits: string }>(
    `select current_setting('data_directory') as directory, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal,
       pg_database_size(current_database()) as stored,
       (select xact_commit from pg_stat_database where datname = current_database()) as commits`,
  )
  await client.end()
  const { directory = '', wal, stored, commits } = rows[0] ?? {}
  const postmaster = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
  return {
    cpuMicros: treeFigures([postmaster]).cpuMicros,
    walBytes: Number(wal),
    storedBytes: Number(stored),
    commits: Number(commits),
  }
}
