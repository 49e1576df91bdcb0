// Stored bytes of accounts: what the reader adds up is what the messages take, after an upgrade too; on both databases.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createOwner, messageTo } from '../../../test/support/queued.ts'
import { changeRow, DATABASES, settled, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import type { Store } from '../database/store.ts'
import { openStore } from '../open-store.ts'
import { acceptMessage, type Owner } from './messages.ts'
import { readStoredBytes } from './stored-bytes.ts'

for (const database of DATABASES) {
  describe(`stored bytes in ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let owners: readonly [Owner, Owner]
    beforeEach(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
      owners = [await createOwner(store), await createOwner(store)]
    })
    afterEach(async () => {
      await store.close()
      await storage.remove()
    })

    async function send(owner: Owner, sizes: readonly number[]): Promise<void> {
      for (const size of sizes) {
        const made = messageTo(owner, ['a@d.example', 'b@d.example'])
        await store.write(acceptMessage, { ...made, message: { ...made.message, size } })
      }
    }

    const figures = (): Promise<number[]> =>
      Promise.all(owners.map(({ accountId }) => readStoredBytes(store.read, accountId)))

    test('are those of every message once, by account', async () => {
      await send(owners[0], [100, 20])
      await send(owners[1], [3])
      await settled(store)
      assert.deepEqual(await figures(), [120, 3])
      await send(owners[0], [5])
      await settled(store)
      assert.deepEqual(await figures(), [125, 3])
    })

    test('count messages of an earlier version once, whether or not their events were read', async () => {
      await send(owners[0], [100])
      await settled(store)
      await send(owners[0], [7])
      await send(owners[1], [9])
      const logged = await store.read.selectFrom('event_log').selectAll().execute()
      await store.close()
      // As the version before left it: events without sizes, and nothing to count in.
      for (const { position, events } of logged) {
        const stripped = (JSON.parse(events) as [string, string, string, unknown[][]][]).map(
          ([account, domain, stream, list]) => [account, domain, stream, list.map((one) => one.slice(0, 7))],
        )
        const statement = `update event_log set events = $1 where position = ${position}`
        await changeRow(storage, statement, [JSON.stringify(stripped)])
      }
      await changeRow(storage, 'drop table stored_bytes', [])
      await changeRow(storage, 'alter table accounts drop column stored_bytes_limit', [])
      for (const table of ['addresses', 'messages', 'contents', 'parsed']) {
        await changeRow(storage, `drop table inbound_${table}`, [])
      }
      const migrations = "'0014-stored-bytes', '0030-inbound'"
      await changeRow(storage, `delete from kysely_migration where name in (${migrations})`, [])

      store = await openStore({ ...storage, log: silentLog })
      assert.deepEqual(await figures(), [107, 9])
      await send(owners[0], [1_000])
      await settled(store)
      assert.deepEqual(await figures(), [1_107, 9])
    })
  })
}
