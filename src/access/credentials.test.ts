// Tests that credentials are cached until a change, and that a revocation by any process takes effect immediately.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DATABASES, type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock, until } from '../../test/support/test-clock.ts'
import { addDomain } from '../domains/domains.ts'
import { silentLog } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import { setAccountStatus } from '../store/access/accounts.ts'
import { listKeys } from '../store/access/key-reads.ts'
import { revokeKey } from '../store/access/keys.ts'
import type { Store } from '../store/database/store.ts'
import { deleteDomain } from '../store/domains/domains.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { VersionWatch } from '../store/node/version-watch.ts'
import { createAccount, createUser } from './accounts.ts'
import { auditedStore } from './audit.ts'
import { Credentials } from './credentials.ts'
import { changeKey, createKey, rotateKey } from './keys.ts'

for (const database of DATABASES) {
  describe(`credentials on ${database}`, () => {
    const clock = new TestClock()
    let storage: TestStorage
    let store: Store
    let elsewhere: Store
    let versions: VersionWatch
    let credentials: Credentials
    let accountId: string
    let domainId: string

    before(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
      elsewhere = await openStore({ ...storage, log: silentLog })
      versions = new VersionWatch(store, silentLog)
      await versions.start()
      credentials = new Credentials(store, clock, silentLog, versions)
      accountId = (await createAccount({ store, clock }, 'Example')).id
      const added = await addDomain({
        store,
        clock,
        accountId,
        name: 'example.com',
        returnPathHost: 'rp.x.test',
        trackingTarget: 'x.test',
      })
      domainId = added.domain.id
    })
    after(async () => {
      await credentials.stop()
      await versions.stop()
      await elsewhere.close()
      await store.close()
      await storage.remove()
    })

    const make = (more: object = {}) =>
      createKey({ store, clock }, { accountId, domainId, kind: 'sending', name: 'Key', ...more })

    test('are found with their permissions', async () => {
      const { key, secret } = await make()
      assert.match(secret, /^send_[A-Za-z0-9]{43}$/)
      const found = await credentials.find(secret)
      assert.equal(found?.id, key.id)
      assert.equal(found?.domain_name, 'example.com')
      assert.equal(found?.domain_status, 'pending')
      assert.equal(found?.account_status, 'active')
      // The node may notice the new key only now, and then drops the cache.
      await until('the credential is found without a round trip', async () => {
        await credentials.find(secret)
        return !(credentials.find(secret) instanceof Promise)
      })
      assert.equal(await credentials.find(`${secret}x`), undefined)
      assert.equal(await credentials.find(''), undefined)
    })

    test('are never stored', async () => {
      const { secret } = await make()
      const stored = JSON.stringify(
        await listKeys(store.read, accountId, ['sending', 'smtp', 'verification']),
      )
      assert.ok(!stored.includes(secret) && stored.includes(`"last4":"${secret.slice(-4)}"`))
    })

    test('revoked by another process are refused within moments', async () => {
      const { key, secret } = await make()
      assert.ok(await credentials.find(secret))
      assert.equal(await elsewhere.write(revokeKey, { accountId, id: key.id, now: clock.now() }), true)
      await until(
        'the credential is unknown here',
        async () => (await credentials.find(secret)) === undefined,
      )
      assert.equal(await elsewhere.write(revokeKey, { accountId, id: key.id, now: clock.now() }), false)
    })

    test('revoked here are refused from then on, also while a check is under way', async () => {
      const here = auditedStore(store, versions)
      for (let round = 0; round < 20; round++) {
        const { key, secret } = await make()
        assert.ok(await credentials.find(secret))
        const checked = versions.check()
        assert.equal(await here.write(revokeKey, { accountId, id: key.id, now: clock.now() }), true)
        assert.equal(await credentials.find(secret), undefined)
        await checked
      }
    })

    test('end when they expire', async () => {
      const { secret } = await make({ expiresAt: clock.now() + 1_000 })
      assert.ok(await credentials.find(secret))
      clock.advance(1_000)
      assert.equal(await credentials.find(secret), undefined)
    })

    test('of a suspended account are marked as such', async () => {
      const { secret } = await make()
      await credentials.find(secret)
      await store.write(setAccountStatus, { id: accountId, status: 'suspended', now: clock.now() })
      await versions.check()
      assert.equal((await credentials.find(secret))?.account_status, 'suspended')
      await store.write(setAccountStatus, { id: accountId, status: 'active', now: clock.now() })
    })

    test('of a rotation are found by both secrets until the overlap ends', async () => {
      const { key, secret } = await make()
      assert.ok(await credentials.find(secret))
      const next = await rotateKey({ store, clock }, key, 60_000)
      await versions.check()
      assert.deepEqual(
        [(await credentials.find(secret))?.id, (await credentials.find(next))?.id],
        [key.id, key.id],
      )
      clock.advance(60_000)
      assert.equal(await credentials.find(secret), undefined)
      assert.equal((await credentials.find(next))?.id, key.id)
      await store.write(revokeKey, { accountId, id: key.id, now: clock.now() })
      await versions.check()
      assert.equal(await credentials.find(next), undefined)
    })

    test('are not changed or rotated by rights that they no longer have', async () => {
      const { key } = await make()
      const { scopes, grants, every_domain, networks, recipients } = key
      const judged = { scopes, grants, every_domain, networks, recipients }
      const resources = { store, clock }
      const change = { accountId, id: key.id, judged }
      await changeKey(resources, { ...change, networks: ['10.0.0.0/8'] })
      const isConflict = (error: unknown) => error instanceof Problem && error.code === 'conflict'
      await assert.rejects(changeKey(resources, { ...change, name: 'Late' }), isConflict)
      await assert.rejects(rotateKey(resources, key, 0, judged), isConflict)
      const [kept] = (await listKeys(store.read, accountId, ['sending'])).filter(({ id }) => id === key.id)
      assert.deepEqual([kept?.name, kept?.networks, kept?.hash], ['Key', '["10.0.0.0/8"]', key.hash])
    })

    test('of management keys have their domains, which no deleted domain adds to', async () => {
      const more = { kind: 'management', domainId: null, scopes: ['stats:read'] } as const
      const every = await make(more)
      const listed = await make({ ...more, domainIds: [domainId] })
      const idsOf = async (secret: string) => [...((await credentials.find(secret))?.managed.keys() ?? [])]
      assert.deepEqual([await idsOf(every.secret), await idsOf(listed.secret)], [[domainId], [domainId]])
      const { domain } = await addDomain({
        ...{ store, clock, accountId, name: 'second.example' },
        ...{ returnPathHost: 'rp.x.test', trackingTarget: 'x.test' },
      })
      await changeKey({ store, clock }, { accountId, id: listed.key.id, domainIds: [domain.id] })
      await versions.check()
      assert.deepEqual([(await idsOf(every.secret)).length, await idsOf(listed.secret)], [2, [domain.id]])
      await store.write(deleteDomain, { domain, now: clock.now() })
      await versions.check()
      const found = await credentials.find(listed.secret)
      assert.deepEqual([found?.managed.size, found?.every_domain], [0, 0])
      assert.deepEqual(await idsOf(every.secret), [domainId])
    })

    test('are 1,000 at most in an account', async () => {
      const full = await createAccount({ store, clock }, 'Full')
      const wanted = { accountId: full.id, domainId: null, kind: 'verification', name: 'Key' } as const
      const expired = { ...wanted, expiresAt: clock.now() + 1 }
      const made = await createKey({ store, clock }, expired)
      clock.advance(1)
      await Promise.all(Array.from({ length: 999 }, () => createKey({ store, clock }, wanted)))
      const { key } = await createKey({ store, clock }, wanted)
      const refused = (error: unknown) => error instanceof Problem && error.code === 'validation_failed'
      await assert.rejects(createKey({ store, clock }, wanted), refused)
      await store.write(revokeKey, { accountId: full.id, id: key.id, now: clock.now() })
      assert.notEqual((await createKey({ store, clock }, wanted)).key.id, made.key.id)
    })

    test('record when they were last used', async () => {
      const { key, secret } = await make()
      const use = async (address: string) => {
        const found = await credentials.find(secret)
        assert.ok(found)
        credentials.used(found, address)
      }
      await use('192.0.2.7')
      clock.advance(60_000)
      await use('::ffff:198.51.100.9')
      await until('the use is written', async () => {
        const kept = (await listKeys(store.read, accountId, ['sending'])).find((one) => one.id === key.id)
        return kept?.last_used_at === clock.now() && kept.last_used_from === '198.51.100.0/24'
      })
    })

    test('with invalid properties are refused with all reasons', async () => {
      const refused = (promise: Promise<unknown>, code: string) =>
        assert.rejects(promise, (error) => error instanceof Problem && error.code === code)
      await refused(make({ kind: 'verification' }), 'validation_failed')
      await refused(make({ expiresAt: 1, rate: 'x' }), 'validation_failed')
      await refused(make({ name: '' }), 'validation_failed')
      const user = {
        account_id: accountId,
        email: 'A@example.com',
        name: null,
        role: 'owner',
        password: 'long enough',
      } as const
      assert.equal((await createUser({ store, clock }, user)).email, 'a@example.com')
      await refused(createUser({ store, clock }, user), 'conflict')
      await refused(
        createUser({ store, clock }, { ...user, email: 'x', password: 'short' }),
        'validation_failed',
      )
    })
  })
}
