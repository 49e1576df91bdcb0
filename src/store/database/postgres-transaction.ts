// Transactions on PostgreSQL whose statements do not wait for each other's answers.

import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type { Database } from './dialect.ts'
import type { Transaction } from './group-commit.ts'
import type { GuardedPool } from './postgres-pool.ts'
import type { Tables } from './schema.ts'

/**
 * Transactions on connections of a pool. The query builder's own hand statements over one at a time; here those that are
 * begun together (`together`) are sent at once, in the order in which they were begun, and their connections answer them
 * in that order (PostgreSQL, section 54.2.4).
 */
export const transactionsOf =
  (pool: GuardedPool): Transaction =>
  async (work) => {
    const client = await pool.connect()
    let isOpen = false
    let rolledBack = true
    try {
      await client.query('begin', [])
      isOpen = true
      const result = await work(databaseOf(client, () => isOpen))
      isOpen = false
      const { command } = await client.query('commit', [])
      // The answer to a commit after a statement that has failed, which nothing can have kept to itself.
      if ((command as string) === 'ROLLBACK') throw new Error('a statement of the transaction has failed')
      return result
    } catch (error) {
      isOpen = false
      rolledBack = await client.query('rollback', []).then(
        () => true,
        () => false,
      )
      throw error
    } finally {
      client.release(!rolledBack)
    }
  }

/** The database as one transaction sees it; a statement that comes behind its end is refused. */
function databaseOf(client: PostgresPoolClient, isOpen: () => boolean): Database {
  const within: PostgresPoolClient = {
    query: ((text: string, parameters: readonly unknown[]) =>
      isOpen()
        ? client.query(text, parameters)
        : Promise.reject(new Error('the transaction has ended'))) as PostgresPoolClient['query'],
    release() {},
  }
  const pool = { connect: async () => within, end: async () => {}, options: {} }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}
