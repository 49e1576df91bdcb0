// Tests that dashboard sessions last while in use, and that sessions are found even if the store refuses writes.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lookInto, type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock, until } from '../../test/support/test-clock.ts'
import { addUser } from '../../test/support/users.ts'
import { silentLog } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import type { User } from '../store/access/accounts.ts'
import { changeUser, setPassword } from '../store/access/people.ts'
import { touchSession } from '../store/access/sessions.ts'
import type { Database } from '../store/database/dialect.ts'
import type { Store } from '../store/database/store.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { createAccount } from './accounts.ts'
import { Sessions } from './sessions.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('a session', () => {
  const clock = new TestClock()
  let storage: TestStorage
  let store: Store
  let sessions: Sessions
  let user: User

  before(async () => {
    storage = await testStorage('sqlite', 'tables')
    store = await openStore({ ...storage, log: silentLog })
    sessions = new Sessions(store, clock, silentLog)
    sessions.start()
    const account = await createAccount({ store, clock }, 'Example')
    const password = 'correct horse battery'
    user = await addUser(
      store,
      { account_id: account.id, email: 'a@example.com', name: 'A', role: 'owner', password },
      clock,
    )
  })
  after(async () => {
    await sessions.stop()
    await store.close()
    await storage.remove()
  })

  /** Opens a session; returns a function that reads the time of its last use from the store. */
  async function opened(): Promise<() => Promise<number | undefined>> {
    const token = await sessions.open(user, { address: '192.0.2.1', userAgent: 'x' })
    return async () => (await sessions.find(token))?.last_seen_at
  }

  test('is found while nothing can be written', async () => {
    const lastSeen = await opened()
    clock.advance(HOUR_MS)
    const other = await lookInto(storage)
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writing = other.write(async (_db: Database, items: readonly object[]) => {
      begun.resolve()
      await end.promise
      return items.map(() => true)
    }, {})
    await begun.promise
    assert.equal(await lastSeen(), clock.now() - HOUR_MS)
    assert.equal(await lastSeen(), clock.now() - HOUR_MS)
    end.resolve()
    await writing
    await other.close()
  })

  test('lasts as long as it is used, and a week beyond', async () => {
    const lastSeen = await opened()
    for (let uses = 0; uses < 3; uses++) {
      clock.advance(7 * DAY_MS - 1)
      await until('the use is recorded', async () => (await lastSeen()) === clock.now())
    }
    clock.advance(7 * DAY_MS)
    assert.equal(await lastSeen(), undefined)
  })

  describe('whose use is not written yet', () => {
    const from = { address: '192.0.2.1', userAgent: 'x' }
    const keptUse = async (token: string | undefined): Promise<number | undefined> =>
      (await new Sessions(store, clock, silentLog).find(token))?.last_seen_at

    /**
     * Returns the sessions of a node that is not started and so writes nothing by itself, and a function that counts
     * the written uses.
     */
    function unwritten(write: Store['write'] = store.write): { readonly node: Sessions; writes(): number } {
      let writes = 0
      const counted = ((one: never, item: never) => {
        if (one === touchSession) writes++
        return write(one, item)
      }) as Store['write']
      return { node: new Sessions({ ...store, write: counted }, clock, silentLog), writes: () => writes }
    }

    test('lasts from that use on, and its last use is written at the stop, once', async () => {
      const { node, writes } = unwritten()
      const token = await node.open(user, from)
      for (let uses = 0; uses < 3; uses++) {
        clock.advance(7 * DAY_MS - 1)
        const found = await Promise.all(Array.from({ length: 5 }, () => node.find(token)))
        assert.ok(found.every((session) => session !== undefined))
      }
      assert.equal(writes(), 0)
      await node.stop()
      assert.equal(writes(), 1)
      assert.equal(await keptUse(token), clock.now())
    })

    test('is over a week after that use', async () => {
      const { node } = unwritten()
      const token = await node.open(user, from)
      clock.advance(DAY_MS)
      await node.find(token)
      clock.advance(7 * DAY_MS - 1)
      assert.deepEqual(
        (await node.list(user.id)).map(({ last_seen_at }) => last_seen_at),
        [clock.now() - 8 * DAY_MS + 1],
      )
      clock.advance(1)
      assert.equal(await node.find(token), undefined)
      assert.deepEqual(await node.list(user.id), [])
      await node.stop()
    })

    test('has it written once the store takes it again', async () => {
      let isAway = true
      const { node, writes } = unwritten((async (one: never, item: never) => {
        if (one === touchSession && isAway) throw new Problem('unavailable', 'The store is away.')
        return store.write(one, item)
      }) as Store['write'])
      const token = await node.open(user, from)
      clock.advance(DAY_MS)
      await node.find(token)
      node.start()
      await until('the write was tried', () => writes() > 0)
      isAway = false
      await until('the use is written', async () => {
        const { last_seen_at } = await store.read
          .selectFrom('sessions')
          .select('last_seen_at')
          .orderBy('id', 'desc')
          .executeTakeFirstOrThrow()
        return last_seen_at === clock.now()
      })
      await node.stop()
    })

    test('is not removed by the login of another user', async () => {
      const { node } = unwritten()
      const token = await node.open(user, from)
      clock.advance(7 * DAY_MS - 1)
      assert.ok(await node.find(token))
      clock.advance(1)
      await node.open(user, from)
      assert.ok(await node.find(token))
      await node.stop()
    })

    test('is not set back by an earlier use that is written later', async () => {
      const { node } = unwritten()
      const token = await node.open(user, from)
      const id = (await node.find(token))?.id as string
      await store.write(touchSession, { id, now: clock.now() + 2 })
      await store.write(touchSession, { id, now: clock.now() + 1 })
      assert.equal(await keptUse(token), clock.now() + 2)
    })
  })

  test('is removed with its origin after its end, at the next login', async () => {
    const email = 'other@example.com'
    const password = 'correct horse battery'
    const other = await addUser(
      store,
      { account_id: user.account_id, email, name: 'B', role: 'viewer', password },
      clock,
    )
    await opened()
    clock.advance(8 * DAY_MS)
    await sessions.open(other, { address: '192.0.2.2', userAgent: 'x' })
    const kept = await store.read.selectFrom('sessions').select('address').execute()
    assert.deepEqual(kept, [{ address: '192.0.2.2' }])
  })

  test('is not opened for a user whose password was changed, or who was removed, during the login', async () => {
    const other = await addUser(
      store,
      {
        account_id: user.account_id,
        email: 'b@example.com',
        name: 'B',
        role: 'viewer',
        password: 'old password',
      },
      clock,
    )
    const from = { address: '192.0.2.1', userAgent: 'test' }
    assert.ok(await sessions.open(other, from))
    await store.write(setPassword, { userId: other.id, passwordHash: 'new', keepSession: undefined })
    assert.equal(await sessions.open(other, from), undefined)
    assert.deepEqual(await sessions.list(other.id), [])
    const changed = { ...other, password_hash: 'new' }
    assert.ok(await sessions.open(changed, from))
    const removal = { accountId: user.account_id, id: other.id, role: undefined, by: 'owner' as const }
    assert.equal(await store.write(changeUser, removal), 'changed')
    assert.equal(await sessions.open(changed, from), undefined)
  })
})
