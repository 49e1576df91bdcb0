// Finds the reason why a PostgreSQL session waits: locks of other transactions, or a standby.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Tables } from './schema.ts'

/** Interval between two reports. */
const REPORT_EVERY_MS = 10_000

/** Maximum number of lock holders that a report names. */
const MAX_NAMED = 3

/**
 * Runs work on the only connection of `db`. A separate connection checks every ten seconds whether a lock or a standby
 * blocks the work, and reports the cause. Work that takes long without being blocked is not reported.
 */
export async function reportWaits<T>(
  db: Kysely<Tables>,
  connect: () => Kysely<Tables>,
  report: (sentence: string) => void,
  work: () => Promise<T>,
  everyMs = REPORT_EVERY_MS,
): Promise<T> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  const pid = rows[0]?.pid ?? 0
  const done = new AbortController()
  const check = async (): Promise<void> => {
    const other = connect()
    const sentence = await waitOf(other, pid).catch(() => undefined)
    if (sentence !== undefined) report(sentence)
    await other.destroy()
  }
  const reporting = (async () => {
    while (await sleep(everyMs, true, { signal: done.signal }).catch(() => false)) await check()
  })()
  try {
    return await work()
  } finally {
    done.abort()
    await reporting
  }
}

interface Holder {
  readonly pid: number
  readonly application: string | null
  readonly state: string | null
  readonly seconds: number | null
}

/** Returns a sentence that explains why a session waits; undefined if the session does not wait. */
async function waitOf(db: Kysely<Tables>, pid: number): Promise<string | undefined> {
  const { rows: holders } = await sql<Holder>`
    select holder.pid, application_name as application, state,
      round(extract(epoch from clock_timestamp() - xact_start))::float8 as seconds
    from (select distinct unnest(pg_blocking_pids(${pid})) as pid) as holder
    left join pg_stat_activity using (pid) order by xact_start limit ${MAX_NAMED}`.execute(db)
  if (holders.length > 0) {
    const named = holders.map(nameOf).join(', ')
    return `The store is not open yet: it waits for a database lock, which ${named} holds until the end of its transaction.`
  }
  const { rows } = await sql`
    select from pg_stat_activity where pid = ${pid} and wait_event = 'SyncRep'`.execute(db)
  return rows.length === 0
    ? undefined
    : 'The store is not open yet: it waits for a synchronous standby of the database to confirm a commit; check that the standby runs, or change synchronous_standby_names.'
}

/** Returns a description of a lock holder; a prepared transaction has no session. */
function nameOf({ pid, application, state, seconds }: Holder): string {
  if (pid === 0) return 'a prepared transaction'
  // A role without `pg_monitor` sees few properties of the sessions of other roles.
  const about = [application || 'without a name', state, seconds && `its transaction is ${seconds} s old`]
  return `process ${pid} (${about.filter(Boolean).join(', ')})`
}
