// Hosts of a PostgreSQL database: connections go to the host that accepts writes, and leave a host that has failed.

import pg from 'pg'
import { hostOf, hostUrls } from '../../lib/database-url.ts'
import { AWAITS_STANDBY, takesNoWrites } from './dialect.ts'
import { CONNECTIONS } from './postgres-connections.ts'

/** Time in milliseconds within which one of several hosts must accept a connection before the next host is tried. */
const NEXT_HOST_MS = 2_000

/** Error for a database whose configuration does not meet the requirements of this program. */
export class UnfitDatabaseError extends Error {
  readonly code: string
  /** Action that makes the database usable. */
  readonly remedy: string

  /** @param code SQLSTATE; the default is the code of a connection that could not be established */
  constructor(message: string, remedy: string, code = '08001') {
    super(message)
    this.remedy = remedy
    this.code = code
  }
}

const readOnly = (): UnfitDatabaseError =>
  new UnfitDatabaseError(
    'it accepts no writes: it is a standby, or default_transaction_read_only is on',
    'name the primary, or all hosts as postgres://user:password@one:5432,two:5432/name',
  )

/**
 * Returns the error for a host that waits for its standby. The error has the SQLSTATE for a lack of connections,
 * because the host remains in use and still serves reads.
 */
const awaitsStandby = (): UnfitDatabaseError =>
  new UnfitDatabaseError(
    AWAITS_STANDBY,
    'check that its synchronous standby runs, or change synchronous_standby_names',
    '53300',
  )

const pooled = (why: string): UnfitDatabaseError =>
  new UnfitDatabaseError(
    `its connections come from a pooler such as PgBouncer, and ${why}`,
    `name PostgreSQL itself, which gets ${CONNECTIONS} connections from a node; or let the pooler ignore the startup parameters statement_timeout, lock_timeout and idle_in_transaction_session_timeout, set these three on the role, and let it keep 300 prepared statements (PgBouncer 1.21: max_prepared_statements)`,
  )

const lazilyPooled = (): UnfitDatabaseError =>
  new UnfitDatabaseError(
    'its connections come from a pooler such as PgBouncer, and synchronous_commit is off for the role or the database, which a node cannot turn on there',
    'set synchronous_commit = on for the role, or name PostgreSQL itself',
  )

/**
 * The host in use. Each change of the host starts a new generation of connections, and connections of earlier
 * generations are closed at their next use. All connections of a node therefore lead to the same host, and no
 * connection waits for a dead host.
 */
export class Hosts {
  readonly #urls: readonly string[]
  readonly #failures = new Map<string, string>()
  readonly #left = new AbortController()
  /** True if the only host refused writes at the last check. */
  #tookNone = false
  #at = 0
  #generation = 0

  /** Throws if the URL contains no host. */
  constructor(url: string) {
    this.#urls = hostUrls(url)
  }

  get count(): number {
    return this.#urls.length
  }

  get current(): string {
    return this.#urls[this.#at] as string
  }

  get generation(): number {
    return this.#generation
  }

  /**
   * Signal that is aborted when the node leaves all hosts permanently. Open and pending connections then end, and no
   * new connections are opened.
   */
  get left(): AbortSignal {
    return this.#left.signal
  }

  /** Leaves all hosts of the database permanently. */
  leave(): void {
    this.#left.abort(new Error('the database did not answer while the node stopped'))
  }

