// Reports of receivers: the way in by upload and by mail, the sources of a month of mail, and complaints that carry only
// the header of a message.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { reportMail } from '../../src/dsn/sample-mail.test-data.ts'
import { reportAddress } from '../../src/model/report-address.ts'
import { installationSecret } from '../../src/store/node/secret-facts.ts'
import type { TestApp } from '../support/app.ts'
import { dmarcXml, type MadeRow } from '../support/dmarc-reports.ts'
import { bringBack, handOver, knock, RETURN_PATH_HOST, show, startInbound } from '../support/inbound.ts'
import { until } from '../support/test-clock.ts'

const DOMAIN = 'example.test'
const DAY_MS = 86_400_000
const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

let app: TestApp
before(async () => {
  app = await startInbound({
    zone: {
      '7.2.0.192.in-addr.arpa': { PTR: ['mta.sender.test'] },
      '9.100.51.198.in-addr.arpa': { PTR: ['relay.forwarder.example'] },
      'relay.forwarder.example': { A: ['198.51.100.9'] },
    },
  })
})
after(() => app.stop())

const PASSES: MadeRow = { address: '192.0.2.7', messages: 3, dkim: 'pass', spf: 'pass' }
const upload = (body: string | Buffer, type = 'application/octet-stream') =>
  app.call('POST', '/v1/reports', Buffer.from(body as string), { 'content-type': type })
const listed = async (query = '') => (await app.call('GET', `/v1/reports${query}`)).body.data

describe('an uploaded report', () => {
  test('is kept once, whatever its form and its Content-Type are', async () => {
    const xml = dmarcXml({ domain: DOMAIN, rows: [PASSES], id: 'once', day: dayAgo(2) })
    const first = await upload(xml, 'application/json')
    assert.equal(first.status, 201, JSON.stringify(first.body))
    const { report_id: id } = first.body
    assert.equal(first.headers.get('location'), `/v1/reports/${id}`)
    assert.deepEqual(
      [first.body.kind, first.body.domain, first.body.submitter, first.body.messages, first.body.failed],
      ['dmarc', DOMAIN, 'receiver.test', 3, 0],
    )
    for (const body of [xml, gzipSync(xml)]) {
      const again = await upload(body)
      assert.deepEqual([again.status, again.body.report_id, again.body.duplicate_of], [200, id, id])
    }
    const shown = (await app.call('GET', `/v1/reports/${id}`)).body
    assert.deepEqual([shown.rows.length, shown.rows[0].address, shown.policy.p], [1, '192.0.2.7', 'none'])
    assert.equal((await app.call('GET', `/v1/reports/${id}/raw`)).body, xml)
    const events = await until('the event of the report', async () => {
      const { data } = (await app.call('GET', '/v1/events?type=report_received')).body
      return data.length > 0 ? data : undefined
    })
    assert.deepEqual([events[0].message_id, events[0].detail.report_id], [null, id])
  })

  test('is refused with its fault', async () => {
    const cases: readonly (readonly [body: string | Buffer, status: number, said: RegExp])[] = [
      [
        dmarcXml({ domain: 'other.test', rows: [PASSES] }),
        422,
        /about other\.test, and not about example\.test/,
      ],
      ['<!DOCTYPE f [<!ENTITY a "b">]><feedback>&a;</feedback>', 422, /document type.*Place/],
      ['nothing', 422, /neither XML/],
      [Buffer.alloc(10 * 1024 * 1024 + 1, 60), 413, /at most 10485760 bytes/],
    ]
    for (const [body, status, said] of cases) {
      const answer = await upload(body)
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.match(answer.body.detail ?? answer.body.message, said)
    }
    assert.equal((await app.call('POST', '/v1/reports')).status, 400)
  })

  test('of TLS sessions counts sessions', async () => {
    const answer = await upload(
      JSON.stringify({
        'organization-name': 'Receiver',
        'date-range': {
          'start-datetime': `${dayAgo(1)}T00:00:00Z`,
          'end-datetime': `${dayAgo(1)}T23:59:59Z`,
        },
        'report-id': 'tls-1',
        policies: [
          {
            policy: { 'policy-type': 'sts', 'policy-domain': DOMAIN },
            summary: { 'total-successful-session-count': 9, 'total-failure-session-count': 1 },
          },
        ],
      }),
    )
    assert.deepEqual(
      [answer.status, answer.body.kind, answer.body.messages, answer.body.failed],
      [201, 'tls', 10, 1],
    )
  })
})

