// Pages of domains, and changes of the version that a caller has seen, on both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOwner, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import type { Store } from '../database/store.ts'
import { recordDomainCheck } from './domain-checks.ts'
import { type Domain, type DomainFilter, findDomainById, listDomainPage } from './domain-rows.ts'
import { createDomain, deleteDomain, setDomainOptions, setDomainPaused } from './domains.ts'

for (const database of DATABASES) {
  describe(`domains in ${database}`, () => {
    let store: Store
    before(async () => {
      store = await openTestStore(database)
    })
    after(() => store.close())

    /** Creates an account with these domains; returns the rows by name. */
    async function domains(...names: readonly string[]): Promise<Domain[]> {
      const owner = await createOwner(store)
      const [first] = await listDomainPage(store.read, owner.accountId, { within: null }, 1, undefined)
      assert.ok(first)
      for (const name of names) {
        const domain: Domain = { ...first, id: newId('dom'), name, status: 'pending' }
        assert.equal(await store.write(createDomain, { domain, dkimKeys: [], records: [] }), 'created')
      }
      await store.write(deleteDomain, { domain: first, now: NOW })
      return listDomainPage(store.read, owner.accountId, { within: null }, 100, undefined)
    }

    test('are found by pages, by name, by status and within a list', async () => {
      const [a, b, c] = await domains('c.example', 'a.example', 'b.example')
      assert.ok(a && b && c)
      await store.write(setDomainPaused, { domain: b, paused: true, now: NOW })
      const found = async (filter: Partial<DomainFilter>, limit = 10, cursor?: string) =>
        (await listDomainPage(store.read, a.account_id, { within: null, ...filter }, limit, cursor)).map(
          ({ name }) => name,
        )
      assert.deepEqual(await found({}), ['a.example', 'b.example', 'c.example'])
      assert.deepEqual(await found({}, 2), ['a.example', 'b.example'])
      assert.deepEqual(await found({}, 2, 'b.example'), ['c.example'])
      assert.deepEqual(await found({ name: 'b.example' }), ['b.example'])
      assert.deepEqual(await found({ status: 'pending' }), ['a.example', 'c.example'])
      assert.deepEqual(await found({ within: new Set([c.id, newId('dom')]) }), ['c.example'])
      assert.deepEqual(await found({ within: new Set() }), [])
      const all = { name: 'b.example', status: 'paused', within: new Set([b.id]) } as const
      assert.deepEqual(await found(all, 1, 'a.example'), ['b.example'])
    })

    test('are changed in the version that was seen, and in no other', async () => {
      const [seen] = await domains('seen.example')
      assert.ok(seen)
      const set = (days: number, version: Domain) =>
        store.write(setDomainOptions, {
          domain: seen,
          seen: version,
          changes: { content_retention_days: days },
          now: NOW,
        })
      const changed = await set(7, seen)
      assert.deepEqual(changed, { ...seen, content_retention_days: 7 })
      assert.equal(await set(8, seen), 'other_version')
      // A check of the records is a change as well.
      const present = changed as Domain
      await store.write(recordDomainCheck, {
        ...{ domain: seen, records: [], looked: 'complete' as const, claimProved: false, now: NOW + 1 },
      })
      assert.equal(await set(9, present), 'other_version')
      const after = await findDomainById(store.read, seen.account_id, seen.id)
      assert.equal(after?.content_retention_days, 7)

      assert.equal(
        await store.write(deleteDomain, { domain: seen, seen: present, now: NOW }),
        'other_version',
      )
      assert.equal(await store.write(deleteDomain, { domain: seen, seen: after, now: NOW }), 'deleted')
      assert.equal(await store.write(deleteDomain, { domain: seen, seen: after, now: NOW }), 'gone')
      assert.equal(await set(9, present), undefined)
    })
  })
}
