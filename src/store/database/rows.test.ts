// Statements on many rows: the values arrive unchanged in both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { DATABASES, lookInto, type TestStorage, testStorage } from '../../../test/support/store.ts'
import type { Database } from './dialect.ts'
import { insertRows, updateRows } from './rows.ts'
import type { Store } from './store.ts'

const MIB = 1_048_576

for (const database of DATABASES) {
  describe(`rows in ${database}`, () => {
    let storage: TestStorage
    let store: Store
    before(async () => {
      storage = await testStorage(database, 'tables')
      store = await lookInto(storage)
    })
    after(async () => {
      await store.close()
      await storage.remove()
    })

    /** Runs statements in a transaction. */
    const within = async (work: (db: Database) => Promise<unknown>): Promise<void> => {
      const run = async (db: Database, items: readonly object[]): Promise<object[]> => {
        await work(db)
        return items.map(() => ({}))
      }
      await store.write(run, {})
    }
    const keep = (rows: readonly (readonly [id: string, source: Uint8Array])[]): Promise<void> =>
      within((db) =>
        insertRows(
          db,
          'bulk_contents',
          rows.map(([bulk_id, source]) => ({
            ...{ bulk_id, account_id: 'acc', domain_id: 'dom', source },
            base: Buffer.from(bulk_id).subarray(1),
          })),
        ),
      )

    test('have any bytes, including none', async () => {
      const all = Uint8Array.from({ length: 256 }, (_, value) => value)
      await keep([
        ['all', all],
        ['b', new Uint8Array()],
      ])
      const rows = await store.read.selectFrom('bulk_contents').selectAll().orderBy('bulk_id').execute()
      const read = rows.map(({ bulk_id, source, base }) => [bulk_id, [...source], [...base]])
      assert.deepEqual(read, [
        ['all', [...all], [...Buffer.from('ll')]],
        ['b', [], []],
      ])
    })

    test('have more bytes in total than one statement carries', async () => {
      const sizes = [2, 2.25, 0.25, 0.25, 4.5, 1].map((mib) => mib * MIB)
      await keep(sizes.map((size, index) => [`c${index}`, Buffer.alloc(size, 65 + index)]))
      const { rows } = await sql<{ size: number; ends: Uint8Array }>`
        select length(source) as size, substr(source, length(source) - 1) as ends
        from bulk_contents where bulk_id like 'c%' order by bulk_id`.execute(store.read)
      const expected = sizes.map((size, index) => [size, String.fromCharCode(65 + index).repeat(2)])
      assert.deepEqual(
        rows.map(({ size, ends }) => [Number(size), Buffer.from(ends).toString()]),
        expected,
      )
    })

    test('have any texts, unchanged', async () => {
      const texts = [
        ...['', '{"x","y"}', 'back\\slash "and" quotes', 'NULL', 'Zoë € 日本 \u{1f4ee}', '\n\t'],
        'x'.repeat(70_000),
      ]
      await within(async (db) => {
        await insertRows(
          db,
          'installation',
          texts.map((value, index) => ({ name: `text ${index}`, value })),
        )
        await updateRows(db, 'installation', ['name'], [{ name: 'text 3', value: '\\N' }], { isUnread: true })
      })
      const rows = await store.read
        .selectFrom('installation')
        .select('value')
        .where('name', 'like', 'text %')
        .orderBy('name')
        .execute()
      assert.deepEqual(
        rows.map(({ value }) => value),
        texts.with(3, '\\N'),
      )
    })
  })
}