test('a report by mail is stored before the reply, and read afterwards', async () => {
  const { id } = await app.store.read
    .selectFrom('domains')
    .select('id')
    .where('name', '=', DOMAIN)
    .executeTakeFirstOrThrow()
  const address = reportAddress(await installationSecret(app.store), id, RETURN_PATH_HOST)
  const record = await app.store.read
    .selectFrom('domain_records')
    .select('value')
    .where('purpose', '=', 'dmarc')
    .executeTakeFirstOrThrow()
  assert.equal(record.value, `v=DMARC1; p=none; rua=mailto:${address}`)
  const client = await knock(app)
  await client.ask('MAIL FROM:<r@receiver.test>')
  const forged = address.replace(/.@/, (end) => (end === 'a@' ? 'b@' : 'a@'))
  assert.match(await client.ask(`RCPT TO:<${forged}>`), /^550 5\.1\.1/)
  client.vanish()
  const mail = (body: Buffer): Buffer =>
    Buffer.from(
      `From: r@receiver.test\r\nContent-Type: application/gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n${body.toString('base64')}\r\n`,
    )
  const report = gzipSync(dmarcXml({ domain: DOMAIN, rows: [PASSES], id: 'by-mail', day: dayAgo(2) }))
  for (const content of [report, report, report, gzipSync('no report')]) {
    assert.match(await bringBack(app, address, mail(content), 'r@receiver.test'), /^250 /)
  }
  const rows = await until('four reports that were read', async () => {
    const all = (await listed('?limit=4')) as { status: string; duplicate_of: string | null }[]
    return all.length === 4 && all.every(({ status }) => status !== 'received') ? all : undefined
  })
  assert.equal(rows.filter(({ status }) => status === 'unreadable').length, 1)
  assert.equal(rows.filter(({ duplicate_of }) => duplicate_of !== null).length, 2)
  assert.equal((await listed('?kind=dmarc&submitter=receiver.test')).length, 4)
})

