// TLS reports (RFC 8460): results of sessions are counted, and each domain that asks for reports gets one report a day, by
// mail and by HTTPS.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import type { TlsReport } from '../../src/model/report.ts'
import { readReportFile } from '../../src/reports/read-report.ts'
import { TestApp } from '../support/app.ts'
import { certificateFor } from '../support/authority.ts'
import type { DnsRecords } from '../support/dns-host.ts'
import { firstAttempt } from '../support/first-attempt.ts'
import type { HostMail } from '../support/mail-host/script.ts'
import { TestClock, until, untilPassed } from '../support/test-clock.ts'

const HOUR_MS = 3_600_000
/** Noon of the first day. */
const START = Date.UTC(2026, 0, 10, 12)
const [FIRST, SECOND] = ['2026-01-10', '2026-01-11']

const DOMAINS = ['both', 'busy', 'dead', 'gone', 'inside', 'later', 'quiet', 'reports', 'several', 'silent']

/** Returns the records by which each domain has a mail host with its own address, and thus its own connections. */
const mailHosts = (): Record<string, DnsRecords> =>
  Object.fromEntries(
    DOMAINS.flatMap((name, index) => [
      [`${name}.example`, { MX: [`10 ${name}.test`] }],
      [`${name}.test`, { A: [`127.0.3.${index + 1}`] }],
    ]),
  )

interface Posted {
  readonly path: string | undefined
  readonly type: string | undefined
  readonly bytes: Buffer
}

