// The hosts of a PostgreSQL database: connections go to the one that takes writes, and leave one that has failed.

import pg from 'pg'
import { hostOf, hostUrls } from '../../lib/database-url.ts'
import { AWAITS_STANDBY, takesNoWrites } from './dialect.ts'
import { CONNECTIONS } from './postgres-connections.ts'

/** With several hosts, the time in which one has to take a connection, in milliseconds: the next one may do. */
const NEXT_HOST_MS = 2_000

/** A database that cannot be worked with as it is set up. */
export class UnfitDatabaseError extends Error {
  readonly code: string
  /** The step that makes it fit. */
  readonly remedy: string

  /** @param code SQLSTATE; unless it is given, that the connection was not established */
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

/** The host is the right one all the same, and can be read: its code is that of a lack of connections. */
const awaitsStandby = (): UnfitDatabaseError =>
  new UnfitDatabaseError(
    AWAITS_STANDBY,
    'look whether its synchronous standby runs, or change synchronous_standby_names',
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
 * The host in use. Each change begins a generation of connections: those of the one before are closed when they are next
 * wanted, so that all of a node's connections lead to one host, and none waits for one that is dead.
 */
export class Hosts {
  readonly #urls: readonly string[]
  readonly #failures = new Map<string, string>()
  readonly #left = new AbortController()
  /** The only host took no writes at the last look. */
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

  /** Aborted when all hosts are left for good: then connections end, also where they are waited for, and none is made. */
  get left(): AbortSignal {
    return this.#left.signal
  }

  /** Leaves all hosts for good. */
  leave(): void {
    this.#left.abort(new Error('the database did not answer while the node stopped'))
  }

  /** A connection has not been answered: those beside it may lead to the same silence. */
  doubt(generation: number): void {
    if (generation === this.#generation) this.#generation++
  }

  /** A host takes no connection, or no writes: the next one is tried. */
  failed(generation: number, error: Error): void {
    // One that has no connection left for us is the right one all the same (SQLSTATE 53300).
    if (generation !== this.#generation || (error as { code?: string }).code?.startsWith('53')) return
    this.#failures.set(this.current, error.message)
    if (this.count === 1) {
      this.#tookNone ||= takesNoWrites(error)
      return
    }
    this.#at = (this.#at + 1) % this.count
    this.#generation++
  }

  /** A new connection takes writes. Where none did before, the name leads to another server, and the others to the one before. */
  takesWrites(): void {
    if (this.#tookNone) this.#generation++
    this.#tookNone = false
  }

  /** The failure of all hosts; the error itself where it is that of the only one, or says nothing against a host. */
  failure(last: Error): Error {
    const each = [...this.#failures]
    if (this.count === 1 || !each.some(([, message]) => message === last.message)) return last
    const sentences = each.map(([url, message]) => `${hostOf(url)}: ${message}`)
    return new UnfitDatabaseError(
      `none of its hosts takes writes: ${sentences.join('; ')}`,
      'look whether one of them is a primary and can be reached from here',
    )
  }
}

/** A connection to the host in use at its beginning. */
export interface HostClient extends pg.Client {
  readonly generation: number
}

/** The class of connections for a pool. */
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

/** What a new connection is looked at for. */
export interface Needs {
  readonly writes: boolean
  /** Timeouts of the session were asked for. */
  readonly limits: boolean
  /** Its statements name the rows that they are about. */
  readonly byKey?: boolean | undefined
}

/**
 * A join of keys with a table then looks each of them up. Without these a plan that was made while the table was small, or
 * had no statistics, reads the whole of it, and a prepared statement keeps that plan while the table grows.
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
  /** A commit of a node waits for a standby for longer than its answer was waited for. */
  readonly is_waiting: boolean
}

/**
 * Looks whether a new connection is what a node needs, and makes its commits synchronous where a role or a database has
 * that off: what is answered with 202 or 250 survives a crash. Plans of statements that name rows by their keys use the
 * keys. Throws `UnfitDatabaseError`.
 */
export async function requireFit(
  client: pg.ClientBase & { readonly processID?: number | null },
  { writes, limits, byKey }: Needs,
): Promise<void> {
  // Prepared: connections that are shared among clients without keeping such statements show it here, not at a message.
  const { rows } = await client.query<Look>({ name: 'look', text: LOOK }).catch((error) => {
    throw /^(26000|42P05)$/.test(error.code) ? pooled('it does not keep prepared statements') : error
  })
  const { pid, is_read_only = true, is_lazy = true, is_unlimited = true, is_waiting = true } = rows[0] ?? {}
  if (writes && is_read_only) throw readOnly()
  if (limits && is_unlimited) throw pooled('the timeouts that a node sets are not in force')
  // The server keeps the connection of a commit that waits, also when its client has gone: each new one would be lost to it.
  if (byKey && is_waiting) throw awaitsStandby()
  // A setting of the session stays with a server's process, and a pooler, which shows another one, gives each transaction any.
  if (writes && is_lazy && pid !== client.processID) throw lazilyPooled()
  if (writes && is_lazy) await client.query('set synchronous_commit = on')
  if (byKey) await client.query(BY_KEY)
}

/** The error of a connection in the words of its cause. SQLSTATE 08P01 comes from poolers alone. */
export const connectionError = (error: Error & { code?: string }): Error =>
  error.code === '08P01' && /startup parameter/.test(error.message)
    ? pooled(`it refuses the ${error.message}`)
    : error