test('a month of reports names each source, and the day on which a key broke', async () => {
  const { selector } = await app.store.read
    .selectFrom('dkim_keys')
    .select('selector')
    .where('algorithm', '=', 'rsa-sha256')
    .executeTakeFirstOrThrow()
  const ours = { domain: DOMAIN, selector }
  const path = `bounces.${DOMAIN}`
  const expected: Record<string, number> = { ours: 0, forwarded: 0, known: 0, unknown: 0 }
  for (let day = 1; day <= 29; day++) {
    const dkim = day < 17 ? 'pass' : 'fail'
    for (const [submitter, schema] of [
      ['google.com', 'rfc7489'],
      ['Yahoo', 'rfc9990'],
    ] as const) {
      const own = {
        ...{ address: '192.0.2.77', messages: 100 + day, dkim, spf: 'pass' },
        signature: ours,
        path,
      }
      const forwarded = {
        address: '198.51.100.9',
        messages: 5,
        dkim,
        spf: 'fail',
        signature: ours,
        path: 'forwarder.example',
        spfResult: 'pass',
      }
      const service = {
        ...{ address: '203.0.113.5', messages: 20, dkim: 'fail', dkimResult: 'pass', spf: 'fail' },
        signature: { domain: 'sendgrid.net', selector: 'smtpapi' },
      }
      const spoofer = { address: `203.0.113.${100 + (day % 20)}`, messages: 7, dkim: 'fail', spf: 'fail' }
      const xml = dmarcXml({
        ...{ domain: DOMAIN, submitter, schema, id: `month-${day}`, day: dayAgo(30 - day) },
        rows: [own, forwarded, service, spoofer],
      })
      assert.equal((await upload(xml)).status, 201)
      expected.ours! += own.messages
      expected.forwarded! += 5
      expected.known! += 20
      expected.unknown! += 7
    }
  }
  await until('the hosts of all addresses', async () => {
    const waiting = await app.store.read
      .selectFrom('report_addresses')
      .select('address')
      .where('looked_at', 'is', null)
      .execute()
    return waiting.length === 0 ? true : undefined
  })
  const query = `/v1/authentication?from=${dayAgo(29)}&to=${dayAgo(1)}`
  const { data, coverage } = (await app.call('GET', query)).body
  const found: Record<string, number> = { ours: 0, forwarded: 0, known: 0, unknown: 0 }
  for (const row of data) {
    // Reports of the other tests come from a receiver of their own.
    if (!row.receivers.includes('receiver.test')) found[row.source.kind]! += row.messages
  }
  assert.deepEqual(found, expected)
  assert.ok(coverage.reporters >= 2)
  const own = data.find((row: { source: { kind: string } }) => row.source.kind === 'ours')
  assert.deepEqual(
    [own.failing_since, own.failing.mechanism, own.failing.addresses, own.failing.receivers.toSorted()],
    [dayAgo(13), 'dkim', ['192.0.2.77'], ['Yahoo', 'google.com']],
  )
  assert.match(
    own.what_to_do,
    new RegExp(`DKIM has failed since ${dayAgo(13)} for mail from 192\\.0\\.2\\.77`),
  )
  const forwarder = data.find((row: { source: { kind: string } }) => row.source.kind === 'forwarded')
  assert.deepEqual(
    [forwarder.source.name, forwarder.source.ptr],
    ['forwarder.example', 'relay.forwarder.example'],
  )
  assert.equal(
    data.find((row: { source: { kind: string } }) => row.source.kind === 'known').source.name,
    'SendGrid',
  )

  const incident = await until('the incident', async () => {
    const { data: incidents } = (await app.call('GET', '/v1/incidents?state=open')).body
    return incidents.find(({ cause }: { cause: string }) => cause === 'alignment')
  })
  assert.deepEqual(
    [incident.code, incident.scope, incident.began_at.slice(0, 10)],
    ['dkim', { source_address: '192.0.2.77' }, dayAgo(13)],
  )

  const byReceiver = (await app.call('GET', `${query}&group_by=receiver`)).body.data
  assert.deepEqual(
    byReceiver
      .map((row: { receiver: string }) => row.receiver)
      .filter((name: string) => name !== 'receiver.test')
      .sort(),
    ['Yahoo', 'google.com'],
  )
  const byDay = (await app.call('GET', `${query}&group_by=day,header_from`)).body.data
  assert.ok(
    byDay.every(
      (row: { day: string; header_from: string }) => row.day !== null && row.header_from === DOMAIN,
    ),
  )

  const stranger = data.find((row: { source: { kind: string } }) => row.source.kind === 'unknown')
  const url = `/v1/authentication/sources/${stranger.source.source_id}`
  assert.equal((await app.call('PUT', url, { kind: 'known', name: 'Partner' })).status, 200)
  const named = (await app.call('GET', query)).body.data.find(
    (row: { source: { source_id: string } }) => row.source.source_id === stranger.source.source_id,
  )
  assert.deepEqual([named.source.kind, named.source.name], ['known', 'Partner'])
  assert.equal((await app.call('PUT', '/v1/authentication/sources/src_x', { kind: 'known' })).status, 404)
  assert.equal((await app.call('GET', `${query}&group_by=x`)).status, 422)
})

