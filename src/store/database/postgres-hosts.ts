// Hosts of a PostgreSQL database: connections go to the host that takes writes, and leave a host that has failed.

import pg from 'pg'
import { hostOf, hostUrls } from '../../lib/database-url.ts'
import { AWAITS_STANDBY, takesNoWrites } from './dialect.ts'
import { CONNECTIONS } from './postgres-connections.ts'

/** Time in milliseconds in which one of several hosts has to take a connection, before the next host is tried. */
const NEXT_HOST_MS = 2_000

/** A database whose set-up does not work for this program. */
export class UnfitDatabaseError extends Error {
  readonly code: string
  /** Step that makes the database usable. */
  readonly remedy: string

  /** @param code SQLSTATE; by default that of a connection that could not be established */
  constructor(message: string, remedy: string, code = '08001') {
    super(message)
    this.remedy = remedy
    this.code = code
  }
}

const readOnly = (): UnfitDatabaseError =>
  new UnfitDatabaseError(
    'it takes no writes: it is a standby, or default_transaction_read_only is on',
    'name the primary, or all hosts as postgres://user:password@one:5432,two:5432/name',
  )

/**
 * Reports a host that waits for its standby. The code is that of a lack of connections, since the host is the right one
 * and can be read.
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
 * generations are closed at their next use. All connections of a node thus lead to one host, and none waits for a dead
 * host.
 */
export class Hosts {
  readonly #urls: readonly string[]
  readonly #failures = new Map<string, string>()
  readonly #left = new AbortController()
  /** True if the only host refused writes at the last check. */
  #tookNone = false
  #at = 0
  #generation = 0

  /** Throws for a URL that names no hosts. */
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

  /** Aborted when the node leaves all hosts for good: open and pending connections end, and no new ones are made. */
  get left(): AbortSignal {
    return this.#left.signal
  }

  /** Leaves all hosts for good. */
  leave(): void {
    this.#left.abort(new Error('the database did not answer while the node stopped'))
  }

  /**
   * Notes that a connection got no answer: the other connections of its generation are closed, since they may get no
   * answers either.
   */
  doubt(generation: number): void {
    if (generation === this.#generation) this.#generation++
  }

  /** Notes that a host takes no connection or no writes: the next host is used. */
  failed(generation: number, error: Error): void {
    // A host without a free connection for this node is still the right one (SQLSTATE 53300).
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
   * Notes that a new connection takes writes. If none did before, the host name now leads to another server, and the
   * connections to the server before are closed.
   */
  takesWrites(): void {
    if (this.#tookNone) this.#generation++
    this.#tookNone = false
  }

  /**
   * Returns an error that names the failures of all hosts; `last` itself when there is one host, or when the error is
   * not the failure of a host.
   */
  failure(last: Error): Error {
    const each = [...this.#failures]
    if (this.count === 1 || !each.some(([, message]) => message === last.message)) return last
    const sentences = each.map(([url, message]) => `${hostOf(url)}: ${message}`)
    return new UnfitDatabaseError(
      `none of its hosts takes writes: ${sentences.join('; ')}`,
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

/** Properties that a new connection is checked for. */
export interface Needs {
  readonly writes: boolean
  /** True if the session asks for timeouts. */
  readonly limits: boolean
  /** True if the statements name their rows by key. */
  readonly byKey?: boolean | undefined
}

/**
 * With these settings, a join of keys with a table looks up each key. Otherwise a plan that was made while the table
 * was small, or had no statistics, reads the whole table, and a prepared statement keeps that plan while the table
 * grows.
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
 * Checks a new connection, and makes its commits synchronous where a role or a database has that off, so that mail
 * answered with 202 or 250 survives a crash. With `byKey`, plans look rows up by their keys. Throws
 * `UnfitDatabaseError`.
 */
export async function requireFit(
  client: pg.ClientBase & { readonly processID?: number | null },
  { writes, limits, byKey }: Needs,
): Promise<void> {
  // The query is prepared, so that a pooler that does not keep prepared statements shows it here and not at a message.
  const { rows } = await client.query<Look>({ name: 'look', text: LOOK }).catch((error) => {
    throw /^(26000|42P05)$/.test(error.code) ? pooled('it does not keep prepared statements') : error
  })
  const { pid, is_read_only = true, is_lazy = true, is_unlimited = true, is_waiting = true } = rows[0] ?? {}
  if (writes && is_read_only) throw readOnly()
  if (limits && is_unlimited) throw pooled('the timeouts that a node sets are not in force')
  // The server keeps the connection of a waiting commit even after its client has gone, so each new connection would be
  // lost as well.
  if (byKey && is_waiting) throw awaitsStandby()
  // A setting of the session belongs to a server process. A pooler, which reports a different process ID, gives each
  // transaction another process.
  if (writes && is_lazy && pid !== client.processID) throw lazilyPooled()
  if (writes && is_lazy) await client.query('set synchronous_commit = on')
  if (byKey) await client.query(BY_KEY)
}

/** Returns the error of a connection, with the cause if a pooler sent it. Only poolers send SQLSTATE 08P01. */
export const connectionError = (error: Error & { code?: string }): Error =>
  error.code === '08P01' && /startup parameter/.test(error.message)
    ? pooled(`it refuses the ${error.message}`)
    : error
