// Transactions on PostgreSQL that send statements without waiting for the answers to earlier statements.

import { setImmediate as turn } from 'node:timers/promises'
import { Kysely, PostgresDialect, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'
import { type Database, isOutcomeUnknown } from './dialect.ts'
import type { Transaction } from './group-commit.ts'
import type { GuardedPool } from './postgres-pool.ts'
import type { Tables } from './schema.ts'
import { sendUnread } from './unread.ts'

/**
 * Runs transactions on connections of a pool. The query builder's own transactions send one statement at a time. These
 * transactions send statements in order without waiting if the statements begin together (`together`), or if the
 * answers are not read (`executeUnread`). The answers arrive in the same order (PostgreSQL, section 54.2.4).
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

/** The query function of a connection, without cursors. */
type Query = (text: string, parameters: readonly unknown[]) => Promise<PostgresQueryResult<unknown>>

/** True for a statement that changes no data and takes no locks, and may therefore run outside the transaction. */
const isReading = (text: string): boolean =>
  /^\s*(select|with)\b/.test(text) && !/\b(insert|update|delete|share)\b/.test(text)

/**
 * The statements of one transaction, in order. A statement that only reads does not wait for the answer to `begin`: if
 * the server refuses `begin`, the statement has read data outside of a transaction, which fails anyway. A statement
 * that may write waits for the answer to `begin`, because without a transaction the server would commit the statement
 * immediately.
 */
class Statements {
  readonly #query: Query
  readonly #begun: Promise<unknown>
  #isBegun = false
  #isOneWaiting = false
  #isOpen = true
  /** The first error among the answers to the statements; later statements fail because of this error. */
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

  /** Runs a statement, which is refused after the end of the transaction. */
  async query(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    if (!this.#isOpen) throw new Error('the transaction has ended')
    return this.#inOrder(text, () => {
      const answer = this.#query(text, parameters)
      // The first error is recorded here, because answers arrive in the order of the statements.
      answer.catch((error) => {
        this.firstError ??= error
      })
      return answer
    })
  }

  /** Commits the transaction; rejects if any statement has failed, even if the error of the statement was ignored. */
  async commit(): Promise<void> {
    this.#isOpen = false
    // Statements that wait for `begin` are sent now, before the commit.
    if (this.#isOneWaiting && !this.#isBegun) await this.#begun.then(() => turn())
    // A statement that the driver could not encode was never sent, so the server would commit the other statements.
    if (this.firstError !== undefined) throw this.firstError
    const { command } = await this.#inOrder('commit', () => this.#query('commit', []))
    // PostgreSQL answers a commit with ROLLBACK if a statement of the transaction has failed.
    if ((command as string) === 'ROLLBACK') throw new Error('a statement of the transaction has failed')
  }

  /** Rolls back the transaction; returns false if the connection is no longer usable. */
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

/** Returns the database handle of one transaction. */
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
