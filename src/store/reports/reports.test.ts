// Reports are kept once, claimed by one node at a time, and removed by age.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { newId } from '../../lib/ids.ts'
import type { Store } from '../database/store.ts'
import type { Owner } from '../messages/owner.ts'
import { addressesToLookUp, hostsOf, keepHost, sumDmarcRows } from './authentication.ts'
import { removeOldReports } from './report-removal.ts'
import {
  claimReports,
  findReportContent,
  type KeepReport,
  keepReport,
  listReports,
  renewReports,
  takeReport,
} from './reports.ts'

const NOW = Date.UTC(2026, 10, 30)
const DAY_MS = 86_400_000

for (const database of DATABASES) {
  describe(`reports on ${database}`, () => {
    let store: Store
    let owner: Owner
    before(async () => {
      store = await openTestStore(database)
      const tenant = await createTenant(store, { domain: 'sender.test' })
      owner = { accountId: tenant.account.id, domainId: tenant.domain.id }
    })
    after(() => store.close())

    const row = {
      ...{ day: '2026-11-28', receiver: 'receiver.test', address: '192.0.2.7', header_from: 'sender.test' },
      ...{ envelope_from: '', dkim: '', spf: '', own_key: '' as const, own_path: 0, service: '' },
      ...{ dkim_aligned: 1, spf_aligned: 0, disposition: 'none', reason: '', messages: 5 },
    }
    const item = (id: string, key: string, raw: Uint8Array | undefined, at = NOW): KeepReport => ({
      ...{ owner, raw, identity: ['dmarc', key], rows: [row] },
      report: {
        ...{ id, received_at: at, size: 3, state: 'read', kind: 'dmarc', submitter: 'receiver.test' },
        ...{ warnings: '[]', detail: '{}', messages: 5, failed: 0, begin_at: Date.parse('2026-11-28') },
      },
    })

    test('an uploaded report is kept once, also when it comes twice at the same time', async () => {
      const both = await Promise.all(
        [1, 2].map(() => store.write(keepReport, item(newId('rpt', NOW), 'upload', Buffer.from('xml')))),
      )
      assert.deepEqual(both.map((kept) => kept?.isNew).sort(), [false, true])
      assert.equal(both[0]?.report.id, both[1]?.report.id)
      const [sum] = await sumDmarcRows(store.read, owner, { from: '2026-11-28', to: '2026-11-28' }, [
        'receiver',
      ])
      assert.deepEqual([sum?.messages, sum?.receiver, sum?.first_day], [5, 'receiver.test', '2026-11-28'])
    })

    test('a mail is claimed by one holder, released, and read once', async () => {
      const id = newId('rpt', NOW)
      const mail = { id, owner, mailFrom: 'a@b.test', clientAddress: '192.0.2.1', helo: 'b.test', now: NOW }
      assert.equal(await store.write(takeReport, { ...mail, raw: Buffer.from('mail') }), true)
      const claim = (lease: string) =>
        store.write(claimReports, { lease, limit: 5, now: NOW, until: NOW + 60_000 })
      assert.deepEqual(
        (await claim('one')).map((claimed) => claimed.id),
        [id],
      )
      assert.deepEqual(await claim('two'), [])
      assert.deepEqual(await store.write(renewReports, { lease: 'two', ids: [id], until: null }), [])
      assert.deepEqual(await store.write(renewReports, { lease: 'one', ids: [id], until: null }), [id])
      assert.equal((await claim('two')).length, 1)
      assert.equal((await store.write(keepReport, item(id, 'by mail', undefined)))?.isNew, true)
      assert.equal(await store.write(keepReport, item(id, 'by mail', undefined)), undefined)
      const again = newId('rpt', NOW)
      await store.write(takeReport, { ...mail, id: again, raw: Buffer.from('mail') })
      assert.equal(
        (await store.write(keepReport, item(again, 'by mail', undefined)))?.report.duplicate_of,
        id,
      )
      assert.equal(await findReportContent(store.read, again), undefined)
    })

    test('an address is looked up once', async () => {
      assert.deepEqual(await addressesToLookUp(store.read, 10), ['192.0.2.7'])
      await store.write(keepHost, { address: '192.0.2.7', host: 'mta.sender.test', now: NOW })
      assert.deepEqual(await addressesToLookUp(store.read, 10), [])
      assert.deepEqual(
        [...(await hostsOf(store.read, ['192.0.2.7', '192.0.2.8']))],
        [['192.0.2.7', 'mta.sender.test']],
      )
    })

    test('files are removed before the reports and their rows', async () => {
      const old = newId('rpt', NOW - 50 * DAY_MS)
      await store.write(keepReport, item(old, 'old', Buffer.from('xml'), NOW - 50 * DAY_MS))
      const since = { raw: NOW - 45 * DAY_MS, rows: NOW - 400 * DAY_MS, limit: 100 }
      assert.equal(await store.write(removeOldReports, since), true)
      assert.equal(await store.write(removeOldReports, since), false)
      assert.equal(await findReportContent(store.read, old), undefined)
      assert.ok((await listReports(store.read, owner, {}, 10)).some(({ id }) => id === old))
      assert.equal(await store.write(removeOldReports, { ...since, rows: NOW - 40 * DAY_MS }), true)
      assert.ok(!(await listReports(store.read, owner, {}, 10)).some(({ id }) => id === old))
    })
  })
}