test('transactional mail has one signed Feedback-ID without addresses, and keeps the field of its sender', async () => {
  const fieldOf = async (message: object): Promise<string> => {
    const { raw } = await handOver(app, { to: [{ email: 'feedback@receiver.example' }], ...message })
    const [values, signed] = [raw.matchAll(/^feedback-id: (.*)\r$/gim), raw.replaceAll(/\r\n\s+/g, '')]
    assert.match(signed, /h=[^;]*:feedback-id[:;]/i)
    return [...values].map(([, value]) => value).join()
  }
  const [, installation] = /:(pr[0-9a-f]{10})$/.exec(await fieldOf({})) ?? []
  const [stream, sender] = ['transactional', `${DOMAIN}:${installation}`]
  assert.equal(await fieldOf({ tag: 'Reset: password' }), `Reset-password:${stream}:${sender}`)
  const three = ['one', 'two', 'three'].map((name) => ({ email: `${name}@receiver.example` }))
  assert.equal(await fieldOf({ to: three, tag: 'reset' }), `reset:${stream}:${sender}`)
  assert.equal(await fieldOf({ tag: 'for ann@receiver.example' }), `:${stream}:${sender}`)
  assert.equal(await fieldOf({ headers: { 'feedback-id': 'a:b:c:mine' } }), 'a:b:c:mine')
})

describe('a complaint with headers only', () => {
  const arf = (original: string, text = 'This is an abuse report.'): Buffer =>
    reportMail({
      ...{ from: 'feedback@provider.example', subject: 'complaint', type: 'feedback-report', text },
      report: 'Feedback-Type: abuse\nUser-Agent: Loop/1.0\nVersion: 1\n',
      original,
    })
  const withoutPath = (raw: string): string =>
    raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/^Return-Path:.*\r\n/gim, '')

  test('about a mail to one recipient finds the recipient by the signed CFBL-Address', async () => {
    const sent = await handOver(app, { to: [{ email: 'sole@receiver.example' }] })
    const [, address] = /^CFBL-Address: (\S+); report=arf\r$/m.exec(sent.raw) ?? []
    assert.equal(address, sent.returnPath)
    assert.match(sent.raw.replaceAll(/\r\n\s+/g, ''), /h=[^;]*:CFBL-Address/i)
    await bringBack(app, `abuse@${RETURN_PATH_HOST}`, arf(withoutPath(sent.raw)), 'fbl@provider.example')
    assert.equal((await show(app, sent.id)).events.at(-1).type, 'complained')
    assert.equal((await listed('?kind=cfbl')).length, 1)
  })

  test('about a mail to three recipients suppresses the right one', async () => {
    const emails = ['one', 'two', 'three'].map((name) => `${name}@receiver.example`)
    const sent = await handOver(app, { to: emails.map((email) => ({ email })) })
    assert.doesNotMatch(sent.raw, /^CFBL-Address/m)
    const path = sent.returnPaths.get('two@receiver.example')
    const header = `Received: from mx by receiver.example (envelope-from <${path}>)\r\n${withoutPath(sent.raw)}`
    await bringBack(app, `abuse@${RETURN_PATH_HOST}`, arf(header), 'fbl@provider.example')
    const complained = (await show(app, sent.id)).events.filter(
      ({ type }: { type: string }) => type === 'complained',
    )
    assert.deepEqual(
      complained.map(({ email }: { email: string }) => email),
      ['two@receiver.example'],
    )
    const { data } = (await app.call('GET', '/v1/suppressions')).body
    const suppressed = data.map(({ email }: { email: string }) => email)
    assert.deepEqual(
      emails.filter((email) => suppressed.includes(email)),
      ['two@receiver.example'],
    )
  })

  test('names the recipient in the text of the report as well', async () => {
    const sent = await handOver(app, {
      to: [{ email: 'four@receiver.example' }, { email: 'five@receiver.example' }],
    })
    const text = `The mail was sent by ${sent.returnPaths.get('five@receiver.example')}.`
    await bringBack(
      app,
      `abuse@${RETURN_PATH_HOST}`,
      arf(withoutPath(sent.raw), text),
      'fbl@provider.example',
    )
    const complained = (await show(app, sent.id)).events.filter(
      ({ type }: { type: string }) => type === 'complained',
    )
    assert.deepEqual(
      complained.map(({ email }: { email: string }) => email),
      ['five@receiver.example'],
    )
  })
})
