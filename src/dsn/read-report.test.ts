// Tests of the reader of reports, with samples of many mail systems and with hostile mail.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { AUTO_REPLY_SAMPLES, FEEDBACK_SAMPLES, UNRECOGNISED_SAMPLES } from './feedback-samples.test-data.ts'
import { readReport } from './read-report.ts'
import type { DeliveryReport, FeedbackReport } from './report.ts'
import { BOUNCE_SAMPLES, bounceSample } from './samples.test-data.ts'

describe('delivery reports', () => {
  for (const sample of BOUNCE_SAMPLES) {
    test(sample.name, () => {
      const report = readReport(sample.mail) as DeliveryReport
      assert.equal(report.kind, 'delivery')
      assert.equal(report.form, sample.form)
      const [first] = report.recipients
      assert.deepEqual(
        { action: first?.action, to: first?.finalRecipient, status: first?.status },
        { action: sample.action, to: sample.to, status: sample.status },
      )
    })
  }

  test('the header of the message that came back is found', () => {
    for (const { name, mail } of BOUNCE_SAMPLES) {
      const wasReturned = mail.includes('Message-ID: <01KABCDEFGHJKMNPQRSTVWXYZ0@shop.example>')
      const { original } = readReport(mail) as DeliveryReport
      assert.equal(/^Message-ID: <01KABC/m.test(original), wasReturned, name)
      assert.equal(original.includes('Thank you'), false, name)
    }
  })

  test('of several recipients each has its own part of the words beside the report', () => {
    const { mail } = BOUNCE_SAMPLES.find(({ name }) => name.startsWith('OpenSMTPD: several'))!
    const { recipients } = readReport(mail) as DeliveryReport
    assert.deepEqual(
      recipients.map(({ diagnostic }) => diagnostic),
      ['552 5.2.2 Mailbox full', '550 5.1.1 User unknown'],
    )
  })

  test('of several addresses in a text each has its own reason, and whom to ask is none of them', () => {
    const read = (name: string) =>
      (readReport(bounceSample(name).mail) as DeliveryReport).recipients.map(
        ({ finalRecipient, diagnostic, answered }) => [finalRecipient, diagnostic, answered],
      )
    assert.deepEqual(read('two addresses, each with its reason'), [
      [
        'jo@receiver.example',
        'Sorry, your message to jo@receiver.example cannot be delivered. This account is over quota.',
        undefined,
      ],
      [
        'ann@example.net',
        '550 This user does not have an account here (ann@example.net) - no such user',
        undefined,
      ],
    ])
    assert.deepEqual(read('Exim: two recipients'), [
      ['ann@example.net', '550 No such user', 'rcpt'],
      ['jo@receiver.example', '552 Mailbox full', 'rcpt'],
    ])
    assert.deepEqual(
      read('Postfix before 2.0: whom to ask stands before the recipient').map(([name]) => name),
      ['jo@receiver.example'],
    )
  })

  test('diagnostics are one line that says what the host said', () => {
    const named = (name: string): string | undefined =>
      (readReport(bounceSample(name).mail) as DeliveryReport).recipients[0]?.diagnostic
    assert.equal(
      named('Postfix: unknown user at RCPT'),
      '550 5.1.1 <jo@receiver.example>: Recipient address rejected: User unknown in virtual mailbox table',
    )
    assert.equal(named('qmail: no such mailbox'), 'Sorry, no mailbox here by that name. (#5.1.1)')
    assert.equal(named('Exim: refused at RCPT'), '550 No such user here')
    assert.equal(
      named('MDaemon: a transcript of the session'),
      '550 5.1.1 no such user --- End Transcript ---',
    )
  })
})

describe('feedback reports', () => {
  for (const { name, mail, ...expected } of FEEDBACK_SAMPLES) {
    test(name, () => {
      const { original, ...report } = readReport(mail) as FeedbackReport
      assert.deepEqual(report, { kind: 'feedback', ...expected })
      assert.match(original, /^Return-Path: <bounces\+/m)
    })
  }
})

describe('automatic replies', () => {
  for (const { name, mail, reason } of AUTO_REPLY_SAMPLES) {
    test(name, () => assert.deepEqual(readReport(mail), { kind: 'auto-reply', reason }))
  }
})

describe('anything else', () => {
  for (const { name, mail } of UNRECOGNISED_SAMPLES) {
    test(name, () => assert.deepEqual(readReport(mail), { kind: 'unrecognised', original: '' }))
  }
})

