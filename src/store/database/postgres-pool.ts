// Connections to PostgreSQL that a database which never answers cannot hold: what took too long is thrown away.

import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { type DatabaseError, takesNoWrites } from './dialect.ts'
import { clientOf, connectionError, type HostClient, type Hosts, requireFit } from './postgres-hosts.ts'
import { PreparedNames } from './prepared-names.ts'

/** A pool's connections. */
export interface PoolOptions extends pg.PoolConfig {
  readonly max: number
  readonly hosts: Hosts
  /** False where a standby does. */
  readonly writes: boolean
  /** Statements name the rows that they are about, by their keys. */
  readonly byKey?: boolean
}

/** A connection that is thrown away when it is given back as unfit, or was not answered. */
export interface GuardedClient extends PostgresPoolClient {
  release(isUnfit?: boolean): void
}

/** A pool in the form that the query builder takes. `onError` hears of connections that broke. */
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
    // A connection that breaks while it is in use says so here as well; unheard, that would end the process.
    this.#pool.on('connect', (client) => client.on('error', onError))
  }

  get options(): object {
    return this.#pool.options
  }

  /** Throws when no host gives a connection. */
  async connect(): Promise<GuardedClient> {
    const hosts = this.#hosts
    for (let failures = 0; ; ) {
      const tried = hosts.generation
      try {
        const client = (await this.#pool.connect()) as pg.PoolClient & HostClient
        if (client.generation === hosts.generation) return guarded(client, hosts)
        client.release(true) // to a host that has failed since, or was silent
      } catch (error) {
        if (++failures >= hosts.count || tried === hosts.generation)
          throw unanswered(hosts.failure(connectionError(error as Error)))
      }
    }
  }

  /** Ends all connections; one whose other side does not answer is left to the end of the process. */
  end(): Promise<void> {
    return this.#pool.end()
  }
}

/** The server has spoken: the connection itself is as it should be. */
const isAnswer = (error: { severity?: string }): boolean => error.severity !== undefined

/** Marks an error as that of a database that was not there, whatever its code: a network has many ways to fail. */
function unanswered(error: DatabaseError): DatabaseError {
  error.unanswered = true
  return error
}

/** SQLSTATE of a server that goes away while it commits: 08 connection, 57P operator intervention. */
const isGoingAway = ({ code = '' }: { code?: string }): boolean => /^(08|57P)/.test(code)

/** The prepared statements of each connection, for as long as it lasts. */
const namesOf = new WeakMap<pg.Client, PreparedNames>()

/** What the driver keeps of prepared statements, by their names: it never forgets one by itself. */
interface KeptByDriver {
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
}

/** Returns the names that are in use on a connection. */
function preparedNames(client: HostClient): PreparedNames {
  const known = namesOf.get(client)
  if (known !== undefined) return known
  const connection = client.connection as unknown as KeptByDriver & { close(what: object): void }
  const names = new PreparedNames((name) => {
    delete connection.parsedStatements[name]
    delete connection.submittedNamedStatements[name]
    // Goes out with the statement that takes the name's place, and takes no round trip (PostgreSQL, section 54.2.3).
    connection.close({ type: 'S', name })
  })
  namesOf.set(client, names)
  return names
}

/** Runs a statement, prepared on this connection where it may have a name. */
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
    // One that was prepared and failed when it ran stays prepared.
    if (statement.name in parsedStatements) statement.isParsed = true
    else names.forget(text, statement)
    throw error
  }
}

/** The tables have changed under a prepared statement of this connection, or it is not there (SQLSTATE 0A000, 26000). */
const isStale = ({ code = '' }: { code?: string }): boolean => /^(0A000|26000)$/.test(code)

/** The connections with statements that are written at the end of the turn. */
const gathering = new WeakSet<pg.Client>()

/**
 * Lets the statements of a turn of the event loop go out in one write: for each one the system would wake the server, which
 * takes longer than making it. They are complete when the promises that began them have been settled, before `nextTick`.
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
 * Once a query was not answered, everything else on this connection fails alike and at once, also the rollback, and
 * the connection is not used again: an answer that still comes would be taken for that to another query.
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
      // A value that the driver cannot write is a fault of ours, and no second try makes it better.
      if (!isAnswer(failed) && !(failed instanceof TypeError)) unanswered(failed)
      // What no longer fits here fits no connection of that time either.
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
