// Tests how password guessing by strangers affects other clients of the same login.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { addUser } from '../../test/support/users.ts'
import { silentLog } from '../lib/log.ts'
import { parseRate, type Rate } from '../lib/rate-limiter.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { openStore } from '../store/node/open-in-mode.ts'
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
    await addUser(
      store,
      { account_id: account.id, ...USER, email: 'b@example.com', name: 'B', role: 'owner' },
      clock,
    )
  })
  after(async () => {
    await store.close()
    await storage.remove()
  })

  /** Returns the error code of a login attempt; undefined after a successful login. */
  const triedFrom = (address: string, password: string): Promise<string | undefined> =>
    login.withPassword({ ...USER, password }, { address }).then(
      () => undefined,
      (error: unknown) => (error instanceof Problem ? error.code : assert.fail(String(error))),
    )

  test('guesses of one network do not lock out another network', async () => {
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

  test(
    'a user from a new network gets in amid guesses from networks that have guessed before',
    thorough('4 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const networks = Array.from({ length: 100 }, (_, i) => `203.0.113.${i}`)
      const guess = (address: string, email: string): Promise<unknown> =>
        login.withPassword({ email, password: 'guess' }, { address }).catch((error: unknown) => error)
      // The login has no attempts left for strangers, so these guesses cost no password hash.
      await Promise.all(networks.map((address) => guess(address, USER.email)))
      const order: string[] = []
      const told = (who: string) => (result: unknown) =>
        order.push(result instanceof Problem ? `${who} ${result.code}` : `${who} in`)
      const other = { ...USER, email: 'b@example.com' }
      const guessFrom = (some: readonly string[]): Promise<number>[] =>
        some.map((address) => guess(address, 'nobody@example.com').then(told('guess')))
      const earlier = guessFrom(networks.slice(0, 50))
      const own = login.withPassword(other, { address: '192.0.2.77' }).then(told('user'))
      const guesses = [...earlier, ...guessFrom(networks.slice(50))]
      // An attempt is judged before its login is known, except an attempt of a device that may be known.
      assert.throws(() => login.arrive({ address: '203.0.113.7' }), { code: 'rate_limit_exceeded' })
      assert.equal(login.arrive({ address: '203.0.113.7', device: 'a token' }), undefined)
      assert.equal(login.arrive({ address: '192.0.2.78' })?.network, 0)
      await Promise.all([...guesses, own])
      assert.ok(order.includes('guess rate_limit_exceeded'), 'a crowd')
      const before = order.slice(0, order.indexOf('user in'))
      const checked = before.filter((one) => one === 'guess authentication_failed').length
      // Two hashes were running already, and on a busy machine the thread of a later hash may overtake an earlier hash.
      assert.ok(order.includes('user in') && checked <= 16, `${checked} guesses went before`)
    },
  )
})
