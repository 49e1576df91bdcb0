// TLS reports that the service sends, as the reader of TLS reports and a reader of mail see them.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import PostalMime from 'postal-mime'
import type { TlsReport } from '../model/report.ts'
import type { TlsResult } from '../store/domains/tls-results.ts'
import { readReportFile } from './read-report.ts'
import { type TlsReportFacts, tlsReportFile, tlsReportMail } from './tls-report-file.ts'

const DAY = '2026-11-29'
const NOW = Date.parse('2026-11-30T01:00:00Z')
const POLICY = ['version: STSv1', 'mode: enforce', 'mx: *.mail.example', 'mx: mx.example', 'max_age: 86400']

const result = (
  policy_type: TlsResult['policy_type'],
  mx: string,
  type: string,
  sessions: number,
  policy: readonly string[] = [],
): TlsResult => ({
  ...{ day: DAY, policy_domain: 'shop.example', policy_type, mx, result: type, sessions },
  ...{ sending_ip: '', receiving_ip: '', policy: JSON.stringify(policy) },
})

const facts: TlsReportFacts = {
  ...{ day: DAY, domain: 'shop.example', submitter: 'sender.example', contact: 'postrider@sender.example' },
  results: [
    result('sts', 'mx.example', 'success', 90, POLICY),
    {
      ...result('sts', 'mx.example', 'certificate-expired', 7, POLICY),
      ...{ sending_ip: '8.8.4.4', receiving_ip: '2001:4860::1' },
    },
    {
      ...result('sts', 'b.mail.example', 'starttls-not-supported', 3, POLICY),
      ...{ sending_ip: '10.0.0.1', receiving_ip: '127.0.0.1' },
    },
    result('sts', '', 'sts-policy-fetch-error', 2),
    result('no-policy-found', 'mx.example', 'success', 5),
    result('tlsa', 'dane.example', 'success', 4, ['3 1 1 ab']),
    result('tlsa', 'dane.example', 'validation-failure', 1, ['3 1 1 ab']),
  ],
}

async function read(bytes: Buffer): Promise<TlsReport> {
  const report = await readReportFile(bytes, NOW)
  assert.equal(report.kind, 'tls', JSON.stringify(report))
  return report as TlsReport
}

describe('a TLS report', () => {
  const { reportId, name, bytes } = tlsReportFile(facts)

  test('has the sessions of each policy, and the failures of each host', async () => {
    const report = await read(bytes)
    assert.deepEqual(report.warnings, [])
    assert.deepEqual([report.submitter, report.contact], ['sender.example', 'postrider@sender.example'])
    assert.deepEqual(report.period, {
      begin: Date.parse(`${DAY}T00:00:00Z`),
      end: Date.parse(`${DAY}T23:59:59Z`),
    })
    const policies = report.policies.map((one) => [
      one.policyType,
      one.policyDomain,
      one.successful,
      one.failed,
    ])
    assert.deepEqual(policies, [
      ['no-policy-found', 'shop.example', 5, 0],
      ['sts', 'shop.example', 90, 10],
      ['sts', 'shop.example', 0, 2],
      ['tlsa', 'dane.example', 4, 1],
    ])
    const failures = report.policies[1]?.failures.map((one) => [one.result, one.mx, one.sessions])
    assert.deepEqual(failures, [
      ['certificate-expired', 'mx.example', 7],
      ['starttls-not-supported', 'b.mail.example', 3],
    ])
  })

  test('names the policy with its hosts', () => {
    const json = JSON.parse(gunzipSync(bytes).toString('utf8'))
    assert.deepEqual(json.policies[1].policy, {
      'policy-type': 'sts',
      'policy-string': POLICY,
      'policy-domain': 'shop.example',
      'mx-host': ['*.mail.example', 'mx.example'],
    })
    assert.deepEqual(json.policies[1]['failure-details'], [
      {
        'result-type': 'certificate-expired',
        'sending-mta-ip': '8.8.4.4',
        'receiving-mx-hostname': 'mx.example',
        'receiving-ip': '2001:4860::1',
        'failed-session-count': 7,
      },
      // Addresses of private or special use are left out.
      {
        'result-type': 'starttls-not-supported',
        'receiving-mx-hostname': 'b.mail.example',
        'failed-session-count': 3,
      },
    ])
    assert.equal(json['report-id'], reportId)
    assert.match(reportId, /^2026-11-29\.[0-9a-f]{16}@sender\.example$/)
  })

  test('is the same each time, and has the name of RFC 8460 §5.1', () => {
    assert.deepEqual(tlsReportFile(facts).bytes, bytes)
    assert.match(name, /^sender\.example!shop\.example!1795910400!1795996799![0-9a-f]{16}\.json\.gz$/)
    assert.notEqual(tlsReportFile({ ...facts, day: '2026-11-28' }).reportId, reportId)
  })

  test('of a hostile host name remains a report', async () => {
    const results = [result('no-policy-found', `"${'x'.repeat(300)}"\r\n`, 'validation-failure', 1)]
    const report = await read(tlsReportFile({ ...facts, results }).bytes)
    assert.deepEqual([report.messages, report.failed], [1, 1])
  })

  test('goes by mail with the fields of RFC 8460 §5.3', async () => {
    const to = 'tls@shop.example'
    const mail = tlsReportMail(facts, tlsReportFile(facts), { to, now: NOW })
    const report = await read(mail.content)
    assert.deepEqual([report.externalId, report.messages, report.failed], [reportId, 112, 13])
    const parsed = await PostalMime.parse(mail.content)
    const field = (key: string) => parsed.headers.find((one) => one.key === key)?.value
    assert.equal(field('tls-report-domain'), 'shop.example')
    assert.equal(field('tls-report-submitter'), 'sender.example')
    assert.equal(field('tls-required'), 'No')
    assert.match(field('content-type') ?? '', /^multipart\/report; report-type="tlsrpt"/)
    assert.equal(
      parsed.subject,
      `Report Domain: shop.example Submitter: sender.example Report-ID: <${reportId}>`,
    )
    assert.deepEqual([parsed.from?.address, parsed.to?.[0]?.address], ['postrider@sender.example', to])
    const [attachment] = parsed.attachments
    assert.deepEqual([attachment?.mimeType, attachment?.filename], ['application/tlsrpt+gzip', name])
    assert.deepEqual(Buffer.from(attachment?.content as ArrayBuffer), bytes)
    for (const line of mail.content.toString('latin1').split('\r\n')) assert.ok(line.length <= 998, line)
  })

  test('with the longest names has lines that SMTP permits', async () => {
    const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(53)}.example`
    const long = { ...facts, domain: longest, submitter: longest, contact: `postrider@${longest}` }
    const mail = tlsReportMail(long, tlsReportFile(long), { to: `tls@${longest}`, now: NOW })
    for (const line of mail.content.toString('latin1').split('\r\n')) assert.ok(line.length <= 998, line)
    assert.equal((await read(mail.content)).messages, 112)
  })
})
