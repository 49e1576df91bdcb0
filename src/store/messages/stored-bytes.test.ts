// Stored bytes of accounts: the sums from the event log equal the sizes of the messages, on both databases.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createOwner, messageTo } from '../../../test/support/queued.ts'
import { DATABASES, settled, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import type { Store } from '../database/store.ts'
import { openStore } from '../node/open-in-mode.ts'
import type { Owner } from './messages.ts'
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

    test('count every message once, by account', async () => {
      await send(owners[0], [100, 20])
      await send(owners[1], [3])
      await settled(store)
      assert.deepEqual(await figures(), [120, 3])
      await send(owners[0], [5])
      await settled(store)
      assert.deepEqual(await figures(), [125, 3])
    })
  })
}
