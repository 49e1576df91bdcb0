// The data that hostile mail hosts send are limited in size and time and are recorded; these mail hosts delay no other
// mail.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FirstAttempt, firstAttempt } from '../../support/first-attempt.ts'
import { type ManyHosts, startHosts } from '../../support/mail-host/many-hosts.ts'
import { answerTo, type HostScript, type MailHostOptions } from '../../support/mail-host/script.ts'

interface Case {
  readonly name: string
  readonly script: HostScript
  readonly host?: MailHostOptions
  readonly status?: string
  readonly category?: string
  readonly reason: RegExp
}

const MEGABYTE = 1024 * 1024
const slowly = 100

const CASES: readonly Case[] = [
  {
    name: 'never says a word',
    script: answerTo('CONNECT', { after: 'hang' }),
    category: 'network',
    reason: /greeting: The host did not answer in time/,
  },
  {
    name: 'greets an byte at a time',
    script: answerTo('CONNECT', { reply: `220 ${'x'.repeat(200)}`, byteDelayMs: slowly }),
    category: 'network',
    reason: /greeting: The host did not answer in time/,
  },
  {
    name: 'answers EHLO a line at a time, for ever',
    script: answerTo('EHLO', { raw: '250-X\r\n'.repeat(100), byteDelayMs: slowly }),
    category: 'network',
    reason: /EHLO: The host did not answer in time/,
  },
  {
    name: 'answers an byte at a time after the message',
    script: answerTo('MESSAGE', { raw: '250-x\r\n'.repeat(100), byteDelayMs: slowly }),
    category: 'network',
    reason: /end of the message: The host did not answer in time.*may have the message/,
  },
  {
    name: 'greets with 10 MB in one line',
    script: answerTo('CONNECT', { raw: `220 ${'x'.repeat(10 * MEGABYTE)}` }),
    category: 'protocol',
    reason: /a reply line of more than 2048 bytes/,
  },
  {
    name: 'answers with a million continuation lines',
    script: answerTo('EHLO', { raw: '250-\r\n'.repeat(1_000_000) }),
    category: 'protocol',
    reason: /a reply of more than 65536 bytes/,
  },
  {
    name: 'answers RCPT with 10 MB in many lines',
    script: answerTo('RCPT', { raw: `550-${'x'.repeat(990)}\r\n`.repeat(10_000) }),
    category: 'protocol',
    reason: /a reply of more than 65536 bytes/,
  },
  {
    name: 'answers without a code',
    script: answerTo('MAIL', 'fine by me'),
    category: 'protocol',
    reason: /does not begin with a reply code/,
  },
  {
    name: 'answers with a code of two digits',
    script: answerTo('MAIL', '25 Ok'),
    category: 'protocol',
    reason: /does not begin with a reply code/,
  },
  {
    name: 'answers with a code of four digits',
    script: answerTo('MAIL', '2500 Ok'),
    category: 'protocol',
    reason: /not followed by a space or a hyphen/,
  },
  {
    name: 'answers with a code out of range',
    script: answerTo('MAIL', '999 Ok'),
    category: 'protocol',
    reason: /does not begin with a reply code/,
  },
  {
    name: 'answers with lines that disagree',
    script: answerTo('MAIL', '250-Ok\n550 No'),
    category: 'protocol',
    reason: /lines disagree/,
  },
  {
    name: 'answers with nothing but NULs',
    script: answerTo('MAIL', { raw: `${'\0'.repeat(500)}\r\n` }),
    category: 'protocol',
    reason: /does not begin with a reply code/,
  },
  {
    name: 'answers twice at once',
    script: answerTo('EHLO', '250 host\n250 host'.replace('\n', '\r\n')),
    category: 'protocol',
    reason: /more than was asked for/,
  },
  {
    name: 'speaks HTTP',
    script: answerTo('CONNECT', 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n'),
    category: 'protocol',
    reason: /does not begin with a reply code/,
  },
  {
    name: 'accepts EHLO with a 354',
    script: answerTo('EHLO', '354 Go ahead'),
    category: 'protocol',
    reason: /Unexpected reply 354/,
  },
  {
    name: 'accepts DATA with a 250',
    script: answerTo('DATA', '250 Ok'),
    category: 'protocol',
    reason: /Unexpected reply 250/,
  },
  {
    name: 'puts plaintext behind its answer to STARTTLS',
    host: { tls: true },
    script: answerTo('STARTTLS', { raw: '220 Go ahead\r\n250-host\r\n250 AUTH PLAIN\r\n' }),
    category: 'protocol',
    reason: /more than was asked for/,
  },
  {
    name: 'refuses in 8 bits, with controls and a change of direction',
    script: answerTo('RCPT', { raw: Buffer.from('550 5.1.1 n\xe9 \x1b[2J\u202e\x00user\r\n', 'utf8') }),
    status: 'bounced',
    category: 'mailbox_not_found',
    reason: /refused the message at RCPT TO/,
  },
]

describe('a host that', () => {
  let many: ManyHosts
  let first: Promise<FirstAttempt>[]
  let memory = 0
  before(async () => {
    many = await startHosts(
      CASES.map(({ host, script }) => ({ ...host, script })),
      { env: { POSTRIDER_REPLY_TIMEOUT: '3s' } },
    )
    memory = process.memoryUsage().rss
    first = CASES.map((_, n) => firstAttempt(many.app, `u@d${n}.example`))
  })
  after(() => many.stop())

  test('behaves is not delayed by all the others', async () => {
    const { status } = await firstAttempt(many.app, 'u@receiver.example')
    assert.equal(status, 'delivered')
    assert.ok(
      many.hosts.some((host) => host.openConnections > 0),
      'some of them still drag on',
    )
  })

  for (const [n, { name, status = 'deferred', category, reason }] of CASES.entries()) {
    test(name, async () => {
      const ended = await first[n]!
      assert.deepEqual([ended.status, ended.category], [status, category])
      assert.match(ended.reason, reason)
      assert.ok(ended.reason.length < 500)
      assert.ok(ended.transcript.length <= 16_384)
      assert.doesNotMatch(ended.transcript, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/)
    })
  }

  test('sends megabytes leaves none of them in memory', async () => {
    await Promise.all(first)
    const grown = process.memoryUsage().rss - memory
    // The mail hosts run in the measured process, so their own memory counts as well.
    assert.ok(grown < 150 * MEGABYTE, `${Math.round(grown / MEGABYTE)} MB`)
  })
})
