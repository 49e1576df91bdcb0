// Migrations run once each and in order, and a failed migration changes nothing.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { knowMadeUp, MADE_UP } from '../../../test/support/made-up-migration.ts'
import { createTestDatabase } from '../../../test/support/postgres.ts'
import { DATABASES } from '../../../test/support/store.ts'
import type { Read } from './dialect.ts'
import { knownMigrations, migrate, migrationsRun } from './migrate.ts'
import { asKyselyDatabase } from './sqlite-connection.ts'

/** Opens an empty database. */
async function openEmpty(
  database: (typeof DATABASES)[number],
): Promise<{ readonly db: Kysely<never>; close(): Promise<void> }> {
  if (database === 'sqlite') {
    const file = asKyselyDatabase(new DatabaseSync(':memory:'))
    const db = new Kysely<never>({ dialect: new SqliteDialect({ database: file }) })
    return { db, close: () => db.destroy() }
  }
  const { url, drop } = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: url })
  // The connections fail when the database is dropped.
  pool.on('error', () => {})
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) })
  return { db, close: () => db.destroy().then(drop) }
}

for (const database of DATABASES) {
  describe(`migrations on ${database}`, () => {
    let empty: Awaited<ReturnType<typeof openEmpty>>
    let forget: () => void = () => {}
    beforeEach(async () => {
      empty = await openEmpty(database)
    })
    afterEach(async () => {
      forget()
      await empty.close()
    })
    const run = () => migrate(empty.db, database)
    const have = () => migrationsRun(empty.db as unknown as Read)

    test('run once each, new ones after the ones that have run', async () => {
      assert.equal(await have(), undefined)
      const initial = knownMigrations()
      assert.deepEqual(await run(), initial)
      assert.deepEqual(await run(), [])
      let times = 0
      forget = knowMadeUp(async () => void times++)
      assert.deepEqual(await run(), [MADE_UP])
      assert.deepEqual(await run(), [])
      assert.equal(times, 1)
      assert.deepEqual(await have(), [...initial, MADE_UP])
      forget()
      await assert.rejects(run(), new RegExp(MADE_UP), 'a program that does not know one refuses the store')
    })

    if (database === 'sqlite') return // The writer thread of SQLite runs all migrations in one transaction.

    test('change nothing when one fails', async () => {
      forget = knowMadeUp(async (db) => {
        await sql`create table half (id integer)`.execute(db)
        throw new Error('failed on the way')
      })
      await assert.rejects(run(), /failed on the way/)
      assert.equal(await have(), undefined)
      const { rows } =
        await sql`select to_regclass('half') as half, to_regclass('messages') as messages`.execute(empty.db)
      assert.deepEqual(rows, [{ half: null, messages: null }])
    })
  })
}
