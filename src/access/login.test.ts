// Guessing a password: what one stranger can take from all other clients of the same login.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { addUser } from '../../test/support/users.ts'
import { silentLog } from '../lib/log.ts'
import { parseRate, type Rate } from '../lib/rate-limiter.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { openStore } from '../store/open-store.ts'
import { createAccount } from './accounts.ts'
import { KnownDevices } from './known-devices.ts'
import { Login } from './login.ts'
import { SecondFactor } from './second-factor.ts'

const SECRET = 'the secret of the installation'
const USER = { email: 'a@example.com', password: 'correct horse battery' }

describe('the tries of a login', () => {
  const clock = new TestClock()
  let storage: TestStorage
  let store: Store
  let login: Login

  before(async () => {
    storage = await testStorage('sqlite', 'tables')
    store = await openStore({ ...storage, log: silentLog })
    login = new Login({
      ...{ store, clock, log: silentLog },
      secondFactor: new SecondFactor(store, clock, SECRET),
      devices: new KnownDevices(SECRET, clock),
      failureRate: parseRate('10000/m') as Rate,
    })
    const account = await createAccount({ store, clock }, 'Example')
    await addUser(store, { account_id: account.id, ...USER, name: 'A', role: 'owner' }, clock)
  })
  after(async () => {
    await store.close()
    await storage.remove()
  })

  /** The code of the refusal; undefined for who is let in. */
  const triedFrom = (address: string, password: string): Promise<string | undefined> =>
    login.withPassword({ ...USER, password }, { address }).then(
      () => undefined,
      (error: unknown) => (error instanceof Problem ? error.code : assert.fail(String(error))),
    )

  test('one network, however often it guesses, keeps nobody out of another', async () => {
    for (let i = 0; i < 150; i++) {
      const expected = i < 10 ? 'authentication_failed' : 'rate_limit_exceeded'
      assert.equal(await triedFrom('192.0.2.1', 'guess'), expected)
    }
    assert.equal(await triedFrom('192.0.2.2', USER.password), undefined)
  })

  test('many networks together have a hundred tries', async () => {
    for (let network = 1; network <= 10; network++) {
      for (let i = 0; i < 10; i++) {
        assert.equal(await triedFrom(`198.51.100.${network}`, 'guess'), 'authentication_failed')
      }
    }
    assert.equal(await triedFrom('198.51.100.11', USER.password), 'rate_limit_exceeded')
  })
})
