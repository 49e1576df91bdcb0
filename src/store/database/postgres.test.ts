// Settings of the connections to PostgreSQL.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { changeRow, testStorage } from '../../../test/support/store.ts'
import type { Database } from './dialect.ts'
import type { Write, WriteProgram } from './group-commit.ts'
import { openPostgresStore } from './postgres.ts'

const showCommit = async (db: Database, items: readonly unknown[]): Promise<string[]> => {
  const { rows } = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(db)
  return items.map(() => rows[0]?.synchronous_commit ?? '')
}

const PROGRAM: WriteProgram = {
  find: () => showCommit as Write<unknown, unknown>,
  begin() {},
  end: async () => {},
  opened() {},
  migrated: async () => {},
}

for (const [kept, used] of [
  ['off', 'on'],
  ['remote_apply', 'remote_apply'],
] as const) {
  test(`commits are synchronous where the database says ${kept}`, async () => {
    const storage = await testStorage('postgres', 'tables')
    const url = storage.databaseUrl as string
    const name = new URL(url).pathname.slice(1)
    await changeRow(storage, `alter database ${name} set synchronous_commit = ${kept}`, [])
    const database = await openPostgresStore(url, 10_000, () => {}, PROGRAM)
    const [[result] = []] = await database.commit([{ name: 'show', items: [1] }])
    assert.deepEqual(result, { value: used })
    await database.close()
    await storage.remove()
  })
}
