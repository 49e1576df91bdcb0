// The job that sends TLS reports: one report for each domain and day whatever number of nodes there are, and its limits.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { certificateFor } from '../../test/support/authority.ts'
import { DnsHost } from '../../test/support/dns-host.ts'
import { DATABASES, openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { silentLog } from '../lib/log.ts'
import type { SendReportMail } from '../model/service-mail.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { Store } from '../store/database/store.ts'
import { recordTlsResults } from '../store/domains/tls-results.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { readReportFile } from './read-report.ts'
import { TlsReporting } from './tls-reporting.ts'

const HOUR_MS = 3_600_000
const DAY = '2026-01-10'
const MORNING = Date.UTC(2026, 0, 11, 4, 30)

/** An installation without a domain for mail, which sends reports by HTTPS only. */
const WITHOUT_DOMAIN: SendReportMail = {
  sender: async () => undefined,
  send: () => assert.fail('mail without a domain to send from'),
}

for (const database of DATABASES) {
  describe(`the sending of TLS reports in ${database}`, () => {
    const posted: { readonly path: string; readonly bytes: Buffer }[] = []
    let answer = 204
    let web: Server
    let url: string
    let dns: DnsHost
    let store: Store
    let clock: TestClock
    before(async () => {
      web = createServer(await certificateFor(['collector.test']), async (request, response) => {
        posted.push({ path: request.url ?? '', bytes: await buffer(request) })
        response.writeHead(answer, answer === 301 ? { location: `${url}/elsewhere` } : {}).end()
      })
      web.listen(0, '127.0.0.1')
      await once(web, 'listening')
      url = `https://collector.test:${(web.address() as AddressInfo).port}`
      dns = await DnsHost.start({ 'collector.test': { A: ['127.0.0.1'] } })
    })
    after(async () => {
      await dns.stop()
      web.closeAllConnections()
      web.close()
      await once(web, 'close')
    })
    beforeEach(async () => {
      posted.length = 0
      answer = 204
      clock = new TestClock(MORNING)
      store = await openTestStore(database)
    })
    afterEach(() => store.close())

    /** Stores results of these domains, each of which names this address for reports. */
    async function results(domains: readonly string[], address: string): Promise<void> {
      for (const domain of domains) dns.set(`_smtp._tls.${domain}`, { TXT: [`v=TLSRPTv1; rua=${address}`] })
      const rows = domains.map((policy_domain) => ({
        ...{ day: DAY, policy_domain, policy_type: 'no-policy-found' as const, mx: 'mx.test' },
        ...{ result: 'success', sending_ip: '', receiving_ip: '', policy: '[]', sessions: 3 },
      }))
      await store.write(recordTlsResults, { results: rows, oldestDay: DAY })
    }

    function reporting(mail = WITHOUT_DOMAIN): TlsReporting {
      const resolver = createResolver({ servers: [dns.server], cache: false })
      const http = new OutgoingHttp({ resolver, allowed: parseNetworks('127.0.0.0/8') })
      return new TlsReporting({
        ...{ store, clock, log: silentLog, node: new NodeName(), resolver, http, mail },
        hostName: 'mail.sender.test',
      })
    }

    const states = async (): Promise<string[]> => {
      const rows = await store.read.selectFrom('tls_reports').selectAll().where('address', '!=', '').execute()
      return rows.map(({ domain, state }) => `${domain} ${state}`).sort()
    }

    test('happens once on many nodes, and continues on another node when one dies', async () => {
      await results(['a.example', 'b.example'], `${url}/v1`)
      const nodes = [reporting(), reporting(), reporting()]
      await Promise.all(nodes.map((node) => node.run()))
      assert.equal(posted.length, 2)
      for (const node of nodes) await node.run()
      assert.equal(posted.length, 2)
      assert.deepEqual(await states(), ['a.example sent', 'b.example sent'])
      const report = await readReportFile(posted[0]?.bytes ?? Buffer.alloc(0), clock.now())
      assert.ok(report.kind === 'tls', JSON.stringify(report))
      assert.deepEqual([report.submitter, report.messages, report.failed], ['mail.sender.test', 3, 0])

      await results(['c.example'], `${url}/v1`)
      // The lease of the node that sent the reports ends: by the clock of the node in SQLite, and by the clock of the
      // database in PostgreSQL.
      if (database === 'sqlite') clock.advance(HOUR_MS)
      else await store.read.updateTable('singleton_jobs').set({ lease: null, lease_until: null }).execute()
      const next = reporting()
      await next.run()
      assert.equal(posted.length, 3)
      await next.stop()
      for (const node of nodes) await node.stop()
    })

    test('waits until five past midnight, and for the moment of each domain', async () => {
      clock = new TestClock(Date.UTC(2026, 0, 11, 0, 4))
      const domains = Array.from({ length: 20 }, (_, index) => `d${index}.example`)
      await results(domains, `${url}/v1`)
      const node = reporting()
      await node.run()
      assert.equal(posted.length, 0)
      clock.advance(HOUR_MS)
      await node.run()
      const early = posted.length
      assert.ok(early > 0 && early < 20, String(early))
      clock.advance(4 * HOUR_MS)
      await node.run()
      assert.equal(posted.length, 20)
      await node.stop()
    })

    test('sends a hundred reports to one address, and a few more whose lookups ended together', async () => {
      const domains = Array.from({ length: 105 }, (_, index) => `m${index}.example`)
      await results(domains, `${url}/victim`)
      const node = reporting()
      await node.run()
      assert.ok(posted.length >= 100 && posted.length <= 103, String(posted.length))
      const skipped = (await states()).filter((one) => one.endsWith(' skipped'))
      assert.equal(skipped.length, 105 - posted.length)
      await node.stop()
    })

    test('follows no redirect, and repeats a failure until the day is over', async () => {
      await results(['moved.example'], `${url}/moved`)
      answer = 301
      const node = reporting()
      await node.run()
      assert.deepEqual(
        [posted.map(({ path }) => path), await states()],
        [['/moved'], ['moved.example refused']],
      )

      await results(['busy.example'], `${url}/busy`)
      answer = 500
      for (let hour = 0; hour < 19; hour++) {
        await node.run()
        clock.advance(HOUR_MS)
      }
      const tries = posted.filter(({ path }) => path === '/busy').length
      assert.ok(tries >= 4 && tries <= 7, String(tries))
      assert.ok((await states()).includes('busy.example due'))
      clock.advance(HOUR_MS)
      await node.run()
      assert.ok((await states()).includes('busy.example given_up'))
      answer = 204
      await node.run()
      assert.equal(posted.filter(({ path }) => path === '/busy').length, tries)
      await node.stop()
    })

    test('waits with mail while the installation has no domain', async () => {
      await results(['mail.example'], 'mailto:tls@mail.example')
      const node = reporting()
      await node.run()
      assert.deepEqual(await states(), ['mail.example due'])
      await node.stop()
    })
  })
}
