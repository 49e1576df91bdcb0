// A pool of PostgreSQL connections that tolerates an unresponsive database: a connection without an answer in time is
// closed.

import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { type DatabaseError, takesNoWrites } from './dialect.ts'
import { clientOf, connectionError, type HostClient, type Hosts, requireFit } from './postgres-hosts.ts'
import { PreparedNames } from './prepared-names.ts'

/** Options of a pool. */
export interface PoolOptions extends pg.PoolConfig {
  readonly max: number
  readonly hosts: Hosts
  /** False if a connection to a standby is sufficient. */
  readonly writes: boolean
  /** True if the statements select rows by key. */
  readonly byKey?: boolean
}

/**
 * A connection that is closed instead of reused after a query without an answer, or if the caller releases the
 * connection as unfit.
 */
export interface GuardedClient extends PostgresPoolClient {
  release(isUnfit?: boolean): void
}

/** A pool in the form that the query builder requires. `onError` receives the errors of broken connections. */
export class GuardedPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #hosts: Hosts

  constructor({ hosts, writes, byKey, ...options }: PoolOptions, onError: (error: Error) => void) {
    const limits = Number(options.statement_timeout ?? 0) > 0
    this.#hosts = hosts
    const all = {
      ...options,
      Client: clientOf(hosts),
      verify(client: HostClient, done: (error?: Error) => void) {
        requireFit(client, { writes, limits, byKey }).then(
          () => {
            if (writes) hosts.takesWrites()
            done()
          },
          (error) => {
            hosts.failed(client.generation, error)
            done(error)
          },
        )
      },
    }
    this.#pool = new pg.Pool(all as unknown as pg.PoolConfig)
    this.#pool.on('error', onError)
    // A connection that breaks while it is in use also emits its error as an event; without a listener, this event
    // would end the process.
    this.#pool.on('connect', (client) => client.on('error', onError))
  }

  get options(): object {
    return this.#pool.options
  }

  /** Returns a connection; throws if no host provides a connection. */
  async connect(): Promise<GuardedClient> {
    const hosts = this.#hosts
    for (let failures = 0; ; ) {
      const tried = hosts.generation
      try {
        const client = (await this.#pool.connect()) as pg.PoolClient & HostClient
        if (client.generation === hosts.generation) return guarded(client, hosts)
        client.release(true) // The host has failed or stopped answering in the meantime.
      } catch (error) {
        if (++failures >= hosts.count || tried === hosts.generation)
          throw unanswered(hosts.failure(connectionError(error as Error)))
      }
    }
  }

  /** Ends all connections; a connection to a server that does not answer remains until the process ends. */
  end(): Promise<void> {
    return this.#pool.end()
  }
}

/** True if the server sent the error, which means that the connection itself works. */
const isAnswer = (error: { severity?: string }): boolean => error.severity !== undefined

/**
 * Marks an error as the error of an unreachable database, regardless of the error code, because networks fail in many
 * ways.
 */
function unanswered(error: DatabaseError): DatabaseError {
  error.unanswered = true
  return error
}

/**
 * True for the SQLSTATE of a server that shuts down during a commit: 08 (connection) or 57P (operator intervention).
 */
const isGoingAway = ({ code = '' }: { code?: string }): boolean => /^(08|57P)/.test(code)

/** Prepared statements of each open connection. */
const namesOf = new WeakMap<pg.Client, PreparedNames>()

/** State that the driver keeps for each prepared statement, by name, and never removes. */
interface KeptByDriver {
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
}

/** Returns the prepared statement names of a connection. */
function preparedNames(client: HostClient): PreparedNames {
  const known = namesOf.get(client)
  if (known !== undefined) return known
  const connection = client.connection as unknown as KeptByDriver & { close(what: object): void }
  const names = new PreparedNames((name) => {
    delete connection.parsedStatements[name]
    delete connection.submittedNamedStatements[name]
    // The close message is sent together with the statement that needs the freed place, and therefore adds no round
    // trip (PostgreSQL, section 54.2.3).
    connection.close({ type: 'S', name })
  })
  namesOf.set(client, names)
  return names
}

/** Runs a statement; a statement with a name is prepared on this connection. */
async function runNamed(client: HostClient, text: string, values: readonly unknown[]) {
  const names = preparedNames(client)
  const statement = names.take(text)
  try {
    const result = await client.query({ text, values: values as unknown[], name: statement?.name })
    if (statement !== undefined) statement.isParsed = true
    return result
  } catch (error) {
    if (statement === undefined) throw error
    const { parsedStatements } = client.connection as unknown as KeptByDriver
    // A statement that was prepared but failed at execution remains prepared.
    if (statement.name in parsedStatements) statement.isParsed = true
    else names.forget(text, statement)
    throw error
  }
}

/**
 * True if the tables of a prepared statement have changed, or the connection no longer has the statement (SQLSTATE
 * 0A000, 26000).
 */
const isStale = ({ code = '' }: { code?: string }): boolean => /^(0A000|26000)$/.test(code)

/** Connections whose statements are written at the end of the current turn of the event loop. */
const gathering = new WeakSet<pg.Client>()

/**
 * Sends all statements of one turn of the event loop in one write. A separate write for each statement would wake the
 * server each time, and waking the server takes longer than building the statement. The callback of `nextTick` runs
 * after the promises that create the statements of the turn are settled.
 */
function gather(client: pg.Client): void {
  if (gathering.has(client)) return
  gathering.add(client)
  const { stream } = client.connection
  stream.cork()
  process.nextTick(() => {
    gathering.delete(client)
    stream.uncork()
  })
}

/**
 * Wraps a connection. All queries after a query without an answer, including the rollback, fail immediately with the
 * same error. The connection is not used again, because a late answer would be taken for the answer to another query.
 */
function guarded(client: HostClient & pg.PoolClient, hosts: Hosts): GuardedClient {
  let broken: Error | undefined
  const query = async (text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> => {
    if (broken !== undefined) throw broken
    gather(client)
    try {
      return await runNamed(client, text, parameters)
    } catch (error) {
      const failed = error as DatabaseError & { severity?: string; code?: string }
      if (text === 'commit' && (!isAnswer(failed) || isGoingAway(failed))) failed.outcomeUnknown = true
      // A value that the driver cannot encode is a bug in this program, so another attempt cannot help.
      if (!isAnswer(failed) && !(failed instanceof TypeError)) unanswered(failed)
      // Other connections of the same generation are stale too if this connection is stale.
      if (!isAnswer(failed) || isStale(failed)) hosts.doubt(client.generation)
      if (takesNoWrites(failed)) hosts.failed(client.generation, failed)
      if (!isAnswer(failed) || isStale(failed) || takesNoWrites(failed)) broken = failed
      throw failed
    }
  }
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (isUnfit = false) => client.release(broken ?? isUnfit),
  }
}
