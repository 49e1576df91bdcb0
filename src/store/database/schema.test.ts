// Compares the tables in the code with the tables that the migrations create, column by column, on both databases.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { isPostgres, type Read } from './dialect.ts'
import { TABLES } from './schema.ts'

const KINDS: Readonly<Record<string, string>> = {
  text: 'text',
  integer: 'integer',
  int8: 'integer',
  blob: 'bytes',
  bytea: 'bytes',
}

/** Returns the names of tables that are partitions of another table. */
async function partitions(read: Read): Promise<ReadonlySet<string>> {
  if (!isPostgres(read)) return new Set()
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relispartition and relkind = 'r'`.execute(read)
  return new Set(rows.map(({ name }) => name))
}

for (const database of DATABASES) {
  test(`every declared column exists, and no other, on ${database}`, async () => {
    const store = await openTestStore(database)
    const parts = await partitions(store.read)
    const made = (await store.read.introspection.getTables()).filter(({ name }) => !parts.has(name))
    await store.close()
    const found = made.flatMap(({ name, columns }) =>
      columns.map((column) => `${name}.${column.name} ${KINDS[column.dataType.toLowerCase()]}`),
    )
    const said = Object.entries(TABLES).flatMap(([name, columns]) =>
      Object.entries(columns).map(
        ([column, { kind }]) => `${name}.${column} ${kind === 'moment' ? 'integer' : kind}`,
      ),
    )
    assert.deepEqual(said.toSorted(), found.toSorted())
  })
}
