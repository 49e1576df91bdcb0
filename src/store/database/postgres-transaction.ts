// Transactions on PostgreSQL whose statements do not wait for each other's answers.

import { setImmediate as turn } from 'node:timers/promises'
import { Kysely, PostgresDialect, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'
import { type Database, isOutcomeUnknown } from './dialect.ts'
import type { Transaction } from './group-commit.ts'
import type { GuardedPool } from './postgres-pool.ts'
import type { Tables } from './schema.ts'
import { sendUnread } from './unread.ts'

/**
 * Transactions on connections of a pool. The query builder's own hand statements over one at a time; here those that are
 * begun together (`together`), or whose answers nobody reads (`executeUnread`), are sent at once, in the order in which they
 * were begun, and their connections answer them in that order (PostgreSQL, section 54.2.4).
 */
export const transactionsOf =
  (pool: GuardedPool): Transaction =>
  async (work) => {
    const client = await pool.connect()
    const statements = new Statements(client)
    let isFit = false
    try {
      const result = await work(databaseOf(statements))
      await statements.commit()
      isFit = true
      return result
    } catch (error) {
      isFit = await statements.rollBack()
      throw isOutcomeUnknown(error) ? error : (statements.firstError ?? error)
    } finally {
      client.release(!isFit)
    }
  }

/** As connections take statements, beside cursors. */
type Query = (text: string, parameters: readonly unknown[]) => Promise<PostgresQueryResult<unknown>>

/** A statement that changes nothing, locks nothing, and may therefore also run outside of the transaction. */
const isReading = (text: string): boolean =>
  /^\s*(select|with)\b/.test(text) && !/\b(insert|update|delete|share)\b/.test(text)

/**
 * The statements of one transaction, in order. `begin` is not waited for by those that only read: were it refused, they
 * have read outside of a transaction that fails. What may write is sent when it was answered, since it would be committed
 * by itself.
 */
class Statements {
  readonly #query: Query
  readonly #begun: Promise<unknown>
  #isBegun = false
  #isOneWaiting = false
  #isOpen = true
  /** The first error that a statement was answered with; those behind it are refused for it. */
  firstError: unknown

  constructor(client: PostgresPoolClient) {
    this.#query = client.query as Query
    this.#begun = this.#query('begin', []).then(
      () => {
        this.#isBegun = true
      },
      (error) => {
        this.firstError = error
        throw error
      },
    )
    this.#begun.catch(() => {})
  }

  /** A statement that comes behind the end is refused. */
  async query(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    if (!this.#isOpen) throw new Error('the transaction has ended')
    return this.#inOrder(text, () => {
      const answer = this.#query(text, parameters)
      // Here, where answers come in the order of the statements.
      answer.catch((error) => {
        this.firstError ??= error
      })
      return answer
    })
  }

  /** Rejects when any statement has failed, also one whose error nothing has heard of. */
  async commit(): Promise<void> {
    this.#isOpen = false
    // What waited for the beginning is made now, before the commit is.
    if (this.#isOneWaiting && !this.#isBegun) await this.#begun.then(() => turn())
    // One that the driver could not make was never sent: the server would commit the others.
    if (this.firstError !== undefined) throw this.firstError
    const { command } = await this.#inOrder('commit', () => this.#query('commit', []))
    // The answer after a statement that has failed.
    if ((command as string) === 'ROLLBACK') throw new Error('a statement of the transaction has failed')
  }

  /** False when the connection is of no use any more. */
  async rollBack(): Promise<boolean> {
    this.#isOpen = false
    return this.#inOrder('rollback', () => this.#query('rollback', [])).then(
      () => true,
      () => false,
    )
  }

  #inOrder<T>(text: string, send: () => Promise<T>): Promise<T> {
    if (this.#isBegun || (!this.#isOneWaiting && isReading(text))) return send()
    this.#isOneWaiting = true
    return this.#begun.then(send)
  }
}

/** The database as one transaction sees it. */
function databaseOf(statements: Statements): Database {
  const within: PostgresPoolClient = {
    query: ((text: string, parameters: readonly unknown[]) =>
      statements.query(text, parameters)) as PostgresPoolClient['query'],
    release() {},
  }
  const pool = { connect: async () => within, end: async () => {}, options: {} }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  sendUnread(db, ({ sql, parameters }) => void statements.query(sql, parameters).catch(() => {}))
  return db
}
