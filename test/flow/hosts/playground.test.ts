// Tests of the playground: the first start, a message in the mailbox, results that local parts select, and the same
// data after a second start.

import assert from 'node:assert/strict'
import { readFile, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { run } from '../../../src/cli/run.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { PLAYGROUND_INBOX } from '../../../src/model/test-inbox.ts'
import { startApp } from '../../../src/node/node.ts'
import { type Answer, TestApp } from '../../support/app.ts'
import { inboundMessages } from '../../support/inbound-mail.ts'
import { Person } from '../../support/person.ts'
import { testStorage } from '../../support/store.ts'
import { until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'
import { UNSAFE_DATABASE } from '../../support/usual-settings.ts'

describe('an account that exists before the first start', () => {
  test(
    'is the playground, with credits that are given once, and with a login',
    thorough('0.9 CPU s: each local part, with its waits'),
    async () => {
      const storage = await testStorage('sqlite')
      const settings = {
        ...{ POSTRIDER_DATA_DIR: storage.dataDir, POSTRIDER_HOSTNAME: 'sender.test', ...UNSAFE_DATABASE },
        ...{ POSTRIDER_HTTP_PORT: '0', POSTRIDER_SMTP_PORT: '0', POSTRIDER_ADMIN_PORT: '' },
      }
      const cli = async (...words: string[]) => {
        const context = { env: settings, clock: systemClock, readInput: async () => '' }
        const { code, stdout } = await run([...words, '--json'], context)
        assert.equal(code, 0, stdout)
        return JSON.parse(stdout)
      }
      const file = join(storage.dataDir, 'playground.json')
      /** Verifies an address; returns the login of the playground and the remaining credits. */
      const verifyOnce = async () => {
        const app = await startApp(loadConfig(settings), silentLog)
        try {
          const { base_url, verification_key, dashboard_login } = JSON.parse(await readFile(file, 'utf8'))
          const answer = await fetch(`${base_url}/verifyEmailDetailed?email=info%40example.test`, {
            headers: { authorization: `Bearer ${verification_key}` },
          })
          assert.equal(answer.status, 200, await answer.text())
          return [dashboard_login.email, answer.headers.get('x-verification-credits-remaining')]
        } finally {
          await app.stop()
        }
      }
      try {
        const { account_id } = await cli('account', 'create', 'Example Inc.')
        assert.deepEqual(await verifyOnce(), ['owner@example.test', '9999'])
        await rm(file)
        const [email, left] = await verifyOnce()
        assert.match(email, /^owner\+.+@example\.test$/)
        assert.equal(left, '9998')
        const { data } = await cli('account', 'list')
        assert.deepEqual(
          data.map((one: { account_id: string }) => one.account_id),
          [account_id],
        )
      } finally {
        await storage.remove()
      }
    },
  )
})

describe('the playground', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' } })
  })
  after(() => app.stop())

  const inbox = `/api/inboxes/${PLAYGROUND_INBOX}/messages`
  /** Returns the mails in the mailbox to a recipient, newest first. */
  const mailsTo = async (recipient: string) => {
    const owner = await Person.loggedIn(app)
    const { body } = await owner.call('GET', `${inbox}?recipient=${encodeURIComponent(recipient)}`)
    return body.data
  }
  const mailOf = async (id: string, part = ''): Promise<Answer> =>
    (await Person.loggedIn(app)).call('GET', `${inbox}/${id}${part}`)

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

  test('has found every DNS record of its domain, the MX record of its inbound stream as well', async () => {
    const owner = await Person.loggedIn(app)
    const [{ domain_id: id }] = (await owner.call('GET', '/api/domains')).body.data
    const { body } = await owner.call('GET', `/api/domains/${id}`)
    const records: { readonly purpose: string; readonly status: string }[] = body.records
    assert.ok(records.some(({ purpose }) => purpose === 'inbound_mx'))
    assert.deepEqual(
      records.filter(({ status }) => status !== 'found'),
      [],
    )
  })

  test('puts a mail for any domain into its mailbox', async () => {
    for (const email of ['you@example.test', 'you@gmail.com']) {
      const id = await app.send({ to: [{ email }], html: '<p>Hello</p>' })
      await app.messageIn(id, 'delivered')
      const [{ mail_id, subject, recipients }] = await mailsTo(email)
      assert.deepEqual([subject, recipients], ['Hello', [email]])
      const { body: mail } = await mailOf(mail_id)
      assert.equal(mail.html.trim(), '<p>Hello</p>')
      assert.match(mail.tls, /^TLS/)
      const raw = await app.mailInMailbox(mail_id.slice(4), '/raw')
      assert.match(raw.body, /^DKIM-Signature:/)
      assert.match(raw.headers.get('content-type') ?? '', /^text\/plain/)
    }
    assert.equal((await app.mailInMailbox('none')).status, 404)
  })

  test(
    'receives a mail to its inbound stream, and also keeps it in its mailbox',
    thorough('0.8 CPU s: each local part, with its waits'),
    async () => {
      const email = 'anybody+7@inbound.example.test'
      const id = await app.send({ to: [{ email }], subject: 'Come in', text: 'Hello.\n' })
      await app.messageIn(id, 'delivered')
      assert.equal((await mailsTo(email)).length, 1)
      const [message] = await inboundMessages(app, 1)
      assert.deepEqual([message.subject, message.stream, message.rcpt_to], ['Come in', 'inbound', [email]])
      assert.deepEqual(
        message.authentication.dkim.map(({ result, domain }: Record<string, string>) => [result, domain]),
        [
          ['pass', 'example.test'],
          ['pass', 'example.test'],
        ],
      )
      assert.equal(message.authentication.dmarc.result, 'pass')
    },
  )

  test('shows the message of a mail, and the checks of its signatures', async () => {
    const id = await app.send({ to: [{ email: 'signed@example.test' }] })
    await app.messageIn(id, 'delivered')
    const [{ mail_id }] = await mailsTo('signed@example.test')
    const { body } = await mailOf(mail_id, '/origin')
    assert.equal(body.message.message_id, id)
    assert.match(body.message.domain_id, /^dom_/)
    assert.deepEqual(
      body.signatures
        .map(({ result, domain, algorithm }: Record<string, string>) => [algorithm, result, domain])
        .sort(),
      [
        ['ed25519-sha256', 'pass', 'example.test'],
        ['rsa-sha256', 'pass', 'example.test'],
      ],
    )
    assert.match(body.signatures[0].key_name, /\._domainkey\.example\.test$/)
    assert.equal((await mailOf(mail_id, '/html')).status, 404, 'the message has no HTML')
  })

  test('shows HTML as an inert document with its own images', async () => {
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const html = '<link rel=preconnect href=http://x.example><IFRAME srcdoc=x></iframe><img src="cid:dot">'
    const id = await app.send({
      to: [{ email: 'html@example.test' }],
      html,
      attachments: [{ filename: 'dot.png', content: png, content_id: 'dot' }],
    })
    await app.messageIn(id, 'delivered')
    const [mail] = await mailsTo('html@example.test')
    const { headers, body } = await mailOf(mail.mail_id, '/html')
    assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none';/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.ok(body.includes(`<img src="data:image/png;base64,${png}">`))
    assert.doesNotMatch(body, /<link|<iframe/i)
  })

  test('waits for a mail with its links, and removes mails, without a login', async () => {
    const mailbox = `/inboxes/${PLAYGROUND_INBOX}/api/v1`
    const email = 'reset@example.test'
    const query = `query=${encodeURIComponent(`to:${email}`)}`
    const ask = (method: string, path: string) => app.callWith(method, `${mailbox}/${path}`, undefined, {})
    const waiting = ask('GET', `search?${query}&wait=30s`)
    await app.send({ to: [{ email: 'other@example.test' }] })
    const html = '<p><a href="https://shop.example/reset?a=1&amp;b=2">Choose a new password</a></p>'
    for (const subject of ['One', 'Two']) await app.send({ to: [{ email }], subject, html })
    const [first] = (await waiting).body.messages
    const { body } = await app.mailInMailbox(first.ID)
    assert.deepEqual(body.links, ['https://shop.example/reset?a=1&b=2'])
    await until('both are there', async () => (await app.mailbox(`to:${email}`)).length === 2)
    assert.equal((await ask('DELETE', `search?${query}`)).status, 200)
    assert.deepEqual((await ask('GET', `search?${query}&wait=1s`)).body.messages, [])
    assert.equal((await app.mailbox('to:other@example.test')).length, 1)
    const preflight = await app.callWith('OPTIONS', `${mailbox}/messages`, undefined, {
      origin: 'https://evil.example',
    })
    assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [405, null])
    assert.equal((await ask('DELETE', 'messages')).status, 200)
    assert.deepEqual(await app.mailbox(), [])
  })

  test('a request that waits for a mail is answered when the node stops', async () => {
    const path = `/inboxes/${PLAYGROUND_INBOX}/api/v1/search?query=nobody&wait=30s`
    const waiting = app.callWith('GET', path, undefined, {})
    // The answer to a later request shows that the node has the first one.
    await app.mailbox('nobody')
    await app.stopNode()
    const { status, body } = await waiting
    assert.deepEqual([status, body.messages], [200, []])
    await app.startNode()
  })

  test('is not shown under a name that strangers could register', async () => {
    const asked = (host: string, method = 'GET') =>
      new Promise<number | undefined>((resolve, reject) => {
        const url = new URL(`/inboxes/${PLAYGROUND_INBOX}/api/v1/messages`, app.app.url)
        request(url, { method, headers: { host } }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
    for (const host of ['localhost:8025', '127.0.0.1', '[::1]:8025', 'postrider', 'mail.internal']) {
      assert.equal(await asked(host), 200, host)
    }
    for (const host of ['evil.example:8025', '127.0.0.1.evil.example']) {
      assert.equal(await asked(host), 404, host)
      assert.equal(await asked(host, 'DELETE'), 404, host)
    }
  })

  test('answers as the local part says', thorough('1.1 CPU s: each local part, with its waits'), async () => {
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

  test('accepts every address that the API accepts', async () => {
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

  test('bounces mail to a domain that never exists', async () => {
    const id = await app.send({ to: [{ email: 'a@b.invalid' }] })
    await app.messageIn(id, 'bounced')
  })

  test('keeps keys, messages and mailbox at a second start', async () => {
    const before = app.playground
    const id = await app.send({ to: [{ email: 'kept@example.test' }] })
    await app.messageIn(id, 'delivered')
    await app.stopNode()
    await app.startNode()
    const { base_url: _a, dashboard_url: _b, mailbox_url: _c, smtp, ...rest } = app.playground
    const { base_url: _d, dashboard_url: _e, mailbox_url: _f, smtp: smtpBefore, ...restBefore } = before
    assert.deepEqual(rest, restBefore)
    assert.deepEqual([smtp.username, smtp.password], [smtpBefore.username, smtpBefore.password])
    assert.equal(smtp.port, app.app.smtpPort, 'the file names the current SMTP port')
    assert.equal((await app.messageIn(id, 'delivered')).status, 'delivered')
    assert.equal((await mailsTo('kept@example.test')).length, 1)
  })
})
