// Concurrent uses of several links create exactly one first user, on both databases.

import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { DATABASES, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { silentLog } from '../../lib/log.ts'
import type { Store } from '../database/store.ts'
import { openStore } from '../node/open-in-mode.ts'
import { WITHOUT_LIMITS } from './accounts.ts'
import { keepToken } from './one-time-tokens.ts'
import { type FirstRun, makeFirstUser } from './people.ts'

const NOW = Date.UTC(2026, 0, 31, 12)

for (const database of DATABASES) {
  describe(`the first user on ${database}`, () => {
    let storage: TestStorage | undefined
    /** Stores of two nodes; for SQLite, the stores of a node and of a concurrent command-line process. */
    let stores: [Store, Store]
    const close = async (): Promise<void> => {
      if (storage === undefined) return
      for (const store of stores) await store.close()
      await storage.remove()
    }
    async function place(): Promise<TestStorage> {
      storage = await testStorage(database, 'tables')
      return storage
    }
    beforeEach(async () => {
      await close()
      const { dataDir, databaseUrl } = await place()
      const open = () => openStore({ dataDir, databaseUrl, log: silentLog })
      stores = [await open(), await open()]
    })
    after(close)

    /** Returns a link and the user that the link creates. */
    async function link(email: string): Promise<FirstRun> {
      const hash = newId('evt')
      const token = { hash, purpose: 'first_run', user_id: null, expires_at: NOW + 1 } as const
      await stores[0].write(keepToken, { token, now: NOW })
      const account = {
        ...{ ...WITHOUT_LIMITS, id: newId('acc'), name: 'A', created_at: NOW },
      }
      const user = { id: newId('usr'), email, name: null, role: 'owner', password_hash: 'x' } as const
      return { hash, now: NOW, account, user: { ...user, created_at: NOW } }
    }
    const emails = async (): Promise<string[]> =>
      (await stores[0].read.selectFrom('users').select('email').execute()).map(({ email }) => email)

    test('is created by one of two links from two nodes', async () => {
      const links = [await link('ann@x.example'), await link('bob@x.example')] as const
      const made = await Promise.all(
        stores.map((store, n) => store.write(makeFirstUser, links[n] as FirstRun)),
      )
      assert.deepEqual(
        await emails(),
        made.flatMap((user) => user?.email ?? []),
      )
      assert.equal((await emails()).length, 1)
      assert.equal(await stores[0].write(makeFirstUser, await link('eve@x.example')), undefined)
    })

    if (database === 'sqlite') return

    test('blocks a second creation until its commit', async () => {
      const ann = await link('ann@x.example')
      let ended = false
      const second = await stores[0].read.transaction().execute(async (transaction) => {
        assert.equal((await makeFirstUser(transaction, [ann]))[0]?.email, 'ann@x.example')
        // A node that starts before the commit finds no user yet.
        const bob = await link('bob@x.example')
        const second = stores[1].write(makeFirstUser, bob).finally(() => {
          ended = true
        })
        for (let waits = false; !waits && !ended; ) {
          const { rows } = await sql`select from pg_locks where not granted`.execute(stores[1].read)
          waits = rows.length > 0
        }
        return { second }
      })
      assert.equal(ended, false)
      assert.equal(await second.second, undefined)
      assert.deepEqual(await emails(), ['ann@x.example'])
    })
  })
}