describe('hostile mail', () => {
  const report = bounceSample('Postfix: unknown user at RCPT').mail.toString('latin1')
  const MiB = 1024 * 1024
  const nested = (depth: number): string =>
    Array.from(
      { length: depth },
      (_, n) => `Content-Type: multipart/report; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    ).join('')
  const group = 'Final-Recipient: rfc822; jo@receiver.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n'
  const words = (text: string): string => `From: MAILER-DAEMON@x\r\nSubject: failure notice\r\n\r\n${text}`
  const CASES: Record<string, string> = {
    'a header of 10 MB': `Subject: ${'x'.repeat(10 * MiB)}\r\n${report}`,
    '10 MB of header fields': `${'X-A: b\r\n'.repeat((10 * MiB) / 8)}${report}`,
    'multiparts within multiparts': `${nested(1_000)}${report}`,
    'messages within messages': `${'Content-Type: message/rfc822\r\n\r\n'.repeat(500)}${report}`,
    'a million recipients': report.replace(/Final-Recipient/, `${group.repeat(100_000)}Final-Recipient`),
    '10 MB of delimiters': `Content-Type: multipart/report; boundary=b\r\n\r\n${'--b\r\n'.repeat(2 * MiB)}`,
    'a status of 10 MB': report.replace('Status: 5.1.1', `Status: ${'5.'.repeat(5 * MiB)}`),
    'a diagnostic of 10 MB': report.replace('smtp; 550', `smtp; ${'5 '.repeat(5 * MiB)}`),
    'folded for ever': `Subject: x\r\n${' \t\r\n y\r\n'.repeat(MiB)}`,
    'tags without end': `Content-Type: text/html\r\n\r\n${'<'.repeat(MiB)}`,
    'styles without end': `Content-Type: text/html\r\n\r\n${'<style>'.repeat(MiB / 7)}`,
    'entities without end': `Content-Type: text/html\r\n\r\n${'&#x10ffff;&#xd800;&#'.repeat(MiB / 20)}`,
    dashes: words('-'.repeat(MiB)),
    'dashes and blanks': words('- '.repeat(MiB)),
    'an address without end': words(`Hi. This is the qmail-send program at ${'a@'.repeat(MiB)}`),
    'openings without end': words('Your message Subject: '.repeat(MiB / 22)),
    'markers without end': words('delivery to '.repeat(MiB / 12)),
    'quoted-printable without end': `Content-Transfer-Encoding: quoted-printable\r\n\r\n${'= \t'.repeat(MiB)}`,
    'a type followed by blanks': `Content-Type: text/plain;${' '.repeat(120_000)}\r\n\r\nx`,
    'a charset that never comes': `Content-Type: text/plain; charset${' \t'.repeat(60_000)}\r\n\r\nx`,
    'charsets without end': `Content-Type: text/plain;${' charset = "'.repeat(10_000)}\r\n\r\nx`,
    'a hundred recipients beside blank lines': [
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      ...['', '--b', '', '\n \n'.repeat(20_000), '--b', 'Content-Type: message/delivery-status', ''],
      ...['Reporting-MTA: dns; x', '', group.replace('5.1.1', '5.0.0').repeat(100), '--b--', ''],
    ].join('\r\n'),
    'NULs and broken UTF-8': report.replaceAll('jo@', '\0\xff\xc3@\x80\0'),
  }
  for (const [name, mail] of Object.entries(CASES)) {
    test(name, () => {
      const bytes = Buffer.from(mail, 'latin1')
      const used = cpuWatch()
      const read = readReport(bytes)
      const took = used()
      assert.ok(took < 500, `${Math.round(took)} ms`)
      const size = JSON.stringify(read).length
      assert.ok(size < 400_000, `${size} characters`)
    })
  }

  test('whatever is done to a report, it is read without an error and without control characters', () => {
    const samples = [...BOUNCE_SAMPLES, ...FEEDBACK_SAMPLES].map(({ mail }) => mail)
    const change = fc.record({
      sample: fc.nat(samples.length - 1),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat(200),
      bytes: fc.uint8Array({ maxLength: 50 }),
    })
    fc.assert(
      fc.property(change, ({ sample, at, length, bytes }) => {
        const mail = samples[sample]!
        const from = Math.floor(at * mail.length)
        const report = readReport(
          Buffer.concat([mail.subarray(0, from), bytes, mail.subarray(from + length)]),
        )
        const said: unknown[] = report.kind === 'delivery' ? report.recipients.flatMap(Object.values) : []
        if (report.kind === 'feedback') said.push(report.feedbackType, report.userAgent ?? '')
        for (const text of said) assert.doesNotMatch(text as string, /[\0-\x08\n-\x1f\x7f-\x9f]/)
      }),
      { numRuns: 3_000 },
    )
  })
})
