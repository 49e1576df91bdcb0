// Leases of background work: the leases of a node are released in every table when its process starts or stops.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { DATABASES, lookInto, testStorage } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import { TABLES, type Tables } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { NodeName } from './node-identity.ts'
import { LEASED_TABLES, NodeLeases } from './node-leases.ts'
import { openStore } from './open-in-mode.ts'

type Columns = Readonly<Record<string, { readonly kind: string }>>

/** Returns a row of any table, held under a lease. */
const heldBy = (table: keyof Tables, token: string): never =>
  ({
    ...Object.fromEntries(
      Object.entries(TABLES[table] as Columns).map(([column, { kind }]) => [
        column,
        kind === 'text' ? token : kind === 'bytes' ? Buffer.alloc(0) : 1,
      ]),
    ),
    ...('finished_at' in TABLES[table] ? { finished_at: null } : {}),
    ...('state' in TABLES[table] ? { state: 'received' } : {}),
  }) as never

const heldIn = async (store: Store, table: string): Promise<string[]> => {
  const { rows } = await sql<{ token: string }>`
    select lease as token from ${sql.table(table)} where lease is not null order by 1`.execute(store.read)
  return rows.map(({ token }) => token)
}

test('leases in every table with leases are taken back', () => {
  const held = Object.entries(TABLES).flatMap(([table, columns]) => ('lease' in columns ? [table] : []))
  // Code of the queue releases the leases of the queue, and a delivery note has the same lease as the queue row.
  assert.deepEqual([...LEASED_TABLES, 'queue'].sort(), held.sort())
})

for (const database of DATABASES) {
  test(`on ${database} the leases of one node are taken back in every table, or all leases`, async (context) => {
    const storage = await testStorage(database, 'tables')
    await (await openStore({ ...storage, log: silentLog })).close()
    const store = await lookInto(storage)
    context.after(async () => {
      await store.close()
      await storage.remove()
    })
    const one = new NodeName('nod_1')
    const tokens = [one.newToken(), one.newToken(), 'nod_12.1', 'nod_2.1']
    for (const table of LEASED_TABLES) {
      for (const token of tokens) {
        await store.read.insertInto(table).values(heldBy(table, token)).execute()
      }
    }
    for (const table of LEASED_TABLES) assert.equal((await heldIn(store, table)).length, 4, table)
    await new NodeLeases(store, one, false).stop()
    for (const table of LEASED_TABLES)
      assert.deepEqual(await heldIn(store, table), ['nod_12.1', 'nod_2.1'], table)
    await new NodeLeases(store, one, true).start()
    for (const table of LEASED_TABLES) assert.deepEqual(await heldIn(store, table), [], table)
  })
}
