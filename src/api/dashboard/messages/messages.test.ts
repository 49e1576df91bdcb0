// Tests the dashboard's view of messages: every attempt, the HTML as an inert document, and resending.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { TestApp } from '../../../../test/support/app.ts'
import { Person } from '../../../../test/support/person.ts'
import { createTenant } from '../../../../test/support/tenant.ts'
import { until } from '../../../../test/support/test-clock.ts'
import { findDomain } from '../../../store/domains/domain-rows.ts'
import type { AttemptView } from '../../contract/dashboard-messages.ts'

describe('a message on the dashboard', () => {
  let app: TestApp
  let owner: Person
  let base: string
  let deferring = false
  before(async () => {
    app = await TestApp.start({
      host: {
        script: ({ verb, argument }) =>
          verb !== 'RCPT'
            ? undefined
            : /<no@/.test(argument)
              ? '550 5.1.1 <b>No such user</b>'
              : deferring && /<busy@/.test(argument)
                ? '451 4.2.1 Busy'
                : undefined,
      },
    })
    owner = await Person.loggedIn(app)
    const { body } = await owner.call('GET', '/api/session')
    const domain = await findDomain(app.store.read, body.account.account_id, app.playground.domain)
    base = `/api/domains/${domain?.id}/messages`
  })
  after(() => app.stop())

  const resend = (id: string, body: object = {}, headers: Record<string, string> = {}) =>
    owner.call('POST', `${base}/${id}/resend`, body, headers)

  /**
   * Resends a message twice at once and once later with the same Idempotency-Key, which creates one message; another
   * Idempotency-Key creates another message.
   */
  async function resendsOnce(id: string, key: string): Promise<void> {
    const once = () => resend(id, {}, { 'idempotency-key': key })
    const answers = [...(await Promise.all([once(), once()])), await once()]
    const sent = answers.filter(({ status }) => status === 202).map(({ body }) => body.message_id)
    assert.ok(sent.length >= 2, JSON.stringify(answers))
    assert.equal(new Set(sent).size, 1)
    assert.ok(answers.every(({ status }) => status === 202 || status === 409))
    assert.notEqual((await resend(id, {}, { 'idempotency-key': `${key}-2` })).body.message_id, sent[0])
    assert.equal((await resend(id, {}, { 'idempotency-key': 'x'.repeat(256) })).status, 400)
  }

  test('has its attempts, each with its dialog', async () => {
    const id = await app.send({ to: [{ email: 'yes@receiver.example' }, { email: 'no@receiver.example' }] })
    await app.messageIn(id, 'delivered', 'bounced')
    const { status, body } = await owner.call('GET', `${base}/${id}/attempts`)
    assert.equal(status, 200)
    const attempts = body.data as AttemptView[]
    const of = (email: string) => attempts.filter((one) => one.email === email)
    assert.deepEqual(
      [of('yes@receiver.example'), of('no@receiver.example')].map((all) => all.map((one) => one.status)),
      [['delivered'], ['bounced']],
    )
    const [refused] = of('no@receiver.example')
    assert.deepEqual(
      [refused?.number, refused?.mx, refused?.smtp_code, refused?.smtp_enhanced, refused?.smtp_response],
      [1, 'mx.test', 550, '5.1.1', '<b>No such user</b>'],
    )
    assert.match(refused?.transcript ?? '', /RCPT TO:<no@receiver\.example>/)
  })

  test('has its HTML as a document of its own that can do nothing', async () => {
    const image = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')
    const id = await app.send({
      html: '<script>alert(1)</script><link rel=preconnect href=//evil.example><img src="cid:logo">',
      attachments: [{ filename: 'logo.png', content: image, content_id: 'logo' }],
    })
    const { status, headers, body } = await owner.call('GET', `${base}/${id}/html`)
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
    assert.ok(!/<link/i.test(body))
    assert.ok(body.includes(`src="data:image/png;base64,${image}"`))
    const { body: files } = await owner.call('GET', `${base}/${id}/attachments`)
    assert.deepEqual(files.data, [{ filename: 'logo.png', content_type: 'image/png', size: 8 }])
    const text = await app.send({ html: undefined, text: 'Only text' })
    assert.equal((await owner.call('GET', `${base}/${text}/html`)).status, 404)
  })

  test('is sent again to all of its recipients, or to some', async () => {
    const id = await app.send({
      to: [{ email: 'ann@receiver.example', name: 'Ann' }, { email: 'bob@receiver.example' }],
      cc: [{ email: 'carl@receiver.example' }],
      tag: 'receipt',
      metadata: { order: '7' },
    })
    const all = await resend(id)
    assert.deepEqual([all.status, all.body.status], [202, 'queued'], JSON.stringify(all.body))
    assert.notEqual(all.body.message_id, id)
    const again = await app.messageIn(all.body.message_id, 'delivered')
    assert.deepEqual(
      [again.to.length, again.cc.length, again.tag, again.metadata],
      [2, 1, 'receipt', { order: '7' }],
    )
    const some = await resend(id, {
      recipients: ['Ann@Receiver.Example'.toLowerCase(), 'carl@receiver.example'],
    })
    const { to, cc } = await app.messageIn(some.body.message_id, 'delivered')
    assert.deepEqual(
      [to.map((one: { email: string }) => one.email), to[0].name, cc],
      [['ann@receiver.example', 'carl@receiver.example'], 'Ann', []],
    )
    const none = await resend(id, { recipients: ['ann@receiver.example', 'eve@evil.example'] })
    assert.deepEqual([none.status, none.body.errors[0].path], [422, 'recipients[1]'])
    assert.equal((await resend(id, { recipients: [] })).status, 422)
    await resendsOnce(id, 'again-1')
  })

  test('of a broadcast stream is sent again with a link for each recipient, and only one', async () => {
    const id = await app.send({ stream: 'broadcast', html: '<p>News</p>', text: 'News' })
    const { body } = await resend(id)
    await app.messageIn(body.message_id, 'delivered')
    const { body: shown } = await owner.call('GET', `${base}/${body.message_id}?include=content`)
    assert.equal(shown.stream, 'broadcast')
    assert.equal(shown.text.match(/Unsubscribe: http/g)?.length, 1)
  })

  test('that came by SMTP is sent again unchanged', async () => {
    const { username, password, port } = app.playground.smtp
    const transport = createTransport({
      host: '127.0.0.1',
      port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: username, pass: password },
    })
    const sent = await transport.sendMail({
      from: `me@${app.playground.domain}`,
      to: 'you@receiver.example',
      bcc: 'blind@receiver.example',
      subject: 'Grüße',
      text: 'Zeile',
      headers: { 'X-Kept': 'yes' },
    })
    const id = sent.response.split(' ').at(-1) as string
    const { status, body } = await resend(id, { recipients: ['blind@receiver.example'] })
    assert.equal(status, 202, JSON.stringify(body))
    const message = await app.messageIn(body.message_id, 'delivered')
    assert.deepEqual([message.subject, message.bcc.length, message.to.length], ['Grüße', 1, 0])
    const raw = (await owner.call('GET', `${base}/${body.message_id}/raw`)).body as string
    assert.match(raw, /X-Kept: yes/)
    assert.ok(!/Bcc:/i.test(raw))
    await resendsOnce(id, 'again-2')
  })

  test('shows the message that it sends again, and its own resends', async () => {
    const id = await app.send()
    assert.deepEqual((await owner.call('GET', `${base}/${id}/resends`)).body, { data: [] })
    const ids = [(await resend(id)).body.message_id, (await resend(id)).body.message_id]
    const { body } = await owner.call('GET', `${base}/${id}/resends`)
    assert.deepEqual(
      body.data.map(({ message_id }: { message_id: string }) => message_id),
      ids.toReversed(),
    )
    assert.equal((await app.call('GET', `/v1/messages/${ids[0]}`)).body.resend_of, id)
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).body.resend_of, undefined)
  })

  test('that is deferred is tried at once on request', async () => {
    deferring = true
    const id = await app.send({ to: [{ email: 'busy@receiver.example' }] })
    await until('it is deferred', async () => {
      const { body } = await app.call('GET', `/v1/messages/${id}`)
      return body.events.some(({ type }: { type: string }) => type === 'deferred')
    })
    const waiting = async () => {
      const { body } = await owner.call('GET', `${base}?recipient_status=deferred`)
      return body.data.find(({ message_id }: { message_id: string }) => message_id === id)
    }
    const [recipient] = (await waiting()).to
    assert.deepEqual([recipient.status, recipient.smtp_code], ['deferred', 451])
    assert.ok(Date.parse(recipient.next_attempt_at) > Date.now())
    deferring = false
    const { status, body } = await owner.call('POST', `${base}/${id}/retry`)
    assert.deepEqual([status, body], [200, { recipients: 1 }])
    await app.messageIn(id, 'delivered')
    assert.equal(await waiting(), undefined)
    assert.equal((await owner.call('POST', `${base}/${id}/retry`)).status, 409)
  })

  test('is shown by a link without a login, until the link expires', async () => {
    const id = await app.send({
      ...{ to: [{ email: 'ann@receiver.example' }], bcc: [{ email: 'secret@receiver.example' }] },
      ...{
        metadata: { order: '7' },
        tag: 'receipt',
        html: '<p>Whole <script>x()</script></p>',
        text: 'Whole',
      },
    })
    await app.messageIn(id, 'delivered')
    assert.equal((await owner.call('POST', `${base}/${id}/share`, { hours: 2 })).status, 422)
    const { status, body } = await owner.call('POST', `${base}/${id}/share`, { hours: 1 })
    assert.equal(status, 200, JSON.stringify(body))
    const url = new URL(body.url)
    assert.equal(url.pathname, `/shared/${id}`)
    const stranger = new Person(app)
    const token = url.searchParams.get('token') ?? ''
    const shown = await stranger.call('GET', `/api/shared/${id}?token=${token}`)
    assert.equal(shown.status, 200, JSON.stringify(shown.body))
    assert.deepEqual([shown.body.text.trim(), shown.body.domain], ['Whole', app.playground.domain])
    assert.ok(!/secret@|receipt|order/.test(JSON.stringify(shown.body)))
    assert.equal(shown.headers.get('x-robots-tag'), 'noindex')
    const html = await stranger.call('GET', `/api/shared/${id}/html?token=${token}`)
    assert.match(html.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
    // A token is invalid if any character is changed, and a token is invalid for any other message.
    for (let index = 0; index < token.length; index++) {
      const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`
      assert.equal((await stranger.call('GET', `/api/shared/${id}?token=${changed}`)).status, 404, changed)
    }
    const other = await app.send()
    assert.equal((await stranger.call('GET', `/api/shared/${other}?token=${token}`)).status, 404)
  })

  test('links to a message are revoked, those to others stay, and new ones are valid at once', async () => {
    const [id, other] = [await app.send(), await app.send()]
    const share = async (message: string): Promise<string> => {
      const { body } = await owner.call('POST', `${base}/${message}/share`, { hours: 1 })
      return `/api/shared/${message}${new URL(body.url).search}`
    }
    const links = [await share(id), await share(id), await share(other)]
    const stranger = new Person(app)
    const shown = (): Promise<number[]> =>
      Promise.all(links.map(async (link) => (await stranger.call('GET', link)).status))
    assert.deepEqual(await shown(), [200, 200, 200])
    assert.equal((await stranger.call('DELETE', `${base}/${id}/share`)).status, 401)
    assert.equal((await owner.call('DELETE', `${base}/msg_x/share`)).status, 404)
    assert.equal((await owner.call('DELETE', `${base}/${id}/share`)).status, 204)
    links.push(await share(id))
    assert.deepEqual(await shown(), [404, 404, 200, 200])
  })

  test('are counted, and exported as CSV with a line for each recipient', async () => {
    const subject = 'Exported once'
    const ids = [
      await app.send({ subject, to: [{ email: 'yes@receiver.example' }, { email: 'no@receiver.example' }] }),
      await app.send({ subject, to: [{ email: '=cmd@receiver.example' }] }),
    ]
    await app.messageIn(ids[0] ?? '', 'partially_delivered', 'suppressed')
    const count = await owner.call('GET', `${base}/count?subject=exported+once`)
    assert.deepEqual(count.body, { count: 2, complete: true })
    assert.equal((await owner.call('GET', `${base}/count?status=nonsense`)).status, 422)
    const csv = await owner.call('GET', `${base}?subject=exported+once&format=csv`)
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/)
    const lines = (csv.body as string).trim().split('\n')
    assert.equal(lines.length, 4)
    assert.match(lines[0] ?? '', /^message_id,created_at,status,email,/)
    assert.match(lines[1] ?? '', /,'=cmd@receiver\.example,/)
    assert.deepEqual(
      lines.slice(2).map((line) => line.split(',')[3]),
      ['yes@receiver.example', 'no@receiver.example'],
    )
  })

  test('404 for messages of another domain and unknown ones', async () => {
    const other = await createTenant(app.store)
    const message = await app.call(
      'POST',
      '/v1/messages',
      { from: `a@${other.domain.name}`, to: [{ email: 'b@receiver.example' }], subject: 'S', html: 'H' },
      { authorization: `Bearer ${other.sendingKey}` },
    )
    for (const id of [message.body.message_id, 'msg_x', `msg_${'0'.repeat(26)}`]) {
      assert.equal((await owner.call('GET', `${base}/${id}/attempts`)).status, 404)
      assert.equal((await owner.call('GET', `${base}/${id}/html`)).status, 404)
      assert.equal((await resend(id)).status, 404)
      assert.equal((await owner.call('GET', `${base}/${id}/resends`)).status, 404)
      assert.equal((await owner.call('POST', `${base}/${id}/retry`)).status, 404)
      assert.equal((await owner.call('POST', `${base}/${id}/share`, { hours: 1 })).status, 404)
    }
  })
})
