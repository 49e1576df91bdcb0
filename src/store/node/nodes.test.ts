// Running nodes by the clock of the database, regardless of the clocks of the nodes and of command-line programs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectTo } from '../../../test/support/partitions.ts'
import { DATABASES, openTestStore, testStorage } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import { forgetNode, listNodes, listRunningNodes, type NodeRow, seeNode } from './nodes.ts'
import { openStore } from './open-in-mode.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const nodeOf = (id: string, at: number): NodeRow => ({
  ...{ id, host_name: `${id}.example`, roles: 'api', version: '1.0.0', load: '{}', addresses: '[]' },
  ...{ started_at: at, seen_at: at },
})
const idsOf = (nodes: readonly NodeRow[]): string[] => nodes.map(({ id }) => id)

for (const database of DATABASES) {
  test(`on ${database} a node counts as running for a minute after it was seen, and is removed after a day`, async () => {
    const store = await openTestStore(database)
    const now = Date.now()
    const see = (node: NodeRow) => store.write(seeNode, { node, forgetBefore: now - DAY_MS })
    await see(nodeOf('long-gone', now - DAY_MS - 10_000))
    await see(nodeOf('gone', now - 70_000))
    await see(nodeOf('one', now - 40_000))
    await see(nodeOf('other', now))
    assert.deepEqual(idsOf(await listNodes(store.read)), ['gone', 'one', 'other'])
    assert.deepEqual(idsOf(await listRunningNodes(store.read, now)), ['one', 'other'])
    await store.write(forgetNode, { id: 'other' })
    assert.deepEqual(idsOf(await listRunningNodes(store.read, now)), ['one'])
    await store.close()
  })
}

for (const aheadMs of [HOUR_MS, -HOUR_MS]) {
  const how = aheadMs > 0 ? 'ahead' : 'behind'
  test(`a node is seen by the time of a database that is an hour ${how}`, async () => {
    const storage = await testStorage('postgres')
    const client = await connectTo(storage)
    // PostgreSQL finds a function of this schema before the built-in function of the same name.
    await client.query(`create function public.statement_timestamp() returns timestamptz stable language sql
      as $$ select pg_catalog.statement_timestamp() + interval '${aheadMs} ms' $$`)
    await client.query(`do $$ begin
      execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`)
    const store = await openStore({ ...storage, log: silentLog })
    try {
      const now = Date.now()
      const see = (node: NodeRow) => store.write(seeNode, { node, forgetBefore: now - 90_000 })
      await see(nodeOf('one', now))
      await client.query(
        "insert into nodes select 'right', host_name, roles, version, started_at, seen_at, load, addresses from nodes",
      )
      await see(nodeOf('other', now))
      const seen = await listNodes(store.read)
      assert.deepEqual(idsOf(seen), ['one', 'other', 'right'])
      for (const { id, seen_at } of seen)
        assert.ok(Math.abs(seen_at - now - aheadMs) < 60_000, `${id}: ${seen_at - now} ms from now`)
      assert.deepEqual(idsOf(await listRunningNodes(store.read, now)), ['one', 'other', 'right'])
      await client.query(`update nodes set seen_at = seen_at - ${HOUR_MS} where id = 'right'`)
      assert.deepEqual(idsOf(await listRunningNodes(store.read, now)), ['one', 'other'])
    } finally {
      await Promise.all([client.end(), store.close()])
      await storage.remove()
    }
  })
}
