// Mail of test credentials goes to its test inbox and to no host, whichever way it takes; figures, allowances and
// suppressions know live mail alone.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import { changeAccount } from '../../src/store/access/accounts.ts'
import { pauseQueue, resumeQueue, retryRecipients } from '../../src/store/queue/queue-control.ts'
import { ok, refused } from '../support/answers.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { Person } from '../support/person.ts'
import { settled } from '../support/store.ts'
import { TestClock, until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'

describe('test credentials', () => {
  let app: TestApp
  let clock: TestClock
  let manager: string
  let owner: Person
  let inboxId: string
  let key: string
  let smtp: { readonly username: string; readonly password: string; readonly port: number }
  before(async () => {
    clock = new TestClock()
    const rates = { POSTRIDER_AUTH_FAILURE_RATE: '100000/s', POSTRIDER_SENDING_RATE: '100000/s' }
    app = await TestApp.start({ clock, env: rates })
    manager = await managementKey(app)
    owner = await Person.loggedIn(app)
    inboxId = (await ok(by(manager)('POST', '/v1/inboxes', { name: 'Suite' }), 201)).inbox_id
    const wanted = { domains: ['example.test'], mode: 'test', inbox_id: inboxId, rate: '100000/s' }
    key = (await ok(by(manager)('POST', '/v1/keys', { kind: 'sending', name: 'Tests', ...wanted }), 201)).key
    const credential = { name: 'Tests', domain: 'example.test', mode: 'test', inbox_id: inboxId }
    smtp = await ok(by(manager)('POST', '/v1/smtp-credentials', credential), 201)
  })
  after(() => app.stop())

  const by =
    (secret: string) =>
    (method: string, path: string, body?: object | string, more: object = {}) =>
      app.call(method, path, body, { authorization: `Bearer ${secret}`, ...more })
  const to = (...emails: string[]) => emails.map((email) => ({ email }))
  const request = (fields: object = {}) => ({
    ...{ from: 'hello@anything.example', to: to('ann@receiver.example'), subject: 'Hello', text: 'Hello.\n' },
    ...fields,
  })
  const send = async (fields: object = {}, secret = key): Promise<string> =>
    (await ok(by(secret)('POST', '/v1/messages', request(fields)), 202)).message_id
  /** Sends one message. */
  const one = async (fields: object): Promise<number> => {
    await send(fields)
    return 1
  }
  const mails = async (query = ''): Promise<Answer['body'][]> =>
    (await ok(by(manager)('GET', `/v1/inboxes/${inboxId}/messages?limit=200${query}`))).data
  /** Waits until the inbox has this number of mails with this subject. */
  const inInbox = (subject: string, count = 1) =>
    until(`${count} mails "${subject}" are in the inbox`, async () => {
      const found = (await mails(`&subject=${encodeURIComponent(subject)}`)).filter(
        (one) => one.subject === subject,
      )
      return found.length === count && found
    })
  /** Fails if a host was contacted or looked up, other than the mail host of the own domain, which a job looks up. */
  function assertNothingLeft(way: string): void {
    assert.equal(app.host.connections.length, 0, way)
    assert.deepEqual(
      app.dns.queries.filter((query) => query.startsWith('MX ') && query !== 'MX example.test'),
      [],
      way,
    )
  }

  test('look like test credentials, and say so', async () => {
    assert.match(key, /^send_test_[A-Za-z0-9]{43}$/)
    const shown = await ok(by(key)('GET', '/v1/key'))
    assert.deepEqual([shown.mode, shown.inbox_id, shown.kind], ['test', inboxId, 'sending'])
  })

  describe('leave the installation by no way', () => {
    const text =
      'From: shop@elsewhere.example\r\nTo: ann@receiver.example\r\nSubject: SUBJECT\r\n\r\nHello.\r\n'
    const transport = () =>
      createTransport({
        ...{
          host: '127.0.0.1',
          port: app.app.smtpPort,
          requireTLS: true,
          tls: { rejectUnauthorized: false },
        },
        auth: { user: smtp.username, pass: smtp.password },
      })
    const inOneSecond = () => new Date(clock.now() + 120_000).toISOString()
    /** Ways on which a message comes in: each sends mail with the given subject, and returns the number of mails. */
    const ways: Record<string, (subject: string) => Promise<number>> = {
      'a request': async (subject) => one({ subject }),
      'a request with files': async (subject) => {
        const attachments = [{ filename: 'a.txt', content: Buffer.from('a').toString('base64') }]
        return one({ subject, attachments, html: '<p>x</p>' })
      },
      'a request to many': async (subject) => {
        const many = {
          to: to('a@receiver.example', 'b@other.example'),
          cc: to('c@third.example'),
          bcc: to('d@fourth.example'),
        }
        return one({ subject, ...many })
      },
      'a large request': async (subject) => one({ subject, text: 'x\n'.repeat(300_000) }),
      'a request that requires TLS': async (subject) => one({ subject, require_tls: true }),
      'a request with tracking': async (subject) => {
        const fields = { track_opens: true, track_links: true, html: '<a href="https://a.example/">x</a>' }
        return one({ subject, ...fields })
      },
      'an address with Unicode': async (subject) => one({ subject, to: to('jörg@grün.example') }),
      'an address of the domain itself': async (subject) => one({ subject, to: to('x@example.test') }),
      'an address of an inbound stream': async (subject) =>
        one({ subject, to: to('x@inbound.example.test') }),
      'a return path of the service': async (subject) =>
        one({ subject, to: to('bounces@bounces.example.test') }),
      'a request with an idempotency key': async (subject) => {
        for (let time = 0; time < 2; time++) {
          await ok(by(key)('POST', '/v1/messages', request({ subject }), { 'idempotency-key': subject }), 202)
        }
        return 1
      },
      'a template': async (subject) => {
        const alias = `t-${Math.random().toString(36).slice(2)}`
        await ok(
          by(key)('POST', '/v1/templates', { alias, name: alias, subject, text: 'Hello {{name}}' }),
          201,
        )
        const { subject: _, text: __, ...bare } = request()
        await ok(
          by(key)('POST', '/v1/messages', { ...bare, template_alias: alias, template_model: { name: 'A' } }),
          202,
        )
        return 1
      },
      'a batch': async (subject) => {
        await ok(
          by(key)('POST', '/v1/messages/batch', [request({ subject }), request({ subject })] as never),
          200,
        )
        return 2
      },
      'a raw message': async (subject) => {
        const raw = text.replace('SUBJECT', subject)
        await ok(by(key)('POST', '/v1/messages/raw', raw, { 'content-type': 'message/rfc822' }), 202)
        return 1
      },
      'a bulk': async (subject) => {
        const rows = ['a', 'b', 'c'].map((name) => ({ to: `${name}@receiver.example` }))
        const lines = [{ from: 'x@y.example', subject, text: 'Hi' }, ...rows].map((one) =>
          JSON.stringify(one),
        )
        const type = { 'content-type': 'application/x-ndjson' }
        await ok(by(key)('POST', '/v1/bulk', lines.join('\n'), type), 202)
        return 3
      },
      SMTP: async (subject) => {
        await transport().sendMail({ from: 'a@b.example', to: 'ann@receiver.example', subject, text: 'Hi' })
        return 1
      },
      'SMTP to many': async (subject) => {
        const people = { to: 'a@receiver.example', cc: 'b@other.example', bcc: 'c@third.example' }
        await transport().sendMail({ from: 'a@b.example', ...people, subject, text: 'Hi', html: '<p>Hi</p>' })
        return 1
      },
      'SMTP with a stream': async (subject) => {
        const headers = { 'X-Stream': 'transactional', 'X-Tag': 'x' }
        await transport().sendMail({ from: 'a@b.example', to: 'a@c.example', subject, text: 'Hi', headers })
        return 1
      },
      'a time to come': async (subject) => {
        await send({ subject, send_at: inOneSecond() })
        await app.advance(121_000)
        return 1
      },
      'a time that is changed': async (subject) => {
        const id = await send({ subject, send_at: inOneSecond() })
        await ok(by(key)('PATCH', `/v1/messages/${id}`, { send_at: null }))
        return 1
      },
      'a second attempt': async (subject) => {
        const id = await send({ subject, to: to('greylist@receiver.example') })
        await until('the attempt is deferred', async () => {
          const { body } = await by(key)('GET', `/v1/messages/${id}`)
          return body.to[0].status === 'deferred'
        })
        await app.advance(3_600_000)
        return 1
      },
      'a retry by an operator': async (subject) => {
        const id = await send({ subject, to: to('greylist+2@receiver.example') })
        await app.messageIn(id, 'deferred')
        await app.settled()
        await app.store.write(retryRecipients, { selection: { messageId: id }, now: clock.now() } as never)
        await app.advance(10_000)
        return 1
      },
      'a message that is sent again': async (subject) => {
        const id = await send({ subject })
        const base = await domainBase()
        await ok(owner.call('POST', `${base}/messages/${id}/resend`, {}), 202)
        return 2
      },
      'a broadcast stream': async (subject) => {
        await ok(
          by(manager)('POST', '/v1/streams?domain=example.test', {
            alias: 'news',
            name: 'News',
            kind: 'broadcast',
          }),
          201,
        )
        await send({ subject, stream: 'news', html: '<a href="{{unsubscribe_url}}">x</a>' })
        return 1
      },
      'a domain with a relay': async (subject) => {
        const relay = `smtp://127.0.0.1:${app.host.port}`
        const [domain] = await app.store.read
          .selectFrom('domains')
          .selectAll()
          .where('name', '=', 'example.test')
          .execute()
        const url = app.store.secrets.seal(relay, domain?.id ?? '')
        const row = { domain_id: domain?.id ?? '', account_id: domain?.account_id ?? '', url, created_at: 0 }
        await app.store.write(
          (await import('../../src/store/domains/domain-relays.ts')).setDomainRelay,
          row as never,
        )
        await send({ subject })
        return 1
      },
      'a raw message with an envelope': async (subject) => {
        const raw = text.replace('SUBJECT', subject)
        const path = '/v1/messages/raw?from=a@b.example&to=a@receiver.example,b@other.example'
        await ok(by(key)('POST', path, raw, { 'content-type': 'message/rfc822' }), 202)
        return 1
      },
      'a batch of a template, and a bulk of a template': async (subject) => {
        const template = { alias: 'both', name: 'Both', subject, text: 'Hello {{name}}' }
        await ok(by(key)('POST', '/v1/templates', template), 201)
        const model = { template_alias: 'both', template_model: { name: 'A' } }
        const { subject: _, text: __, ...bare } = request()
        await ok(by(key)('POST', '/v1/messages/batch', [{ ...bare, ...model }] as never), 200)
        const rows = [{ to: 'a@receiver.example', template_model: { name: 'A' } }]
        const lines = [{ from: 'x@y.example', template_alias: 'both' }, ...rows].map((row) =>
          JSON.stringify(row),
        )
        await ok(
          by(key)('POST', '/v1/bulk', lines.join('\n'), { 'content-type': 'application/x-ndjson' }),
          202,
        )
        return 2
      },
      'SMTP with an idempotency key, twice': async (subject) => {
        const headers = { 'X-Idempotency-Key': subject.replaceAll(/\W/g, '-') }
        const mail = {
          from: 'a@b.example',
          to: 'a@c.example',
          subject,
          text: 'Hi',
          headers,
          date: new Date(0),
        }
        for (let time = 0; time < 2; time++)
          await transport().sendMail({ ...mail, messageId: '<one@b.example>' })
        return 1
      },
      'a pause that ends': async (subject) => {
        const pause = { kind: 'stream', value: 'transactional' } as const
        await app.store.write(pauseQueue, { ...pause, created_at: clock.now() })
        await send({ subject })
        await app.store.write(resumeQueue, pause)
        await app.advance(10_000)
        return 1
      },
      'a call of a compatible API': async (subject) => {
        const from = { email: 'x@y.example' }
        const sendgrid = { personalizations: [{ to: to('a@receiver.example') }], from, subject }
        const content = [{ type: 'text/plain', value: 'Hi' }]
        await ok(by(key)('POST', '/compat/sendgrid/v3/mail/send', { ...sendgrid, content }), 202)
        const postmark = { From: 'x@y.example', To: 'a@receiver.example', Subject: subject, TextBody: 'Hi' }
        const token = { 'x-postmark-server-token': key }
        await ok(app.callWith('POST', '/compat/postmark/email', postmark, token), 200)
        const resend = { from: 'x@y.example', to: 'a@receiver.example', subject, text: 'Hi' }
        await ok(by(key)('POST', '/compat/resend/emails', resend), 200)
        return 3
      },
      'a restart of the node': async (subject) => {
        await send({ subject, to: to('greylist+3@receiver.example') })
        await app.stopNode()
        await app.startNode()
        await app.advance(3_600_000)
        return 1
      },
    }

    const domainBase = async (): Promise<string> => {
      const row = await app.store.read
        .selectFrom('domains')
        .select('id')
        .where('name', '=', 'example.test')
        .executeTakeFirstOrThrow()
      return `/api/domains/${row.id}`
    }

    for (const [way, sendBy] of Object.entries(ways)) {
      test(way, async () => {
        const subject = `By ${way}`
        const count = await sendBy(subject)
        const found = await inInbox(subject, count)
        assert.ok(found.length === count)
        assertNothingLeft(way)
      })
    }

    test('a report that comes back, a link that is followed and a webhook that is replayed', async () => {
      const id = await send({ subject: 'Reported', to: to('complaint@receiver.example') })
      await inInbox('Reported')
      const body = await until('the complaint is recorded', async () => {
        const { body } = await by(key)('GET', `/v1/messages/${id}`)
        return body.events.some(({ type }: { type: string }) => type === 'complained') && body
      })
      assert.ok(body.events.every(({ detail }: { detail: { test?: boolean } }) => detail.test === true))
      const { data } = await ok(by(manager)('GET', '/v1/suppressions?domain=example.test'))
      assert.deepEqual(data, [])
      assertNothingLeft('a complaint')
    })
  })

  test('get the outcome that the local part asks for, and suppress nobody', async () => {
    const wanted: Record<string, string> = {
      bounce: 'bounced',
      full: 'bounced',
      blocked: 'bounced',
      defer: 'deferred',
      timeout: 'deferred',
      ann: 'delivered',
    }
    for (const [local, status] of Object.entries(wanted)) {
      const id = await send({ to: to(`${local}@gmail.com`), subject: `Steered ${local}` })
      const { to: recipients, test: isTest, inbox_id } = await app.messageIn(id, status)
      assert.deepEqual([recipients[0].status, isTest, inbox_id], [status, true, inboxId], local)
    }
    const again = await send({ to: to('bounce@gmail.com') })
    assert.equal((await app.messageIn(again, 'bounced')).to[0].status, 'bounced')
    const live = await send(
      { from: 'hello@example.test', to: to('bounce@gmail.com') },
      app.playground.sending_key,
    )
    await app.messageIn(live, 'delivered', 'bounced', 'deferred')
  })

  test('may not touch live mail, suppressions, webhooks, keys and domains', async () => {
    const live = await app.send({ send_at: new Date(clock.now() + 3_600_000).toISOString() })
    for (const [method, path, body] of [
      ['POST', `/v1/messages/${live}/cancel`, {}],
      ['PATCH', `/v1/messages/${live}`, { send_at: null }],
      ['GET', '/v1/suppressions', undefined],
      ['POST', '/v1/suppressions', { email: 'a@b.example' }],
      ['GET', '/v1/webhooks', undefined],
      ['POST', '/v1/webhooks', { url: 'https://a.example' }],
      ['GET', '/v1/keys', undefined],
      ['GET', '/v1/domains', undefined],
      ['GET', '/v1/verifyEmail?email=a@b.example', undefined],
      ['POST', '/v1/inboxes', { name: 'x' }],
      ['POST', '/v1/erasures', { email: 'a@b.example' }],
    ] as const) {
      await refused(by(key)(method, path, body), 403, 'inbox_credential')
    }
    assert.equal(
      (await by(app.playground.sending_key)('GET', `/v1/messages/${live}`)).body.status,
      'scheduled',
    )
    await ok(by(app.playground.sending_key)('POST', `/v1/messages/${live}/cancel`, {}))
  })

  test('count for no allowance and no figure', async () => {
    const [account] = await app.store.read.selectFrom('accounts').selectAll().execute()
    await app.store.write(changeAccount, {
      id: account?.id ?? '',
      changes: { sending_allowance: 50 },
      now: clock.now(),
    } as never)
    const figures = async (): Promise<number> => {
      await settled(app.store)
      const rows = await app.store.read.selectFrom('message_counts').select('accepted').execute()
      return rows.reduce((sum, { accepted }) => sum + Number(accepted), 0)
    }
    const before = await figures()
    // The credential is read again once the node has seen the change.
    await until('the allowance counts', async () => {
      await app.send({ subject: 'First' })
      const [row] = await app.store.read.selectFrom('accounts').select('sending_allowance').execute()
      return Number(row?.sending_allowance) < 50
    })
    const start = await figures()
    const [{ sending_allowance: allowance } = { sending_allowance: 0 }] = await app.store.read
      .selectFrom('accounts')
      .select('sending_allowance')
      .execute()
    assert.ok(start > before)
    for (let count = 0; count < 30; count++) {
      await send({ subject: 'Mixed' })
      if (count % 3 === 0) await app.send({ subject: 'Mixed live' })
    }
    await inInbox('Mixed', 30)
    assert.equal((await figures()) - start, 10)
    const left = await app.store.read.selectFrom('accounts').select('sending_allowance').execute()
    assert.equal(Number(left[0]?.sending_allowance), Number(allowance) - 10)
    await app.store.write(changeAccount, {
      id: account?.id ?? '',
      changes: { sending_allowance: null },
      now: clock.now(),
    } as never)
  })

  test(
    'count for no allowance and no figure among 10,000 messages',
    thorough('20 CPU s: ten thousand messages in batches; the test above mixes forty'),
    async () => {
      const [account] = await app.store.read.selectFrom('accounts').selectAll().execute()
      const id = account?.id ?? ''
      const allow = (sending_allowance: number | null) =>
        app.store.write(changeAccount, { id, changes: { sending_allowance }, now: clock.now() } as never)
      const left = async (): Promise<number> => {
        const row = await app.store.read.selectFrom('accounts').select('sending_allowance').executeTakeFirst()
        return Number(row?.sending_allowance)
      }
      /** Returns the sums of all figures of the account. */
      const figures = async () => {
        await settled(app.store)
        const [row] = await app.store.read
          .selectFrom('message_counts')
          .select(({ fn }) => [
            fn.sum<number>('accepted').as('accepted'),
            fn.sum<number>('delivered').as('delivered'),
            fn.sum<number>('bounced').as('bounced'),
          ])
          .execute()
        return [Number(row?.accepted), Number(row?.delivered), Number(row?.bounced)] as const
      }
      /** Returns the number of live recipients with a delivery; a message of an earlier test may be among them. */
      const deliveries = async (): Promise<number> => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from recipients r join messages m on m.id = r.message_id
          where m.inbox_id is null and r.status = 'delivered'`.execute(app.store.read)
        return Number(rows[0]?.count)
      }
      await allow(20_000)
      // The credential is read again once the node has seen the change.
      await until('the allowance counts', async () => {
        await app.send({ subject: 'Before' })
        return (await left()) < 20_000
      })
      await app.settled()
      const [start, before, deliveredBefore] = [await left(), await figures(), await deliveries()]
      const live = { from: 'hello@example.test', text: 'Live.\n' }
      for (let batch = 0; batch < 50; batch++) {
        const many = (fields: object) =>
          Array.from({ length: 100 }, (_, index) =>
            request({ ...fields, to: to(`r${batch}-${index}@receiver.example`), subject: 'Ten thousand' }),
          )
        // A tenth of the test messages bounces, which no figure may show.
        const tests = many({}).map((one, index) =>
          index % 10 === 0 ? { ...one, to: to(`bounce+${batch}-${index}@receiver.example`) } : one,
        )
        const [ofTests, ofLive] = await Promise.all([
          ok(by(key)('POST', '/v1/messages/batch', tests as never), 200),
          ok(by(app.playground.sending_key)('POST', '/v1/messages/batch', many(live) as never), 200),
        ])
        for (const { data } of [ofTests, ofLive]) {
          assert.ok(data.every(({ message_id }: Answer['body']) => typeof message_id === 'string'))
        }
      }
      // Some recipients wait for their turn at the destination, by the clock of the test.
      await until('all live messages are delivered', async () => {
        await app.advance(1_000)
        return (await figures())[1] >= before[1] + 5_000
      })
      const [accepted, delivered, bounced] = await figures()
      const ofLive = (await deliveries()) - deliveredBefore
      assert.ok(ofLive >= 5_000, String(ofLive))
      assert.deepEqual(
        [accepted - before[0], delivered - before[1], bounced - before[2], start - (await left())],
        [5_000, ofLive, 0, 5_000],
      )
      await allow(null)
    },
  )

  test('end with their inbox', async () => {
    const { inbox_id } = await ok(by(manager)('POST', '/v1/inboxes', { name: 'Short' }), 201)
    const wanted = { kind: 'sending', name: 'x', domains: ['example.test'], mode: 'test', inbox_id }
    const { key: short, key_id } = await ok(by(manager)('POST', '/v1/keys', wanted), 201)
    await ok(by(short)('GET', '/v1/key'))
    assert.equal((await by(manager)('DELETE', `/v1/inboxes/${inbox_id}`)).status, 204)
    await until('the key is refused', async () => (await by(short)('GET', '/v1/key')).status === 401)
    assert.notEqual((await ok(by(manager)('GET', `/v1/keys/${key_id}`))).revoked_at, null)
  })
})