describe('a domain that asks for TLS reports', () => {
  // The clock moves in steps between which the node settles, so that no attempt outlives its lease.
  const clock = new TestClock(START)
  /** Requests that the web server got, oldest first. */
  const posted: Posted[] = []
  /** Connections of the mail before the first reports. */
  const ordinary = new Set<number>()
  /** Status of the answers, by path. */
  const statuses = new Map<string, number>([['/gone', 404]])
  let web: Server
  let app: TestApp
  before(async () => {
    web = createServer(await certificateFor(['collector.test']), async (request, response) => {
      const bytes = await buffer(request)
      posted.push({ path: request.url, type: request.headers['content-type'], bytes })
      response.writeHead(statuses.get(request.url ?? '') ?? 204).end()
    })
    web.listen(0, '127.0.0.1')
    await once(web, 'listening')
    const url = `https://collector.test:${(web.address() as AddressInfo).port}`
    const wants = (rua: string) => ({ TXT: [`v=TLSRPTv1; rua=${rua}`] })
    app = await TestApp.start({
      clock,
      env: { POSTRIDER_TLS_REPORTS: 'yes' },
      host: { tls: true, address: '0.0.0.0' },
      zone: {
        ...mailHosts(),
        'collector.test': { A: ['127.0.0.1'] },
        '_smtp._tls.both.example': wants(`mailto:tls@reports.example,${url}/v1`),
        // The address for reports asks for reports itself.
        '_smtp._tls.reports.example': wants('mailto:tls@reports.example'),
        '_smtp._tls.dead.example': wants('mailto:dead@dead.example'),
        '_smtp._tls.gone.example': wants(`${url}/gone`),
        '_smtp._tls.busy.example': wants(`${url}/busy`),
        '_smtp._tls.inside.example': wants('https://10.0.0.1/x,https://192.168.1.1:8443/'),
        '_smtp._tls.several.example': {
          TXT: ['v=TLSRPTv1; rua=mailto:a@x.test', 'v=TLSRPTv1; rua=mailto:a@x.test'],
        },
        '_smtp._tls.silent.example': 'SERVFAIL',
        '_smtp._tls.later.example': wants('mailto:tls@later.example'),
      },
    })
  })
  after(async () => {
    await app.stop()
    web.closeAllConnections()
    web.close()
    await once(web, 'close')
  })

  const resultsOf = (day: string) =>
    app.store.read.selectFrom('tls_results').selectAll().where('day', '=', day).execute()
  /** Returns the state of each report about a day, by domain and address. */
  async function statesOf(day: string): Promise<Map<string, string>> {
    const rows = await app.store.read.selectFrom('tls_reports').selectAll().where('day', '=', day).execute()
    return new Map(
      rows.map(({ domain, address, state }) => [
        `${domain} ${address.replace(/:\d{4,5}\//, '/')}`.trim(),
        state,
      ]),
    )
  }

  const reportsByMail = (): HostMail[] =>
    app.host.mails.filter(({ data }) => data.includes('TLS-Report-Domain:'))

  /** Closes all connections, so that the next mail to each host opens a session that may be counted. */
  async function closeConnections(): Promise<void> {
    await app.host.interrupt({ reply: '421 4.3.2 Closing', after: 'close' })
    await until('the connections are closed', () => app.host.openConnections === 0)
  }

  async function read(bytes: Buffer): Promise<TlsReport> {
    const report = await readReportFile(bytes, clock.now())
    assert.equal(report.kind, 'tls', JSON.stringify(report))
    return report as TlsReport
  }

  test('is counted without a policy; a domain that asks for none is not', async () => {
    for (const name of DOMAINS) {
      assert.equal((await firstAttempt(app, `you@${name}.example`)).status, 'delivered')
    }
    const expected = ['both', 'busy', 'dead', 'gone', 'inside', 'later', 'reports', 'several'].map(
      (name) => `${name}.example no-policy-found ${name}.test success`,
    )
    await untilPassed({ by: app, stepMs: 10_000 }, 'the results are stored', async () => {
      const rows = await resultsOf(FIRST)
      return rows.length >= expected.length
    })
    const rows = await resultsOf(FIRST)
    const found = rows.map((row) => [row.policy_domain, row.policy_type, row.mx, row.result].join(' '))
    assert.deepEqual(found.sort(), expected)
  })

  test('gets one report a day, by mail and by HTTPS', async () => {
    statuses.set('/busy', 503)
    await closeConnections()
    for (const { id } of app.host.connections) ordinary.add(id)
    app.host.script = ({ verb, address }) =>
      verb === 'RCPT' && address === 'dead@dead.example' ? '550 5.1.1 No such user' : undefined
    await app.advance(Date.UTC(2026, 0, 11, 0, 4) - clock.now())
    assert.equal(reportsByMail().length, 0)
    await untilPassed({ by: app, stepMs: 60_000 }, 'the reports are sent', async () => {
      const states = await statesOf(FIRST)
      return states.size >= 17 && clock.now() > Date.UTC(2026, 0, 11, 4, 30)
    })
    const states = await statesOf(FIRST)
    const of = (name: string) => states.get(name)
    assert.deepEqual(
      [of('both.example mailto:tls@reports.example'), of('both.example https://collector.test/v1')],
      ['sent', 'sent'],
    )
    assert.equal(of('gone.example https://collector.test/gone'), 'refused')
    assert.equal(of('busy.example https://collector.test/busy'), 'due')
    assert.equal(of('inside.example https://10.0.0.1/x'), 'refused')
    assert.equal(of('inside.example https://192.168.1.1/'), 'refused')
    assert.equal(of('several.example'), 'done')
    assert.equal(of('quiet.example'), undefined)

    const second = { by: app, stepMs: 1_000 }
    await untilPassed(second, 'the mail has arrived', () => reportsByMail().length >= 3)
    const ofBoth = reportsByMail().filter(({ data }) => data.includes('TLS-Report-Domain: both.example\r\n'))
    assert.equal(ofBoth.length, 1)
    const [mail] = ofBoth
    assert.ok(mail)
    assert.deepEqual(mail.recipients, ['tls@reports.example'])
    const text = mail.data.toString('latin1')
    assert.match(text, /^TLS-Report-Submitter: example\.test\r$/m)
    assert.match(text, /^TLS-Required: No\r$/m)
    const signature = /^DKIM-Signature: (.*(?:\r\n[ \t].*)*)/im.exec(text)?.[1]?.replace(/\s/g, '') ?? ''
    assert.match(signature, /d=example\.test;/)
    assert.match(signature, /:TLS-Report-Domain:TLS-Report-Submitter:TLS-Required/i)
    const posts = posted.filter(({ path }) => path === '/v1')
    assert.deepEqual(
      posts.map(({ type }) => type),
      ['application/tlsrpt+gzip'],
    )
    const reports = [await read(mail.data), await read(posts[0]?.bytes ?? Buffer.alloc(0))]
    for (const report of reports) {
      assert.deepEqual(report.warnings, [])
      assert.deepEqual(report.domains, ['both.example'])
      assert.deepEqual(
        report.policies.map((one) => [one.policyType, one.successful, one.failed]),
        [['no-policy-found', 1, 0]],
      )
    }
    assert.equal(reports[0]?.externalId, reports[1]?.externalId)
    assert.equal(posted.filter(({ path }) => path === '/gone').length, 1)
  })

  test('gets the report later if its web server was busy', async () => {
    const before = posted.filter(({ path }) => path === '/busy').length
    assert.ok(before >= 1)
    statuses.delete('/busy')
    await untilPassed({ by: app, stepMs: 60_000 }, 'the report is sent', async () => {
      return (await statesOf(FIRST)).get('busy.example https://collector.test/busy') === 'sent'
    })
    const bytes = posted.filter(({ path }) => path === '/busy').map((one) => one.bytes)
    assert.deepEqual(bytes.at(-1), bytes[0])
  })

  test('gets no reports about reports', async () => {
    // The mails with reports went to reports.example, which asks for reports, over a session of their own.
    const mails = reportsByMail().filter(({ recipients }) => recipients.includes('tls@reports.example'))
    assert.ok(mails.length > 0)
    for (const { connection } of mails) assert.ok(!ordinary.has(connection.id))
    await app.advance(10_000)
    assert.deepEqual(await resultsOf(SECOND), [])
  })

  test('that refuses reports for good gets none for a while', async () => {
    await closeConnections()
    for (const name of ['dead', 'gone', 'later']) {
      assert.equal((await firstAttempt(app, `again@${name}.example`)).status, 'delivered')
    }
    // Results are written every ten seconds once the DNS has answered.
    const step = { by: app, stepMs: 10_000 }
    await untilPassed(step, 'the results are stored', async () => (await resultsOf(SECOND)).length >= 3)
    const counted = (await resultsOf(SECOND)).map((row) => row.policy_domain)
    assert.deepEqual(counted.sort(), ['dead.example', 'gone.example', 'later.example'])
    await app.advance(Date.UTC(2026, 0, 12, 0, 4) - clock.now())
    await untilPassed({ by: app, stepMs: 60_000 }, 'the reports are tried', () => {
      return clock.now() > Date.UTC(2026, 0, 12, 4, 30)
    })
    const states = await statesOf(SECOND)
    assert.equal(states.get('later.example mailto:tls@later.example'), 'sent')
    assert.equal(states.get('gone.example https://collector.test/gone'), 'skipped')
    assert.equal(states.get('dead.example mailto:dead@dead.example'), 'refused')
    assert.equal(posted.filter(({ path }) => path === '/gone').length, 1)
  })

  test('is not counted or looked up if the setting disables reports', async () => {
    await app.stopNode()
    await app.startNode({ POSTRIDER_TLS_REPORTS: 'no' })
    assert.equal((await firstAttempt(app, 'third@later.example')).status, 'delivered')
    await app.advance(11_000)
    await app.advance(18 * HOUR_MS)
    assert.deepEqual(await resultsOf('2026-01-12'), [])
  })
})
