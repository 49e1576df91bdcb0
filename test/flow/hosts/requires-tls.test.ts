// A message that requires TLS is sent only to mail hosts with a verified certificate.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { certificateFor } from '../../support/authority.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { type ManyHosts, startHosts } from '../../support/mail-host/many-hosts.ts'
import { answerTo } from '../../support/mail-host/script.ts'
import { TestClock } from '../../support/test-clock.ts'

const require_tls = true

describe('a message that requires TLS', () => {
  const clock = new TestClock()
  let many: ManyHosts
  before(async () => {
    const good = await certificateFor(['host0.test'])
    const other = await certificateFor(['other.test'])
    many = await startHosts(
      [
        { tls: true, certificate: good },
        { tls: true, certificate: other },
        {},
        { tls: true, script: answerTo('STARTTLS', '454 4.7.0 Not now') },
        { tls: true, script: answerTo('STARTTLS', { reply: '220 Go', after: 'garbage' }) },
      ],
      { clock, env: { POSTRIDER_RETRY_SCHEDULE: '1m' } },
    )
  })
  after(() => many.stop())

  test('is delivered to a host with a verified certificate', async () => {
    const { status, transcript } = await firstAttempt(many.app, 'u@d0.example', { require_tls })
    assert.equal(status, 'delivered')
    assert.match(transcript, /, verified/)
  })

  const DEFERRED: [host: number, what: string, reason: RegExp][] = [
    [1, 'a certificate of another name', /ALTNAME_INVALID\); the message requires a verified certificate/],
    [2, 'no TLS', /STARTTLS is not offered; the message requires TLS/],
    [3, 'TLS that is away', /STARTTLS was refused by 454 Not now; the message requires TLS/],
    [4, 'TLS that breaks', /STARTTLS: TLS failed: wrong version number; the message requires TLS/],
  ]
  for (const [n, what, reason] of DEFERRED) {
    test(`waits for a host with ${what}, and sends nothing to it`, async () => {
      const ended = await firstAttempt(many.app, `u@d${n}.example`, { require_tls })
      assert.deepEqual([ended.status, ended.category], ['deferred', 'tls'])
      assert.match(ended.reason, reason)
      assert.ok(!many.hosts[n]?.connections.some(({ commands }) => commands.some((it) => /^MAIL/.test(it))))
    })
  }

  test('shares no connection with a message that does not require TLS', async () => {
    const before = many.hosts[0]?.connections.length ?? 0
    await firstAttempt(many.app, 'plain@d0.example')
    assert.equal(many.hosts[0]?.connections.length, before + 1)
    await firstAttempt(many.app, 'secret@d0.example', { require_tls })
    assert.equal(many.hosts[0]?.connections.length, before + 1)
  })

  test('by SMTP has a field for it, which is not passed on', async () => {
    const { username, password } = many.app.playground.smtp
    const client = createTransport({
      host: '127.0.0.1',
      port: many.app.app.smtpPort ?? 0,
      auth: { user: username, pass: password },
      tls: { rejectUnauthorized: false },
    })
    const send = (to: string, value: string) =>
      client.sendMail({
        from: 'hello@example.test',
        to,
        subject: 'x',
        text: 'x',
        headers: { 'X-Require-TLS': value },
      })
    await send('smtp@d0.example', 'true')
    const mail = await nextTo(0, 'smtp@d0.example')
    assert.doesNotMatch(mail, /X-Require-TLS/i)
    await send('smtp@d1.example', 'True')
    await send('smtp@d1.example', 'false')
    await nextTo(1, 'smtp@d1.example')
    assert.equal(many.hosts[1]?.mails.length, 1)
    await assert.rejects(send('smtp@d1.example', 'perhaps'), /X-Require-TLS is true or false/i)
    client.close()
  })

  async function nextTo(n: number, recipient: string): Promise<string> {
    for (;;) {
      const mail = await many.hosts[n]!.nextMail()
      if (mail.recipients.includes(recipient)) return mail.data.toString()
    }
  }

  test('fails when the schedule is used up', async () => {
    const { id } = await firstAttempt(many.app, 'last@d2.example', { require_tls })
    clock.advance(2 * 60_000)
    const message = await many.app.messageIn(id, 'failed')
    const { reason, category } = message.events.at(-1).detail
    assert.match(reason, /^Given up after 2 attempts.*STARTTLS is not offered; the message requires TLS/)
    assert.equal(category, 'tls')
  })

  test('is refused when the field is neither true nor false', async () => {
    const answer = await many.app.call('POST', '/v1/messages', {
      from: 'hello@example.test',
      to: [{ email: 'u@d0.example' }],
      subject: 'x',
      text: 'x',
      require_tls: 'yes',
    })
    assert.equal(answer.status, 422)
    assert.equal(answer.body.errors[0].path, 'require_tls')
  })
})
