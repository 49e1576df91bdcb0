// Sessions of the dashboard: they last while they are used, and are found though nothing can be written.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lookInto, type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock, until } from '../../test/support/test-clock.ts'
import { addUser } from '../../test/support/users.ts'
import { silentLog } from '../lib/log.ts'
import type { User } from '../store/access/accounts.ts'
import { changeUser, setPassword } from '../store/access/people.ts'
import type { Database } from '../store/database/dialect.ts'
import type { Store } from '../store/database/store.ts'
import { openStore } from '../store/open-store.ts'
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
    sessions = new Sessions(store, clock)
    const account = await createAccount({ store, clock }, 'Example')
    const password = 'correct horse battery'
    user = await addUser(
      store,
      { account_id: account.id, email: 'a@example.com', name: 'A', role: 'owner', password },
      clock,
    )
  })
  after(async () => {
    await store.close()
    await storage.remove()
  })

  /** Opens one; answers how to find when it was seen last. */
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
      await until('it is noted that it is used', async () => (await lastSeen()) === clock.now())
    }
    clock.advance(7 * DAY_MS)
    assert.equal(await lastSeen(), undefined)
  })

  test('is not kept when it is over, with where it came from, once anybody logs in', async () => {
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

  test('is opened by nobody whose password was changed, or who was removed, while they logged in', async () => {
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
