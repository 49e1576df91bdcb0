// Tests the hourly lookups in block lists: which addresses and domains they cover, and what they store.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { ANSWERED, DnsHost } from '../../test/support/dns-host.ts'
import { createOwner, NOW } from '../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { silentLog } from '../lib/log.ts'
import { sourcePool } from '../lib/route-settings.ts'
import { blockList } from '../lib/setting-kinds.ts'
import type { Store } from '../store/database/store.ts'
import { listSendingDomains } from '../store/domains/domain-rows.ts'
import { listLooks } from '../store/node/list-looks.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { seeNode } from '../store/node/nodes.ts'
import { BlockListWatch } from './block-list-watch.ts'
import { checkBlockLists } from './block-lists.ts'
import { addressesOf } from './own-addresses.ts'

const MINUTE = 60_000
const LISTED = { A: ['127.0.0.2'] }

for (const database of DATABASES) {
  describe(`lookups in block lists on ${database}`, () => {
    let store: Store
    let clock: TestClock
    let dns: DnsHost
    let domain: string
    beforeEach(async () => {
      store = await openTestStore(database)
      clock = new TestClock(NOW)
      await createOwner(store)
      domain = (await listSendingDomains(store.read))[0]?.name ?? ''
      dns = await DnsHost.start({
        'mail.example.com': { A: ['9.9.9.9'], AAAA: ['fd00::9'] },
        '2.0.0.127.bl.example': LISTED,
        'test.dbl.example': LISTED,
        'invalid.dbl.example': 'NXDOMAIN',
      })
    })
    afterEach(async () => {
      await dns.stop()
      await store.close()
    })

    const beat = (id: string, pools: readonly string[] = []): Promise<unknown> => {
      const addresses = addressesOf({
        ...{ roles: ['delivery'], hostname: 'mail.example.com', relayUrl: undefined },
        sourceAddresses: pools.map((pool) => sourcePool.read(pool)),
      })
      // A heartbeat is a time on the clock of the database.
      const now = database === 'postgres' ? Date.now() : clock.now()
      const node = {
        ...{ id, host_name: 'a', roles: 'delivery', version: '1', started_at: now, seen_at: now, load: '{}' },
        addresses: JSON.stringify(addresses),
      }
      return store.write(seeNode, { node, forgetBefore: now - 86_400_000 })
    }
    const watch = (node = new NodeName()): BlockListWatch =>
      new BlockListWatch({
        ...{ store, clock, log: silentLog, node, spamhausKey: undefined },
        lists: ['bl.example', 'domain:dbl.example'].map((zone) => blockList.read(zone)),
        ...{ own: [], allowed: parseNetworks('') },
        resolver: createResolver({ servers: [dns.server], cache: false, ...ANSWERED }),
      })
    const states = async () =>
      (await listLooks(store.read)).map(
        ({ subject, zone, state }) => `${subject === domain ? 'the domain' : subject} ${zone} ${state}`,
      )

    test('cover the addresses of all running nodes, behind NAT those of the HELO name, and the domains', async () => {
      await beat('nod_1', ['main=10.0.0.7@mail.example.com+8.8.4.4'])
      await beat('nod_2', ['main=8.8.8.8'])
      dns.set('8.8.8.8.bl.example', LISTED)
      dns.set(`${domain}.dbl.example`, LISTED)
      await watch().run()
      assert.deepEqual(await states(), [
        'the domain dbl.example listed',
        '8.8.4.4 bl.example not_listed',
        '8.8.8.8 bl.example listed',
        '9.9.9.9 bl.example not_listed',
      ])
      const checks = await checkBlockLists({ mode: 'production', blockLists: [1] }, store.read)
      assert.deepEqual(
        checks.map(({ name, status, detail }) => [name, status, detail]),
        [
          [`block lists ${domain}`, 'fail', 'is on dbl.example (127.0.0.2)'],
          ['block lists 8.8.8.8', 'fail', 'is on bl.example (127.0.0.2)'],
        ],
      )
    })

    test('follow every hour, ten minutes after a change, on one node', async () => {
      await beat('nod_1')
      const looking = watch(new NodeName())
      const other = watch(new NodeName())
      const asked = () => dns.count('9.9.9.9.bl.example')
      await looking.run()
      await other.run()
      assert.equal(asked(), 1)
      dns.set('9.9.9.9.bl.example', LISTED)
      const told = async () => (await listLooks(store.read)).find(({ subject }) => subject === '9.9.9.9')
      const seen: string[] = []
      for (let minute = 1; minute <= 70; minute++) {
        clock.advance(MINUTE)
        await beat('nod_1')
        await looking.run()
        const row = await told()
        if (row?.told_at !== null && seen.length === 0) seen.push(`told ${minute}`)
      }
      assert.deepEqual(seen, ['told 67'])
      assert.equal(asked(), 3)
      // The listing ends, and the list then lists everything, which ends no listing and begins none.
      dns.set('9.9.9.9.bl.example', 'NXDOMAIN')
      dns.set('1.0.0.127.bl.example', LISTED)
      clock.advance(60 * MINUTE)
      await beat('nod_1')
      await looking.run()
      const everything = await told()
      assert.deepEqual([everything?.state, everything?.told_at === null], ['not_known', false])
      dns.set('1.0.0.127.bl.example', 'NXDOMAIN')
      for (const minutes of [60, 11]) {
        clock.advance(minutes * MINUTE)
        await beat('nod_1')
        await looking.run()
      }
      assert.deepEqual([(await told())?.state, (await told())?.told_at], ['not_listed', null])
    })

    test('open an incident of the domains of the operator, or of the listed domain, and close it', async () => {
      await beat('nod_1')
      const names = ['9.9.9.9.bl.example', `${domain}.dbl.example`]
      for (const name of names) dns.set(name, LISTED)
      const looking = watch()
      const look = async (minutes: number): Promise<void> => {
        clock.advance(minutes * MINUTE)
        await beat('nod_1')
        await looking.run()
      }
      const incidents = () => store.read.selectFrom('incidents').selectAll().orderBy('name').execute()
      await look(0)
      assert.deepEqual(await incidents(), [])
      await look(10)
      const opened = await incidents()
      assert.deepEqual(
        opened.map(({ name, cause, code, scope, state }) => [name, cause, code, JSON.parse(scope), state]),
        [
          ['listing bl.example 9.9.9.9', 'listing', 'bl.example', { source_address: '9.9.9.9' }, 'open'],
          [`listing dbl.example ${domain}`, 'listing', 'dbl.example', {}, 'open'],
        ],
      )
      assert.deepEqual(JSON.parse(opened[0]?.words ?? ''), {
        wording: 'listing_other',
        values: { zone: 'bl.example', subject: '9.9.9.9', page: 'bl.example' },
      })
      await look(57)
      for (const name of names) dns.set(name, 'NXDOMAIN')
      for (const minutes of [57, 10]) await look(minutes)
      assert.deepEqual(
        (await incidents()).map(({ state }) => state),
        ['closed', 'closed'],
      )
      const events = await store.read.selectFrom('events').select(['type', 'detail']).orderBy('id').execute()
      const told = events.filter(({ type }) => type === 'listed' || type === 'delisted')
      assert.deepEqual(
        told.map(({ type, detail }) => [type, JSON.parse(detail).address ?? 'domain']).toSorted(),
        [
          ['delisted', '9.9.9.9'],
          ['delisted', 'domain'],
          ['listed', '9.9.9.9'],
          ['listed', 'domain'],
        ],
      )
    })

    test('end with the use of an address, and are forgotten after a day', async () => {
      await beat('nod_1', ['main=8.8.8.8'])
      const looking = watch()
      await looking.run()
      for (const minutes of [6, 60, 24 * 60]) {
        clock.advance(minutes * MINUTE)
        await beat('nod_1', ['main=8.8.4.4'])
        await looking.run()
        if (minutes === 60) assert.equal(dns.count('8.8.8.8.bl.example'), 1)
      }
      assert.deepEqual(await states(), ['the domain dbl.example not_listed', '8.8.4.4 bl.example not_listed'])
    })

    test('without an answer are a warning that names the list', async () => {
      await beat('nod_1')
      dns.set('*.bl.example', 'REFUSED')
      dns.set('2.0.0.127.bl.example', 'REFUSED')
      await watch().run()
      const [only, more] = await checkBlockLists({ mode: 'production', blockLists: [1] }, store.read)
      assert.deepEqual([only?.name, only?.status, more], ['block lists bl.example', 'warn', undefined])
      assert.match(only?.detail ?? '', /did not answer \(EREFUSED\)/)
    })
  })
}
