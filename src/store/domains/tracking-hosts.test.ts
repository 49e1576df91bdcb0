// Selection of the tracking hosts that get a certificate, with a share for each account, on both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOwner, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { NO_ROTATION } from '../../model/domain.ts'
import { NO_GUARD } from '../../model/finding.ts'
import { NO_RETENTION_DAYS } from '../../model/retention.ts'
import type { Store } from '../database/store.ts'
import { setFact } from '../node/installation.ts'
import { createDomain } from './domains.ts'
import { listHostsToCertify } from './tracking-hosts.ts'

for (const database of DATABASES) {
  describe(`certificates of tracking hosts in ${database}`, () => {
    let store: Store
    before(async () => {
      store = await openTestStore(database)
    })
    after(() => store.close())

    async function add(
      account_id: string,
      name: string,
      { at = NOW, tracks = false, status = 'found' as 'found' | 'missing' } = {},
    ): Promise<string> {
      const id = newId('dom')
      const host = `links.${name}`
      await store.write(createDomain, {
        domain: {
          ...{ id, account_id, name, status: 'verified', created_at: at, verified_at: at, checked_at: null },
          ...{ flagged_at: null, claim_token: null, deleted_at: null, ...NO_RETENTION_DAYS },
          ...{
            ...NO_GUARD,
            ...NO_ROTATION,
            track_opens: 0,
            track_links: tracks ? 1 : 0,
            cfbl: 1,
            bimi: null,
            mta_sts: 'off',
            mta_sts_since: null,
          },
        },
        dkimKeys: [],
        records: [
          {
            ...{ domain_id: id, account_id, purpose: 'tracking', type: 'CNAME', name: host, value: 't' },
            ...{ required: 0, status, found: '[]', note: null, found_since: null },
          },
        ],
      })
      return host
    }
    const certify = (host: string) =>
      store.write(setFact, { name: `acme-certificate ${host}`, value: 'a certificate' })

    const namesOf = async (most?: number): Promise<string[]> =>
      (await listHostsToCertify(store.read, most)).map(({ name }) => name)

    test('are shared by all accounts, even if one has more domains than there are certificates', async () => {
      const large = await createOwner(store)
      const small = await createOwner(store)
      const own: string[] = []
      for (let index = 0; index < 12; index++) own.push(await add(large.accountId, `a${index}.large.example`))
      const shop = await add(small.accountId, 'shop.example', { at: NOW + 1 })
      const alone = await namesOf(10)
      assert.ok(alone.includes(shop))
      assert.equal(alone.length, 5)

      // Hosts with a certificate remain listed even if the account has more than its share, and hosts of other accounts
      // are added.
      for (const host of own) await certify(host)
      const later = await add(large.accountId, 'a.large.example', { tracks: true })
      const all = await namesOf(10)
      for (const host of [...own, shop]) assert.ok(all.includes(host), host)
      assert.ok(!all.includes(later))
    })

    test('go to the domains that track first, then to the oldest', async () => {
      const { accountId } = await createOwner(store)
      const newest = await add(accountId, 'b1.order.example', { at: NOW + 3 })
      const oldest = await add(accountId, 'b2.order.example', { at: NOW + 2 })
      const tracking = await add(accountId, 'b3.order.example', { at: NOW + 4, tracks: true })
      const listed = (await namesOf()).filter((host) => host.includes('.order.'))
      assert.deepEqual(listed, [tracking, oldest, newest])
    })

    test('stay with hosts whose record is no longer found, which get no new one', async () => {
      const { accountId } = await createOwner(store)
      const lost = await add(accountId, 'lost.example', { status: 'missing' })
      await add(accountId, 'never.example', { status: 'missing' })
      await certify(lost)
      const listed = (await listHostsToCertify(store.read, 10)).filter(({ leadsHere }) => !leadsHere)
      assert.deepEqual(listed, [{ name: lost, leadsHere: false }])
    })
  })
}
