// Mailgun's own client, unchanged except for the address, in all of its calls that the service knows, and the calls of
// Ghost, which sends newsletters with Mailgun.

import assert from 'node:assert/strict'
import { after, before, describe, mock, test } from 'node:test'
import Mailgun from 'mailgun.js'
import PostalMime from 'postal-mime'
import { decodeWords } from '../../src/mime/encoded-word.ts'
import { TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { usualDatabase } from '../support/store.ts'
import { until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'

const DOMAIN = 'example.test'
const FROM = 'The Shop <shop@example.test>'
const ID = /^<[0-9A-Z]{26}@example\.test>$/

// biome-ignore lint/suspicious/noExplicitAny: the types of the client leave out fields that Mailgun takes
type Json = any
type Client = Json

/** Returns the address at which a node serves the calls of Mailgun. */
const urlOf = ({ app }: TestApp): string => new URL('/compat/mailgun', app.url).href

// The client warns on the console about calls that Mailgun has replaced.
before(() => void mock.method(console, 'warn', () => {}))

describe("Mailgun's client", () => {
  let app: TestApp
  let mailgun: Client
  let account: Client
  const clientOf = (key: string): Client =>
    new Mailgun.default(FormData).client({
      ...{ username: 'api', key, url: urlOf(app) },
    } as never)
  before(async () => {
    app = await TestApp.start({
      host: {
        script({ verb, address }) {
          if (verb === 'RCPT' && address.startsWith('gone')) return '550 5.1.1 no such user'
          return undefined
        },
      },
    })
    mailgun = clientOf(app.playground.sending_key)
    account = clientOf(await managementKey(app))
  })
  after(() => app.stop())

  /** Returns the mails to an address that the mail host has received, once there are so many. */
  const received = (to: string, count = 1) =>
    until(`mail to ${to}`, async () => {
      const mails = app.host.mails.filter(({ recipients }) => recipients.includes(to))
      return mails.length >= count && Promise.all(mails.map(({ data }) => PostalMime.parse(data)))
    })
  const form = (more: object = {}) =>
    ({ from: FROM, to: 'ann@receiver.test', subject: 'Hello', text: 'Hello.', ...more }) as never

  test('sends a message with everything that it can express', async () => {
    const answer = await mailgun.messages.create(
      DOMAIN,
      form({
        to: ['Ann <ann.all@receiver.test>', 'bob.all@receiver.test, bob.all@receiver.test'],
        ...{ cc: 'cy.all@receiver.test', bcc: 'dan.all@receiver.test' },
        html: '<p>Hello <img src="cid:logo.png"></p>',
        attachment: [
          { filename: 'größe.txt', data: 'file' },
          { filename: 'b.pdf', data: Buffer.from('%PDF') },
        ],
        inline: { filename: 'logo.png', data: Buffer.from([1, 2, 3]) },
        ...{ 'o:tag': ['one', 'two'], 'o:require-tls': false, 'o:tracking': 'no', 'o:dkim': true },
        ...{ 'h:Reply-To': 'Help <help@example.test>', 'h:X-Own': 'ä', 'v:order': '7' },
        unknown: 'field',
      }),
    )
    assert.equal(answer.status, 200)
    assert.match(String(answer.id), ID)
    assert.equal(answer.message, 'Queued. Thank you.')
    const [mail] = await received('ann.all@receiver.test')
    assert.equal(`<${mail?.messageId?.replace(/^<|>$/g, '')}>`, answer.id)
    assert.deepEqual(
      mail?.to?.map(({ address, name }) => [address, name]),
      [
        ['ann.all@receiver.test', 'Ann'],
        ['bob.all@receiver.test', ''],
      ],
    )
    assert.deepEqual(
      mail?.cc?.map(({ address }) => address),
      ['cy.all@receiver.test'],
    )
    assert.equal(mail?.replyTo?.[0]?.address, 'help@example.test')
    assert.equal(decodeWords(mail?.headers.find(({ key }) => key === 'x-own')?.value ?? ''), 'ä')
    assert.deepEqual(
      mail?.attachments.map(({ filename, disposition }) => [filename, disposition]).toSorted(),
      [
        ['b.pdf', 'attachment'],
        ['größe.txt', 'attachment'],
        ['logo.png', 'inline'],
      ],
    )
    await received('dan.all@receiver.test')
    const { items } = await until('events', async () => {
      const page = await mailgun.events.get(DOMAIN, { recipient: 'bob.all@receiver.test' })
      return page.items.some(({ event }: { event: string }) => event === 'delivered') && page
    })
    const [event] = items
    assert.deepEqual([event?.tags, event?.['user-variables']], [['one', 'two'], { order: '7' }])
  })

  test('names ignored fields, and refuses wishes that cannot be fulfilled', async () => {
    const post = (fields: Record<string, string>, key = app.playground.sending_key) =>
      fetch(`${urlOf(app)}/v3/${DOMAIN}/messages`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`api:${key}`)}` },
        body: new URLSearchParams({
          from: FROM,
          to: 'ann@receiver.test',
          subject: 'x',
          text: 'x',
          ...fields,
        }),
      })
    const ignored = await post({ unknown: 'x', 'h:Sender': 'x@example.test', 'o:testmode': 'yes' })
    assert.equal(ignored.status, 200)
    assert.deepEqual(ignored.headers.get('x-postrider-ignored')?.split(', '), ['unknown', 'h:Sender'])
    const cases: [Record<string, string>, RegExp][] = [
      [{ 'o:sending-ip': '192.0.2.1' }, /^o:sending-ip: /],
      [{ 'o:dkim': 'no' }, /^o:dkim: /],
      [{ from: '' }, /^from parameter is missing$/],
      [{ to: '' }, /^to parameter is missing$/],
      [{ to: 'nobody' }, /^to parameter is not a valid address\. please check documentation/],
      [{ text: '' }, /^Need at least one of 'text', 'html'/],
      [{ 'recipient-variables': '{' }, /^recipient-variables: /],
      [{ 'recipient-variables': '{"ann@receiver.test":1}' }, /^recipient-variables: /],
      [{ 'o:deliverytime': 'soon' }, /^o:deliverytime: /],
      [{ template: 'nothing', text: '' }, /^template: /],
      [{ 'v:long': 'x'.repeat(17_000) }, /^v:/],
      [{ 'h:From': 'x', 'h:X Y': 'z' }, /^h:X Y: /],
      [{ from: 'shop@other.test' }, /^from: /],
    ]
    for (const [fields, message] of cases) {
      const answer = await post(fields)
      const body = (await answer.json()) as { message: string }
      assert.equal(answer.status, 400, JSON.stringify([fields, body]))
      assert.match(body.message, message, JSON.stringify(fields))
    }
    const wrong = await post({}, 'key-wrong')
    assert.deepEqual([wrong.status, await wrong.text()], [401, 'Forbidden'])
  })

  test('frameworks that do not use the client', async () => {
    const boundary = 'xyz'
    const field = (name: string, value: string, more = '', header = '') =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n${header}\r\n${value}\r\n`
    // Symfony writes each part as a MIME part, and anymail encodes file names by RFC 5987.
    const text = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n'
    const file = 'Content-Type: application/pdf\r\n'
    const body = Buffer.from(
      [
        field('from', '=?utf-8?Q?J=C3=B6rg?= <shop@example.test>', '', text),
        field('to', '"Other, Ann" <ann.frame@receiver.test>', '', text),
        field('subject', 'Grüße', '', text) +
          field('text', 'Hallo', '', text) +
          field('html', '<p>ü</p>', '', text),
        field('h:Sender', 'shop@example.test') + field('h:Date', 'Mon, 30 Nov 2026 09:00:00 +0000'),
        field('o:tag', 'frame') + field('v:my-id', '7') + field('o:testmode', 'no'),
        field('attachment', '%PDF', "; filename*=utf-8''gr%C3%B6%C3%9Fe.pdf", file),
        `--${boundary}--\r\n`,
      ].join(''),
    )
    const answer = await fetch(`${urlOf(app)}/v3/${DOMAIN}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`api:${app.playground.sending_key}`)}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body,
    })
    const { id, message } = (await answer.json()) as { id: string; message: string }
    assert.match(id, ID)
    assert.match(message, /^Queued/)
    assert.equal(answer.headers.get('x-postrider-ignored'), 'h:Sender, h:Date')
    const [mail] = await received('ann.frame@receiver.test')
    assert.deepEqual(
      [mail?.from?.name, mail?.to?.[0]?.name, mail?.subject, mail?.attachments[0]?.filename],
      ['Jörg', 'Other, Ann', 'Grüße', 'größe.pdf'],
    )
    const atRoot = await fetch(new URL(`/v3/${DOMAIN}/messages`, app.app.url), {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`api:${app.playground.sending_key}`)}` },
      body: new URLSearchParams({ from: FROM, to: 'root@receiver.test', subject: 'x', text: 'x' }),
    })
    assert.equal(atRoot.status, 200)
  })

  test('recipients beyond 50 get several messages', thorough('0.8 CPU s: 120 recipients'), async () => {
    const to = Array.from({ length: 120 }, (_, index) => `many${index}@receiver.test`)
    const { id } = await mailgun.messages.create(DOMAIN, form({ to }))
    assert.match(String(id), ID)
    const [mail] = await received('many119@receiver.test')
    assert.equal(mail?.to?.length, 20)
    await received('many0@receiver.test')
  })

  test('errors are those of the client', async () => {
    const failure = (work: Promise<unknown>) =>
      work.then(
        () => assert.fail('the call was not refused'),
        (error: { status: number; details: string; type: string }) => error,
      )
    const wrongKey = await failure(clientOf('key-wrong').messages.create(DOMAIN, form()))
    assert.deepEqual([wrongKey.status, wrongKey.details], [401, 'Forbidden'])
    const domain = await failure(mailgun.messages.create('other.test', form()))
    assert.deepEqual([domain.status, domain.details], [404, 'Domain not found: other.test'])
    const missing = await failure(mailgun.messages.create(DOMAIN, form({ from: undefined })))
    assert.deepEqual(
      [missing.status, missing.details, missing.type],
      [400, 'from parameter is missing', 'MailgunAPIError'],
    )
    const absent = await failure(mailgun.suppressions.get(DOMAIN, 'bounces', 'nobody@receiver.test'))
    assert.deepEqual([absent.status, absent.details], [404, 'Address not found in bounces table'])
  })

  test('a repeated request with the same Idempotency-Key sends one message', async () => {
    const client: Client = new Mailgun.default(FormData).client({
      ...{ username: 'api', key: app.playground.sending_key, url: urlOf(app) },
      headers: { 'Idempotency-Key': 'once' },
    } as never)
    const batch = form({
      to: ['once@receiver.test'],
      'recipient-variables': '{"once@receiver.test":{"id":1}}',
    })
    const [first, second] = [
      await client.messages.create(DOMAIN, batch),
      await client.messages.create(DOMAIN, batch),
    ]
    assert.deepEqual(first, second)
    await assert.rejects(client.messages.create(DOMAIN, form({ to: 'other@receiver.test' })))
    await received('once@receiver.test')
    assert.equal((await received('once@receiver.test')).length, 1)
    const single: Client = new Mailgun.default(FormData).client({
      ...{ username: 'api', key: app.playground.sending_key, url: urlOf(app) },
      headers: { 'Idempotency-Key': 'once alone' },
    } as never)
    const alone = form({ to: 'alone@receiver.test' })
    const sent = await single.messages.create(DOMAIN, alone)
    assert.deepEqual(await single.messages.create(DOMAIN, alone), sent)
    await assert.rejects(single.messages.create(DOMAIN, form({ to: 'other@receiver.test' })), { status: 400 })
  })

  test('recipient variables make one message for each recipient', async () => {
    const to = ['Ann Other <ann.own@receiver.test>', 'bob.own@receiver.test']
    const { id } = await mailgun.messages.create(
      DOMAIN,
      form({
        to,
        'recipient-variables': JSON.stringify({
          'ann.own@receiver.test': { id: 1, note: '%recipient.id% {{x}} <b>' },
          'bob.own@receiver.test': { id: 2 },
          'nobody@receiver.test': { id: 3 },
        }),
        subject: 'No. %recipient.id%',
        text: '{{#if}} %recipient_fname%: %recipient.note%',
        html: '<p>%recipient.note%</p>',
        ...{ 'h:X-Id': 'id-%recipient.id%', 'v:id': '%recipient.id%', 'o:tag': 'own' },
      }),
    )
    const [ann] = await received('ann.own@receiver.test')
    assert.equal(ann?.subject, 'No. 1')
    assert.match(ann?.text ?? '', /^\{\{#if\}\} Ann: %recipient\.id% \{\{x\}\} <b>\s*$/)
    assert.match(ann?.html ?? '', /<p>%recipient\.id% \{\{x\}\} <b><\/p>/)
    assert.equal(ann?.headers.find(({ key }) => key === 'x-id')?.value, 'id-1')
    assert.deepEqual(
      ann?.to?.map(({ address }) => address),
      ['ann.own@receiver.test'],
    )
    const [bob] = await received('bob.own@receiver.test')
    assert.match(bob?.text ?? '', /: %recipient\.note%/)
    const items = await until('events of both', async () => {
      const page = await mailgun.events.get(DOMAIN, { tags: 'own', event: 'delivered', 'message-id': id })
      return page.items.length === 2 && page.items
    })
    assert.deepEqual(items.map((item: Json) => JSON.stringify(item['user-variables'])).toSorted(), [
      '{"id":"1"}',
      '{"id":"2"}',
    ])
    for (const item of items) {
      assert.equal(`<${item.message.headers['message-id']}>`, id)
    }
  })

  test('a complete message is sent', async () => {
    const message = [
      `From: ${FROM}`,
      'To: List <list@example.test>',
      'Subject: Whole',
      'Message-ID: <own@example.test>',
    ]
    const answer = await mailgun.messages.create(DOMAIN, {
      ...{ to: ['whole@receiver.test'], message: Buffer.from(`${message.join('\r\n')}\r\n\r\nHello.\r\n`) },
      ...{ 'o:tag': 'whole', 'v:order': 'ü' },
    })
    assert.equal(answer.id, '<own@example.test>')
    const [mail] = await received('whole@receiver.test')
    assert.deepEqual([mail?.subject, mail?.to?.[0]?.address], ['Whole', 'list@example.test'])
    const item = await until('an event', async () => {
      const { items } = await mailgun.events.get(DOMAIN, { tags: 'whole' })
      return items[0]
    })
    assert.deepEqual(item['user-variables'], { order: 'ü' })
  })

  test('a message may be scheduled', async () => {
    const at = new Date(Date.now() + 3_600_000).toUTCString()
    await mailgun.messages.create(DOMAIN, form({ to: 'later@receiver.test', 'o:deliverytime': at }))
    const { body } = await app.call('GET', '/v1/messages?recipient=later@receiver.test')
    assert.equal(body.data[0].status, 'scheduled')
    assert.equal(Date.parse(body.data[0].send_at), Date.parse(at))
  })

  test('a message in test mode goes to a test inbox, and to no host', async () => {
    const raw = Buffer.from(`From: ${FROM}\r\nTo: tried@receiver.test\r\nSubject: Raw\r\n\r\nHello.\r\n`)
    const to = 'tried@receiver.test'
    for (const fields of [
      form({ to, 'o:testmode': true, subject: 'One' }),
      form({ to, 'o:testmode': 'true', subject: 'Own', 'recipient-variables': '{}' }),
      { to: [to], message: raw, 'o:testmode': 'yes' } as never,
      form({ to: 'bounced@receiver.test', 'o:testmode': 'yes' }),
    ]) {
      assert.match(String((await mailgun.messages.create(DOMAIN, fields)).id), ID)
    }
    const key = await managementKey(app)
    const read = async (path: string) =>
      (await app.call('GET', path, undefined, { authorization: `Bearer ${key}` })).body.data as Json[]
    const inbox = (await read('/v1/inboxes')).find(({ name }) => name === 'Test mode')
    await until('the inbox has the mail', async () => {
      const mails = await read(`/v1/inboxes/${inbox.inbox_id}/messages?recipient=${to}`)
      return (
        mails
          .map(({ subject }) => subject)
          .toSorted()
          .join() === 'One,Own,Raw'
      )
    })
    const failed = await until('an event', async () => {
      const { items } = await mailgun.events.get(DOMAIN, {
        recipient: 'bounced@receiver.test',
        event: 'failed',
      })
      return items[0]
    })
    assert.equal(failed.flags['is-test-mode'], true)
    assert.ok(!app.host.mails.some(({ recipients }) => recipients.includes(to)))
  })

  test('events are read page by page, from both ends', async () => {
    for (const name of ['a', 'b', 'c'])
      await mailgun.messages.create(DOMAIN, form({ to: `page.${name}@receiver.test`, 'o:tag': 'paged' }))
    const query = { tags: 'paged', event: 'delivered OR failed', limit: 2 }
    await until('three deliveries', async () => {
      const { items } = await mailgun.events.get(DOMAIN, { ...query, limit: 300 })
      return items.length === 3
    })
    for (const ascending of ['yes', 'no']) {
      const order = {
        ...query,
        ascending,
        ...(ascending === 'yes' ? { begin: Date.now() / 1_000 - 600 } : {}),
      }
      const seen: string[] = []
      let page = await mailgun.events.get(DOMAIN, order)
      for (; page.items.length > 0; ) {
        seen.push(...page.items.map(({ recipient }: { recipient: string }) => recipient))
        page = await mailgun.events.get(DOMAIN, { ...order, page: page.pages.next.page })
      }
      const all = ['page.a@receiver.test', 'page.b@receiver.test', 'page.c@receiver.test']
      assert.deepEqual(seen.toSorted(), all, ascending)
      // The URL alone leads to the next page.
      const first = await mailgun.events.get(DOMAIN, order)
      const authorization = `Basic ${btoa(`api:${app.playground.sending_key}`)}`
      const next = await fetch(first.pages.next.url, { headers: { authorization } })
      assert.equal(((await next.json()) as { items: unknown[] }).items.length, 1)
    }
    await assert.rejects(mailgun.events.get(DOMAIN, { page: 'bm90IGEgcGFnZQ' }))
  })

  test('suppressions: list, get, create, destroy', async () => {
    for (const [type, row] of [
      ['bounces', { address: 'b1@receiver.test', code: 550, error: 'x' }],
      ['complaints', { address: 'b1@receiver.test' }],
      ['unsubscribes', { address: 'u1@receiver.test' }],
    ] as const) {
      const many = [{ address: 'm1@receiver.test' }, { address: 'm2@receiver.test' }]
      const created = await mailgun.suppressions.create(DOMAIN, type, many)
      assert.equal(created.message, `2 addresses have been added to the ${type} table`)
      await mailgun.suppressions.create(DOMAIN, type, row)
      const one = await mailgun.suppressions.get(DOMAIN, type, row.address)
      assert.equal(one.address, row.address)
      if (type === 'unsubscribes') assert.deepEqual(one.tags, ['*'])
      const seen: string[] = []
      let page = await mailgun.suppressions.list(DOMAIN, type, { limit: 2 })
      for (; page.items.length > 0; ) {
        seen.push(...page.items.map((item: Json) => (item as { address: string }).address))
        page = await mailgun.suppressions.list(DOMAIN, type, { limit: 2, page: page.pages.next.page })
      }
      assert.ok(seen.includes(row.address), type)
      await mailgun.suppressions.destroy(DOMAIN, type, row.address)
      await assert.rejects(mailgun.suppressions.get(DOMAIN, type, row.address))
      await mailgun.suppressions.destroyAll(DOMAIN, type)
      assert.deepEqual((await mailgun.suppressions.list(DOMAIN, type)).items, [])
    }
    assert.deepEqual((await mailgun.suppressions.list(DOMAIN, 'whitelists')).items, [])
    await assert.rejects(mailgun.suppressions.create(DOMAIN, 'bounces', [{ address: 'nobody' }]))
    const file = { filename: 'a.csv', data: 'address\nf1@receiver.test\n' }
    await mailgun.suppressions.upload(DOMAIN, 'bounces', file)
    await mailgun.suppressions.get(DOMAIN, 'bounces', 'f1@receiver.test')
  })

  test('domains: list, get, create, verify, destroy', async () => {
    const created = await account.domains.create({ name: 'new.test' })
    assert.deepEqual([created.name, created.state], ['new.test', 'unverified'])
    assert.ok(created.sending_dns_records?.some(({ record_type }: Json) => record_type === 'TXT'))
    assert.ok((await account.domains.list({})).some(({ name }: Json) => name === 'new.test'))
    assert.equal((await account.domains.get('new.test')).name, 'new.test')
    assert.equal((await account.domains.verify('new.test')).name, 'new.test')
    assert.equal((await account.domains.update('new.test', { spam_action: 'tag' })).name, 'new.test')
    assert.equal((await account.domains.domainTracking.getTracking('new.test')).open.active, false)
    assert.deepEqual((await account.domains.domainCredentials.list('new.test')).items, [])
    assert.match((await account.domains.destroy('new.test')).message, /deleted/)
    await assert.rejects(account.domains.get('new.test'), { status: 404 })
    await assert.rejects(mailgun.domains.list(), { status: 401 })
  })

  test('webhooks: create, list, get, update, destroy', async () => {
    const [one, two] = ['https://app.example.test/one', 'https://app.example.test/two']
    const created = (await mailgun.webhooks.create(DOMAIN, 'delivered', one, false)) as { url: string }
    assert.equal(created.url, one)
    await mailgun.webhooks.create(DOMAIN, 'permanent_fail', one, false)
    await mailgun.webhooks.update(DOMAIN, 'delivered', [one, two])
    const all = (await mailgun.webhooks.list(DOMAIN, {})) as Record<string, { urls: string[] }>
    assert.deepEqual(all.delivered?.urls.toSorted(), [one, two])
    assert.deepEqual(all.permanent_fail?.urls, [one])
    assert.deepEqual((await mailgun.webhooks.get(DOMAIN, 'delivered')).urls?.toSorted(), [one, two])
    await assert.rejects(mailgun.webhooks.create(DOMAIN, 'delivered', one, false), { status: 400 })
    await mailgun.webhooks.destroy(DOMAIN, 'delivered')
    await mailgun.webhooks.destroy(DOMAIN, 'permanent_fail')
    assert.deepEqual(await mailgun.webhooks.list(DOMAIN, {}), {})
    assert.deepEqual((await app.call('GET', '/v1/webhooks')).body.data, [])
  })

  test('templates and versions', async () => {
    const { domainTemplates: templates } = mailgun.domains
    const created = await templates.create(DOMAIN, {
      ...{ name: 'Welcome', description: 'First mail' },
      template: '<p>Hi {{name}}{{#equal plan "pro"}}, pro{{else}}, free{{/equal}}</p>',
      headers: JSON.stringify({ Subject: 'Hi {{name}}' }),
    })
    assert.deepEqual([created.name, created.version?.tag], ['welcome', '1'])
    await templates.createVersion(DOMAIN, 'welcome', {
      ...{ tag: 'v2', active: 'yes', template: '<p>Hello {{name}}{{#equal plan "pro"}}, pro{{/equal}}</p>' },
    })
    const { template } = await templates.listVersions(DOMAIN, 'welcome')
    assert.deepEqual(
      template.versions?.map(({ tag, active }: Json) => [tag, active]),
      [
        ['2', true],
        ['1', false],
      ],
    )
    assert.match((await templates.getVersion(DOMAIN, 'welcome', '1')).version?.template ?? '', /^<p>Hi/)
    await mailgun.messages.create(DOMAIN, {
      ...{ from: FROM, to: 'templated@receiver.test', template: 'Welcome' },
      ...{ 't:variables': '{"name":"Ann"}', 'v:plan': 'pro' },
    })
    const [mail] = await received('templated@receiver.test')
    assert.equal(mail?.subject, 'Hi Ann')
    assert.match(mail?.html ?? '', /<p>Hello Ann, pro<\/p>/)
    await mailgun.messages.create(DOMAIN, {
      ...{
        from: FROM,
        to: 'own.template@receiver.test',
        template: 'welcome',
        subject: '%recipient.name% {{x}}',
      },
      ...{ 'recipient-variables': '{"own.template@receiver.test":{"name":"Bo"}}' },
      't:variables': '{"name":"%recipient.name%"}',
    })
    const [own] = await received('own.template@receiver.test')
    assert.equal(own?.subject, 'Bo {{x}}')
    assert.match(own?.html ?? '', /<p>Hello Bo<\/p>/)
    await templates.updateVersion(DOMAIN, 'welcome', '1', { active: 'yes' })
    assert.match(
      (await templates.get(DOMAIN, 'welcome', { active: 'yes' })).version?.template ?? '',
      /^<p>Hi/,
    )
    await templates.update(DOMAIN, 'welcome', { description: 'Other' })
    assert.equal((await templates.list(DOMAIN)).items[0]?.description, 'Other')
    await templates.destroy(DOMAIN, 'welcome')
    await assert.rejects(templates.get(DOMAIN, 'welcome'), { status: 404 })
  })

  test('statistics and tags', async () => {
    await mailgun.messages.create(DOMAIN, form({ 'o:tag': 'counted' }))
    const tag = await until('the tag', async () => {
      const { items } = await mailgun.domains.domainTags.list(DOMAIN)
      return items.find((one: Json) => one.tag === 'counted')
    })
    assert.equal(tag.description, '')
    assert.equal((await mailgun.domains.domainTags.get(DOMAIN, 'counted')).tag, 'counted')
    const { stats, resolution } = await mailgun.stats.getDomain(DOMAIN, {
      ...{ event: ['accepted', 'failed'], duration: '1d', resolution: 'day' },
    })
    assert.equal(resolution, 'day')
    const total = stats.reduce(
      (sum: number, one: Json) => sum + (one as { accepted: { total: number } }).accepted.total,
      0,
    )
    assert.ok(total > 0)
    await assert.rejects(mailgun.stats.getDomain(DOMAIN, { event: 'nothing' as never }), { status: 400 })
  })

  test('an address is validated', async () => {
    const verifier = clientOf(app.playground.verification_key)
    const { result, address } = await verifier.validate.get('ann@receiver.test')
    assert.equal(address, 'ann@receiver.test')
    assert.match(result, /^(?:deliverable|unknown|catch_all)$/)
    assert.equal((await verifier.validate.get('nobody')).result, 'undeliverable')
    await assert.rejects(mailgun.validate.get('ann@receiver.test'), { status: 401 })
  })

  test('bad input is refused in the form of Mailgun', thorough('1 CPU s: a body of 40 MB'), async () => {
    const url = `${urlOf(app)}/v3/${DOMAIN}/messages`
    const authorization = `Basic ${btoa(`api:${app.playground.sending_key}`)}`
    const post = async (body: string | URLSearchParams | FormData, headers: Record<string, string> = {}) => {
      const answer = await fetch(url, { method: 'POST', headers: { authorization, ...headers }, body })
      return { status: answer.status, message: ((await answer.json()) as { message: string }).message }
    }
    const fields = new URLSearchParams(Array.from({ length: 10_000 }, (_, index) => [`v:${index}`, 'x']))
    assert.equal((await post(fields)).status, 400)
    assert.equal((await post('{"from":"x"}', { 'content-type': 'application/json' })).status, 400)
    assert.equal((await post('x', { 'content-type': 'multipart/form-data' })).status, 400)
    const large = new FormData()
    large.append('attachment', new File([Buffer.alloc(40 * 1_048_576)], 'large.bin'))
    assert.equal((await post(large)).status, 413)
    const unknown = await fetch(`${urlOf(app)}/v3/nothing`, { headers: { authorization } })
    assert.equal(unknown.status, 404)
  })
})

describe('Ghost', () => {
  /** Number of recipients of one request of Ghost. */
  const BATCH = 1_000
  /** Paragraphs of a large mail; PostgreSQL gets a small mail, because the size concerns composing and sending. */
  const PARAGRAPHS = usualDatabase() === 'postgres' ? 100 : 1_500

  test(
    'sends a newsletter in batches, polls events, and removes suppressions',
    thorough('5 CPU s: a thousand messages of a hundred kilobytes'),
    async () => {
      await ghostSends(BATCH, PARAGRAPHS)
    },
  )

  test('sends a small newsletter', async () => {
    await ghostSends(20, 5)
  })

  async function ghostSends(count: number, paragraphs: number): Promise<void> {
    const app = await TestApp.start({
      env: { POSTRIDER_COMPAT_HOSTS: 'mailgun=mg.example.test' },
      host: {
        script({ verb, address }) {
          if (verb === 'RCPT' && address.startsWith('gone')) return '550 5.1.1 no such user'
          return undefined
        },
      },
    })
    try {
      await newsletter(app, count, paragraphs)
    } finally {
      await app.stop()
    }
  }

  async function newsletter(app: TestApp, count: number, paragraphs: number): Promise<void> {
    const mailgun: Client = new Mailgun.default(FormData).client({
      ...{ username: 'api', key: app.playground.sending_key, url: urlOf(app) },
    } as never)
    const emails = Array.from(
      { length: count },
      (_, index) => `${index === 3 ? 'gone' : `m${index}`}@receiver.test`,
    )
    const variables = emails.map((email, index) => [
      email,
      { list_unsubscribe: `https://blog.example.test/unsubscribe/?uuid=${index}`, name: `Member ${index}` },
    ])
    const { id } = await mailgun.messages.create(DOMAIN, {
      ...{
        to: emails,
        from: 'Blog <shop@example.test>',
        subject: 'News',
        'h:Reply-To': 'noreply@example.test',
      },
      html: `<p>Dear %recipient.name%</p>${'<p>All of this is the same for everybody.</p>'.repeat(paragraphs)}<a href="%recipient.list_unsubscribe%">Unsubscribe</a>`,
      text: 'Dear %recipient.name%',
      'recipient-variables': JSON.stringify(Object.fromEntries(variables)),
      ...{ 'h:Sender': 'shop@example.test', 'h:Auto-Submitted': 'auto-generated' },
      'h:List-Unsubscribe': '<%recipient.list_unsubscribe%>, <%tag_unsubscribe_email%>',
      'h:List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      ...{ 'v:email-id': 'email-1', 'o:tag': ['bulk-email', 'ghost-email', 'site'] },
      ...{ 'o:tracking-opens': false, 'o:testmode': false },
    })
    const query = {
      event: 'delivered OR opened OR failed OR unsubscribed OR complained',
      tags: 'bulk-email AND ghost-email',
      ...{ limit: 300, ascending: 'yes', begin: Date.now() / 1_000 - 3_600, end: Date.now() / 1_000 + 3_600 },
    }
    const seen = new Map<string, Json>()
    await until('all events are polled', async () => {
      let page = await mailgun.events.get(DOMAIN, query)
      while (page.items.length > 0) {
        for (const item of page.items) seen.set(String(item.recipient), item)
        page = await mailgun.events.get(DOMAIN, { ...query, page: page.pages.next.page })
      }
      return seen.size === count
    })
    for (const [email, item] of seen) {
      const failed = email.startsWith('gone')
      assert.deepEqual(
        [item.event, item.severity],
        failed ? ['failed', 'permanent'] : ['delivered', undefined],
      )
      assert.deepEqual(item['user-variables'], { 'email-id': 'email-1' })
      assert.equal(`<${item.message.headers['message-id']}>`, id)
    }
    const delivered = app.host.mails.find(({ recipients }) => recipients.includes('m5@receiver.test'))
    const mail = await PostalMime.parse(delivered?.data ?? '')
    const fieldOf = (name: string) => mail.headers.find(({ key }) => key === name)?.value
    assert.equal(fieldOf('list-unsubscribe'), '<https://blog.example.test/unsubscribe/?uuid=5>')
    assert.match(mail.html ?? '', /<p>Dear Member 5<\/p>[\s\S]*uuid=5"/)
    assert.equal(
      ((await mailgun.suppressions.get(DOMAIN, 'bounces', 'gone@receiver.test')) as { address: string })
        .address,
      'gone@receiver.test',
    )
    await mailgun.suppressions.destroy(DOMAIN, 'bounces', 'gone@receiver.test')
    await assert.rejects(mailgun.suppressions.get(DOMAIN, 'bounces', 'gone@receiver.test'))
    await assert.rejects(mailgun.suppressions.destroy(DOMAIN, 'unsubscribes', 'm1@receiver.test'))
  }
})
