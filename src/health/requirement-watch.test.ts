// Tests the hourly check of the requirements: complaint shares of receivers whose loops have reported.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { ANSWERED, DnsHost } from '../../test/support/dns-host.ts'
import { createOwner, NOW } from '../../test/support/queued.ts'
import { DATABASES, lookInto, type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { silentLog } from '../lib/log.ts'
import type { Receiver } from '../model/requirement.ts'
import { TABLES } from '../store/database/schema.ts'
import type { Store } from '../store/database/store.ts'
import { listSendingDomains } from '../store/domains/domain-rows.ts'
import type { Owner } from '../store/messages/messages.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { readPanels } from './requirement-panel.ts'
import { RequirementWatch } from './requirement-watch.ts'
import { judgeComplaints } from './requirements.ts'

const DAY_MS = 86_400_000
const SETTINGS = { isRelayed: false, unreachableLinks: undefined }

for (const database of DATABASES) {
  describe(`complaint shares of the requirements on ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let dns: DnsHost
    let clock: TestClock
    beforeEach(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
      dns = await DnsHost.start({})
      clock = new TestClock(NOW)
    })
    afterEach(async () => {
      await dns.stop()
      await store.close()
      await storage.remove()
    })

    const count = async (
      { accountId: account_id, domainId: domain_id }: Owner,
      name: string,
      counts: object,
    ): Promise<void> => {
      const none = Object.fromEntries(Object.keys(TABLES.message_parts).map((column) => [column, 0]))
      const hour_at = clock.now() - (clock.now() % 3_600_000)
      const row = { ...none, account_id, domain_id, stream: 'news', hour_at, kind: 'provider', name }
      const look = await lookInto(storage)
      await look.read
        .insertInto('message_parts')
        .values({ ...row, ...counts } as never)
        .execute()
      await look.close()
    }
    const check = (): Promise<void> =>
      new RequirementWatch({
        ...{ store, clock, log: silentLog, node: new NodeName(), settings: SETTINGS, own: [] },
        ...{ returnPathHost: 'rp.example.com', allowed: parseNetworks('') },
        resolver: createResolver({ servers: [dns.server], cache: false, ...ANSWERED }),
      }).run()
    const share = async ({ domainId }: Owner, receiver: Receiver) => {
      const domain = (await listSendingDomains(store.read)).find(({ id }) => id === domainId)
      assert.ok(domain !== undefined)
      const panels = await readPanels(store.read, SETTINGS, domain, clock.now())
      const panel = panels.find(({ provider }) => provider === receiver)
      const found = panel?.checks.find(({ requirement }) => requirement === 'complaint_share')
      return [found?.status, found?.source, found?.measured]
    }
    const UNKNOWN = ['not_known', null, null]

    test('come from loops alone: of the domain about which a loop has reported, and never from Gmail', async () => {
      const [one, other] = [await createOwner(store), await createOwner(store)]
      await count(one, 'Yahoo', { delivered: 2_000, complained: 7 })
      await count(one, 'Gmail', { delivered: 2_000, complained: 1 })
      await count(other, 'Yahoo', { delivered: 5_000 })
      await check()
      assert.deepEqual(await share(one, 'Yahoo'), ['not_met', 'report', 0.0035])
      assert.deepEqual(await share(one, 'Gmail'), UNKNOWN)
      assert.deepEqual(await share(other, 'Yahoo'), UNKNOWN)
    })

    test('are those of seven days, while the loop has reported in thirty, and nothing afterwards', async () => {
      const owner = await createOwner(store)
      await count(owner, 'Yahoo', { delivered: 100, complained: 9 })
      clock.advance(8 * DAY_MS)
      await count(owner, 'Yahoo', { delivered: 1_000 })
      await check()
      assert.deepEqual(await share(owner, 'Yahoo'), ['met', 'report', 0])
      clock.advance(23 * DAY_MS)
      await count(owner, 'Yahoo', { delivered: 1_000 })
      await check()
      const silent = await share(owner, 'Yahoo')
      assert.deepEqual(silent.slice(0, 2), ['not_known', null])
      assert.match(String(silent[2]), /has not reported in the last 30 days/)
      clock.advance(8 * DAY_MS)
      await check()
      assert.deepEqual(await share(owner, 'Yahoo'), UNKNOWN)
    })
  })
}

test('few deliveries, or one complaint above the limit, are too few to tell', () => {
  const judged = (delivered: number, complained: number) =>
    judgeComplaints({ delivered, complained, isReporting: true })
  assert.deepEqual(judged(19, 0).status, 'not_known')
  assert.match(String(judged(100, 1).measured), /about 1 of 100 messages .* too few/)
  assert.deepEqual(judged(100, 2), { status: 'not_met', measured: 0.02 })
  assert.deepEqual(judged(1_000, 1), { status: 'met', measured: 0.001 })
  // Complaints may be about mail of the days before.
  assert.deepEqual(judged(20, 40), { status: 'not_met', measured: 1 })
})