  /**
   * Records that a connection received no answer. The other connections of the same generation are closed, because
   * their host may be dead.
   */
  doubt(generation: number): void {
    if (generation === this.#generation) this.#generation++
  }

  /** Records that a host accepts no connections or no writes, so that the next host is used. */
  failed(generation: number, error: Error): void {
    // A host that has no free connection for this node remains in use (SQLSTATE 53300).
    if (generation !== this.#generation || (error as { code?: string }).code?.startsWith('53')) return
    this.#failures.set(this.current, error.message)
    if (this.count === 1) {
      this.#tookNone ||= takesNoWrites(error)
      return
    }
    this.#at = (this.#at + 1) % this.count
    this.#generation++
  }

  /**
   * Records that a new connection accepts writes. The connections to the previous server are closed if this is the
   * first connection that accepts writes again, because the host name then leads to another server.
   */
  takesWrites(): void {
    if (this.#tookNone) this.#generation++
    this.#tookNone = false
  }

  /**
   * Returns an error that lists the failures of all hosts; returns `last` itself if there is only one host or `last` is
   * not the failure of a host.
   */
  failure(last: Error): Error {
    const each = [...this.#failures]
    if (this.count === 1 || !each.some(([, message]) => message === last.message)) return last
    const sentences = each.map(([url, message]) => `${hostOf(url)}: ${message}`)
    return new UnfitDatabaseError(
      `none of its hosts accepts writes: ${sentences.join('; ')}`,
      'check that one of them is a primary and can be reached from here',
    )
  }
}

/** A connection to the host that was in use when the connection began. */
export interface HostClient extends pg.Client {
  readonly generation: number
}

/** Returns the connection class for a pool. */
export function clientOf(hosts: Hosts): new (config: pg.ClientConfig) => HostClient {
  return class extends pg.Client {
    readonly generation = hosts.generation

    constructor(config: pg.ClientConfig) {
      const { connectionTimeoutMillis = 0 } = config
      super({
        ...config,
        connectionString: hosts.current,
        connectionTimeoutMillis:
          hosts.count === 1 ? connectionTimeoutMillis : Math.min(NEXT_HOST_MS, connectionTimeoutMillis),
      })
      const leave = (): void => void this.connection.stream.destroy()
      hosts.left.addEventListener('abort', leave)
      this.once('end', () => hosts.left.removeEventListener('abort', leave))
    }

    override connect(): Promise<this>
    override connect(done: (error: Error) => void): void
    // biome-ignore lint/suspicious/noExplicitAny: what the driver's own type says
    override connect(done?: (error: Error, client: any) => void): Promise<this> | undefined {
      if (done === undefined) return super.connect() as unknown as Promise<this>
      if (hosts.left.aborted) {
        process.nextTick(done, hosts.left.reason)
        return undefined
      }
      super.connect((error: Error) => {
        if (error) hosts.failed(this.generation, error)
        done(error, this)
      })
      return undefined
    }
  }
}

/** Requirements that are checked for each new connection. */
export interface Needs {
  readonly writes: boolean
  /** True if the session must have the timeouts with which the connection was opened. */
  readonly limits: boolean
  /** True if the statements select rows by key. */
  readonly byKey?: boolean | undefined
}

/**
 * Planner settings that make a join of keys and a table look up each key. A plan that was made while the table was
 * small or had no statistics would otherwise read the whole table, and a prepared statement keeps such a plan while the
 * table grows.
 */
const BY_KEY = 'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off'

const LOOK = `select pg_backend_pid() as pid, pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
  current_setting('synchronous_commit') = 'off' as is_lazy,
  '0' in (current_setting('statement_timeout'), current_setting('lock_timeout'),
    current_setting('idle_in_transaction_session_timeout')) as is_unlimited,
  exists (select from pg_stat_activity where wait_event = 'SyncRep'
    and application_name = current_setting('application_name')
    and query_start < clock_timestamp() - current_setting('statement_timeout')::interval) as is_waiting`

interface Look {
  readonly pid: number
  readonly is_read_only: boolean
  readonly is_lazy: boolean
  readonly is_unlimited: boolean
  /** True if a commit of a node has waited for a standby for longer than the statement timeout. */
  readonly is_waiting: boolean
}

/**
 * Checks a new connection, and turns on synchronous commits if the role or the database has turned off synchronous
 * commits, so that mail accepted with 202 or 250 survives a crash. Plans look up rows by their keys if `byKey` is true.
 * Throws `UnfitDatabaseError`.
 */
export async function requireFit(
  client: pg.ClientBase & { readonly processID?: number | null },
  { writes, limits, byKey }: Needs,
): Promise<void> {
  // The query is prepared, so that a pooler that does not keep prepared statements is detected here instead of at the
  // first message.
  const { rows } = await client.query<Look>({ name: 'look', text: LOOK }).catch((error) => {
    throw /^(26000|42P05)$/.test(error.code) ? pooled('it does not preserve prepared statements') : error
  })
  const { pid, is_read_only = true, is_lazy = true, is_unlimited = true, is_waiting = true } = rows[0] ?? {}
  if (writes && is_read_only) throw readOnly()
  if (limits && is_unlimited) throw pooled('the timeouts that a node sets are not in force')
  // The server keeps the connection of a waiting commit even after the client has disconnected, so each new connection
  // would also be lost.
  if (byKey && is_waiting) throw awaitsStandby()
  // A session setting belongs to one server process. A pooler, which reports a different process ID, may run each
  // transaction in another process.
  if (writes && is_lazy && pid !== client.processID) throw lazilyPooled()
  if (writes && is_lazy) await client.query('set synchronous_commit = on')
  if (byKey) await client.query(BY_KEY)
}

/** Returns the error of a connection, with the cause if a pooler sent the error. Only poolers send SQLSTATE 08P01. */
export const connectionError = (error: Error & { code?: string }): Error =>
  error.code === '08P01' && /startup parameter/.test(error.message)
    ? pooled(`it refuses the ${error.message}`)
    : error
