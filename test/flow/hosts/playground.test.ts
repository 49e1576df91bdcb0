// The playground: from the first start to a mail in its mailbox, steered by local parts, kept by a second start.

import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'

describe('the playground', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' } })
  })
  after(() => app.stop())

  const mailsTo = async (recipient: string) => {
    const { body } = await app.call('GET', `/playground/mailbox?recipient=${encodeURIComponent(recipient)}`)
    return body.data
  }

  test('writes down how to use it, for its owner only', async () => {
    const path = join(app.storage.dataDir, 'playground.json')
    const file = JSON.parse(await readFile(path, 'utf8'))
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.equal(file.base_url, `${app.app.url}/v1`)
    assert.equal(file.domain, 'example.test')
    assert.match(file.sending_key, /^send_/)
    assert.match(file.verification_key, /^verify_/)
    assert.match(file.smtp.username, /^smtp_[0-9A-Z]{26}$/)
    assert.ok(file.smtp.password.length >= 32 && file.dashboard_login.password.length >= 12)
  })

  test('puts a mail for any domain into its mailbox', async () => {
    for (const email of ['you@example.test', 'you@gmail.com']) {
      const id = await app.send({ to: [{ email }], html: '<p>Hello</p>' })
      await app.messageIn(id, 'delivered')
      const [mail] = await mailsTo(email)
      assert.equal(mail.subject, 'Hello')
      assert.equal(mail.html.trim(), '<p>Hello</p>')
      assert.match(mail.tls, /^TLS/)
      const one = await app.call('GET', `/playground/mailbox/${mail.id}`)
      assert.equal(one.body.rcpt_to, email)
      const raw = await app.call('GET', mail.raw_url)
      assert.match(raw.body, /^DKIM-Signature:/)
      assert.match(raw.headers.get('content-type') ?? '', /^text\/plain/)
    }
    assert.equal((await app.call('GET', '/playground/mailbox/none')).status, 404)
  })

  test('answers as the local part says', async () => {
    const expected: [string, string, number | undefined][] = [
      ['bounce', 'bounced', 550],
      ['full+x', 'bounced', 552],
      ['defer', 'deferred', 451],
      ['Greylist', 'deferred', 451],
      ['slow', 'delivered', 250],
    ]
    await Promise.all(
      expected.map(async ([local, status, code]) => {
        const id = await app.send({ to: [{ email: `${local}@example.test` }] })
        const message = await app.messageIn(id, status)
        assert.equal(message.to[0].smtp_code, code, local)
      }),
    )
  })

  test('takes every address that the API takes', async () => {
    const emails = [
      '"a b"@y.test',
      '"a@b"@y.test',
      '"a\\"b"@y.test',
      'jörg@y.test',
      "o'hara+tag=x@xn--mnchen-3ya.test",
      `${'x'.repeat(64)}@y.test`,
    ]
    for (const email of emails) {
      const id = await app.send({ to: [{ email }] })
      const message = await app.messageIn(id, 'delivered', 'bounced', 'deferred', 'failed')
      assert.equal(message.status, 'delivered', JSON.stringify(message.to))
      assert.equal((await mailsTo(message.to[0].email)).length, 1, email)
    }
  })

  test('a domain that never exists bounces', async () => {
    const id = await app.send({ to: [{ email: 'a@b.invalid' }] })
    await app.messageIn(id, 'bounced')
  })

  test('a second start keeps keys, messages and mailbox', async () => {
    const before = app.playground
    const id = await app.send({ to: [{ email: 'kept@example.test' }] })
    await app.messageIn(id, 'delivered')
    await app.stopNode()
    await app.startNode()
    const { base_url: _a, dashboard_url: _b, mailbox_url: _c, smtp, ...rest } = app.playground
    const { base_url: _d, dashboard_url: _e, mailbox_url: _f, smtp: smtpBefore, ...restBefore } = before
    assert.deepEqual(rest, restBefore)
    assert.deepEqual([smtp.username, smtp.password], [smtpBefore.username, smtpBefore.password])
    assert.equal(smtp.port, app.app.smtpPort, 'where it listens now')
    assert.equal((await app.messageIn(id, 'delivered')).status, 'delivered')
    assert.equal((await mailsTo('kept@example.test')).length, 1)
  })
})
