// The state of TLS reports in the store, on both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import type { Store } from '../database/store.ts'
import {
  countReportedDomains,
  domainsWithoutTlsReport,
  dueTlsReports,
  endTlsReports,
  keepTlsReports,
  reportAddressFacts,
  type TlsReportRow,
  tlsResultsOf,
} from './tls-reports.ts'
import { recordTlsResults, type TlsResult } from './tls-results.ts'

const [BEFORE, DAY] = ['2026-11-28', '2026-11-29']

const row = (domain: string, address: string, more: Partial<TlsReportRow> = {}): TlsReportRow => ({
  ...{ day: DAY, domain, address, state: 'due', tries: 0, next_at: 1_000, detail: null },
  ...more,
})

const result = (policy_domain: string, more: Partial<TlsResult> = {}): TlsResult => ({
  ...{ day: DAY, policy_domain, policy_type: 'no-policy-found', mx: 'mx.example', result: 'success' },
  ...{ sending_ip: '', receiving_ip: '', policy: '[]', sessions: 1 },
  ...more,
})

for (const database of DATABASES) {
  describe(`TLS reports in ${database}`, () => {
    let store: Store
    before(async () => {
      store = await openTestStore(database)
      const results = [
        result('a.example', { sessions: 2 }),
        result('a.example', { result: 'validation-failure', sessions: 5 }),
        result('b.example'),
        result('c.example', { day: BEFORE }),
      ]
      await store.write(recordTlsResults, { results, oldestDay: '2026-01-01' })
    })
    after(() => store.close())

    const keep = (...rows: TlsReportRow[]) => store.write(keepTlsReports, { rows })

    test('are planned once for each domain with results of the day', async () => {
      assert.deepEqual(await domainsWithoutTlsReport(store.read, DAY, 10), ['a.example', 'b.example'])
      assert.deepEqual(await domainsWithoutTlsReport(store.read, DAY, 1), ['a.example'])
      await keep(row('a.example', ''))
      assert.deepEqual(await domainsWithoutTlsReport(store.read, DAY, 10), ['b.example'])
      assert.equal(await countReportedDomains(store.read, DAY), 1)
      assert.deepEqual(await domainsWithoutTlsReport(store.read, BEFORE, 10), ['c.example'])
    })

    test('have the results of the domain, the most frequent first', async () => {
      const results = await tlsResultsOf(store.read, DAY, 'a.example', 10)
      assert.deepEqual(
        results.map((one) => [one.result, Number(one.sessions)]),
        [
          ['validation-failure', 5],
          ['success', 2],
        ],
      )
      assert.equal((await tlsResultsOf(store.read, DAY, 'a.example', 1)).length, 1)
    })

    test('are due at their time, and keep their last state', async () => {
      await keep(
        row('b.example', '', { next_at: 500 }),
        row('b.example', 'mailto:x@b.example', { next_at: 2_000 }),
      )
      const due = async (now: number) =>
        (await dueTlsReports(store.read, { day: DAY, now }, 10)).map((one) => `${one.domain} ${one.address}`)
      assert.deepEqual(await due(499), [])
      assert.deepEqual(await due(1_000), ['b.example ', 'a.example '])
      await keep(row('b.example', '', { state: 'done', tries: 1, detail: 'x' }))
      assert.deepEqual(await due(2_000), ['a.example ', 'b.example mailto:x@b.example'])
      assert.deepEqual(await dueTlsReports(store.read, { day: BEFORE, now: 9_000 }, 10), [])
    })

    test('tell how often an address got a report, and whether it refuses reports', async () => {
      const address = 'mailto:many@example.com'
      await keep(
        row('a.example', address, { state: 'sent' }),
        row('b.example', address),
        row('c.example', address, { state: 'skipped' }),
        row('c.example', address, { day: BEFORE, state: 'refused' }),
      )
      const facts = (since: string) => reportAddressFacts(store.read, address, { day: DAY, since })
      assert.deepEqual(await facts(DAY), { ofDay: 2, hasRefused: false })
      assert.deepEqual(await facts(BEFORE), { ofDay: 2, hasRefused: true })
    })

    test('of earlier days are given up, and removed later', async () => {
      await keep(row('d.example', '', { day: BEFORE }), row('e.example', '', { day: '2026-10-01' }))
      await store.write(endTlsReports, { firstDay: DAY, oldestDay: '2026-11-01' })
      const rows = await store.read
        .selectFrom('tls_reports')
        .select(['domain', 'day', 'state'])
        .where('day', '<', DAY)
        .where('address', '=', '')
        .execute()
      assert.deepEqual(
        rows.map((one) => ({ ...one })),
        [{ domain: 'd.example', day: BEFORE, state: 'given_up' }],
      )
      const due = await dueTlsReports(store.read, { day: DAY, now: 1_000 }, 10)
      assert.ok(due.some(({ domain }) => domain === 'a.example'))
    })
  })
}
