// Test inboxes: their API, and the clients of Mailpit and MailHog, unchanged, against an inbox and the playground.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import mailhog from 'mailhog'
import { MailpitClient } from 'mailpit-api'
import { PLAYGROUND_INBOX } from '../../src/model/test-inbox.ts'
import { ok, refused } from '../support/answers.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { until } from '../support/test-clock.ts'

const HTML = '<p>Reset: <a href="https://shop.example/reset?token=abc">here</a>. Your code: <b>482913</b></p>'

/** Sends a mail to an inbox; the fields replace the usual fields of the message. */
type Fill = (fields: object) => Promise<unknown>

/** Methods of the client that all other methods call. */
const INNER = ['constructor', 'request']

/** Runs a test with all methods of the client of Mailpit against an inbox that `fill` fills. */
async function mailpitWorks(client: MailpitClient, fill: Fill): Promise<void> {
  const called = new Set<string | symbol>(INNER)
  const mailpit = new Proxy(client, {
    get(target, name) {
      called.add(name)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  await useMailpit(mailpit, fill)
  const methods = Object.getOwnPropertyNames(MailpitClient.prototype)
  assert.deepEqual(
    methods.filter((name) => !called.has(name)),
    [],
  )
}

async function useMailpit(mailpit: MailpitClient, fill: Fill): Promise<void> {
  await mailpit.deleteMessages()
  const attachments = [{ filename: 'a.txt', content: Buffer.from('file').toString('base64') }]
  await fill({ subject: 'Größe "eins"', attachments })
  await fill({ subject: 'Second' })
  const listed = await until('two mails are listed', async () => {
    const list = await mailpit.listMessages()
    return list.messages.length === 2 && list
  })
  assert.deepEqual(Object.keys(listed), [
    'total',
    'unread',
    'count',
    'messages_count',
    'messages_unread',
    'start',
    'tags',
    'messages',
  ])
  assert.deepEqual([listed.total, listed.unread, listed.count], [2, 2, 2])
  const [entry] = listed.messages.filter(({ Subject }) => Subject !== 'Second')
  assert.deepEqual(Object.keys(entry ?? {}), [
    ...['ID', 'MessageID', 'Read', 'From', 'To', 'Cc', 'Bcc', 'ReplyTo', 'Subject', 'Created', 'Username'],
    ...['Tags', 'Size', 'Attachments', 'Snippet'],
  ])
  assert.match(entry?.ID ?? '', /^[0-9A-Za-z]+$/)
  const searched = await mailpit.searchMessages({
    query: 'subject:"größe" to:ann@receiver.example has:attachment',
  })
  assert.deepEqual(
    searched.messages.map(({ ID }) => ID),
    [entry?.ID],
  )
  assert.equal((await mailpit.searchMessages({ query: '-subject:second is:unread' })).messages_count, 1)
  const message = await mailpit.getMessageSummary(entry?.ID)
  assert.deepEqual(message.To, [{ Name: 'Ann', Address: 'ann@receiver.example' }])
  assert.ok(message.HTML.includes('reset?token=abc') && message.Text.includes('482913'))
  assert.deepEqual((message as unknown as { codes: string[]; links: string[] }).codes, ['482913'])
  const [part] = message.Attachments
  assert.deepEqual([part?.FileName, part?.Size, part?.ContentType], ['a.txt', 4, 'text/plain'])
  assert.equal(await (await mailpit.getMessageAttachment(message.ID, part?.PartID ?? '')).text(), 'file')
  assert.match((await mailpit.getMessageHeaders(message.ID)).Subject?.[0] ?? '', /=\?UTF-8/i)
  assert.match(await mailpit.getMessageSource(message.ID), /^(?:DKIM-Signature|Received|Return-Path): /m)
  assert.ok((await mailpit.renderMessageHTML(message.ID)).includes('482913'))
  assert.ok((await mailpit.renderMessageText(message.ID)).includes('482913'))
  assert.equal((await mailpit.listMessages()).unread, 1)
  await mailpit.setReadStatus({ IDs: [message.ID], Read: false })
  assert.equal((await mailpit.listMessages()).unread, 2)
  await mailpit.setTags({ IDs: [message.ID], Tags: ['one', 'two'] })
  assert.deepEqual(await mailpit.getTags(), ['one', 'two'])
  await mailpit.renameTag('two', 'three')
  assert.equal((await mailpit.searchMessages({ query: 'tag:three' })).messages_count, 1)
  await mailpit.deleteTag('one')
  assert.deepEqual(await mailpit.getTags(), ['three'])
  assert.equal((await mailpit.getInfo()).Messages, 2)
  assert.equal((await mailpit.getConfiguration()).MessageRelay?.Enabled, false)
  const waiting = mailpit.waitForMessage({ query: 'subject:awaited' })
  await fill({ subject: 'Awaited' })
  assert.equal((await waiting).Subject, 'Awaited')
  assert.equal((await mailpit.waitForMessages({ query: 'subject:awaited' })).messages_count, 1)
  const thumbnail = await mailpit.getAttachmentThumbnail(message.ID, part?.PartID ?? '')
  assert.equal(thumbnail.type, 'image/jpeg')
  const support = await mailpit.htmlCheck(message.ID)
  assert.deepEqual(Object.keys(support), ['Total', 'Platforms', 'Warnings'])
  assert.ok(support.Total.Nodes > 2 && support.Platforms.ios?.includes('Gmail'), JSON.stringify(support))
  // The link has a token, and may work only once.
  const links = await mailpit.linkCheck(message.ID)
  const [link] = links.Links
  assert.deepEqual(
    [links.Errors, link?.URL, link?.StatusCode],
    [0, 'https://shop.example/reset?token=abc', 0],
  )
  // Test mail leaves for nobody, local parts choose the outcome instead of chance, and no spam filter is configured.
  await assert.rejects(mailpit.releaseMessage(message.ID, { To: ['a@b.example'] }), /400 Bad Request/)
  await assert.rejects(mailpit.getChaosTriggers(), /404 Not Found/)
  await assert.rejects(mailpit.setChaosTriggers(), /404 Not Found/)
  await assert.rejects(mailpit.spamAssassinCheck(message.ID), /404 Not Found/)
  await mailpit.deleteMessagesBySearch({ query: 'subject:second' })
  assert.equal((await mailpit.listMessages()).total, 2)
  await mailpit.deleteMessages({ IDs: [message.ID] })
  assert.equal((await mailpit.listMessages()).total, 1)
  const { ID } = await mailpit.sendMessage({
    ...{ From: { Email: 'a@b.example', Name: 'A' }, To: [{ Email: 'c@d.example' }], Bcc: ['e@f.example'] },
    ...{ Subject: 'Put', Text: 'Hi', HTML: '<p>Hi</p>', Tags: ['x'] },
  })
  const put = await mailpit.getMessageSummary(ID)
  assert.deepEqual([put.Subject, put.Bcc, put.Tags], ['Put', [{ Name: '', Address: 'e@f.example' }], ['x']])
  await assert.rejects(mailpit.getMessageSummary('0'.repeat(26)))
  await mailpit.deleteMessages()
  assert.equal((await mailpit.listMessages()).total, 0)
}

/** Runs a test with the client of MailHog. */
async function mailhogWorks(client: mailhog.API, fill: Fill): Promise<void> {
  await client.deleteAll()
  const attachments = [{ filename: 'a.txt', content: Buffer.from('file').toString('base64') }]
  await fill({ subject: 'Größe' })
  await until('the first mail is listed', async () => (await client.messages())?.total === 1)
  await fill({ subject: 'Second', attachments, to: [{ email: 'bob@receiver.example' }] })
  const list = await until('two mails are listed', async () => {
    const all = await client.messages()
    return all?.total === 2 && all
  })
  assert.deepEqual([list.count, list.start], [2, 0])
  const message = await client.latestTo('ann@receiver.example')
  assert.ok(message)
  assert.equal(message.subject, 'Größe')
  assert.ok(message.html.includes('482913') && message.text.includes('482913'))
  const files = (await client.latestTo('bob@receiver.example'))?.attachments
  assert.deepEqual(
    files?.map(({ name }) => name),
    ['a.txt'],
  )
  assert.equal((await client.latestFrom('shop@'))?.subject, 'Second')
  assert.equal((await client.latestContaining('482913'))?.subject, 'Second')
  assert.equal((await client.search('bob@receiver.example', 'to'))?.total, 1)
  await client.deleteMessage(message.ID)
  assert.equal((await client.messages())?.total, 1)
  await client.deleteAll()
  assert.equal((await client.messages())?.total, 0)
}

/** Returns a client of MailHog for an inbox. */
const mailhogAt = (app: TestApp, id: string, auth?: string): mailhog.API => {
  const { hostname, port } = new URL(app.app.url)
  const login = auth === undefined ? {} : { auth }
  return mailhog({
    protocol: 'http:',
    host: hostname,
    port: Number(port),
    basePath: `/inboxes/${id}/api`,
    ...login,
  })
}

describe('a test inbox', () => {
  let app: TestApp
  let manager: string
  let inbox: Answer['body']
  let key: string
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_AUTH_FAILURE_RATE: '100000/s' } })
    manager = await managementKey(app)
    inbox = await ok(by(manager)('POST', '/v1/inboxes', { name: 'Suite', keep_messages: 50 }), 201)
    const wanted = { kind: 'sending', name: 'Tests', domains: ['example.test'], inbox_id: inbox.inbox_id }
    key = (await ok(by(manager)('POST', '/v1/keys', wanted), 201)).key
  })
  after(() => app.stop())

  const by = (secret: string) => (method: string, path: string, body?: object) =>
    app.call(method, path, body, { authorization: `Bearer ${secret}` })
  const send = async (fields: object = {}): Promise<string> => {
    const message = {
      from: 'shop@shop.example',
      from_name: 'The Shop',
      to: [{ email: 'ann@receiver.example', name: 'Ann' }],
    }
    const body = { ...message, subject: 'Hello', html: HTML, text: 'Your code: 482913', ...fields }
    return (await ok(by(key)('POST', '/v1/messages', body), 202)).message_id
  }
  const at = (path = '') => `/v1/inboxes/${inbox.inbox_id}${path}`
  const found = async (query: string, secret = manager): Promise<Answer['body'][]> =>
    (await ok(by(secret)('GET', at(`/wait?timeout=20s&${query}`)))).data
  const clear = () => by(manager)('DELETE', at('/messages'))

  test('is created, shown, listed, changed and deleted', async () => {
    assert.match(inbox.inbox_id, /^inb_/)
    assert.match(inbox.password, /^[A-Za-z0-9]{43}$/)
    assert.equal(inbox.base_url, `${app.app.url}/inboxes/${inbox.inbox_id}`)
    const { password: _, ...view } = inbox
    assert.deepEqual(await ok(by(manager)('GET', at())), view)
    const other = await ok(by(manager)('POST', '/v1/inboxes', { name: 'Other' }), 201)
    assert.deepEqual([other.keep_days, other.keep_messages], [7, 1_000])
    const ids = (await ok(by(manager)('GET', '/v1/inboxes'))).data.map((one: Answer['body']) => one.inbox_id)
    assert.deepEqual(ids, [other.inbox_id, inbox.inbox_id, PLAYGROUND_INBOX])
    assert.deepEqual(
      (await ok(by(key)('GET', '/v1/inboxes'))).data.map((one: Answer['body']) => one.inbox_id),
      [inbox.inbox_id],
    )
    const changed = await ok(
      by(manager)('PATCH', `/v1/inboxes/${other.inbox_id}`, { keep_days: 30, name: 'New' }),
    )
    assert.deepEqual([changed.keep_days, changed.name], [30, 'New'])
    for (const wrong of [
      { keep_days: 31 },
      { keep_messages: 10_001 },
      { keep_days: 0 },
      { password: 'x' },
      { name: '' },
    ]) {
      await refused(by(manager)('PATCH', `/v1/inboxes/${other.inbox_id}`, wrong), 422, 'validation_failed')
    }
    assert.equal((await by(manager)('DELETE', `/v1/inboxes/${other.inbox_id}`)).status, 204)
    await refused(by(manager)('GET', `/v1/inboxes/${other.inbox_id}`), 404, 'not_found')
    await refused(by(manager)('DELETE', `/v1/inboxes/${PLAYGROUND_INBOX}`), 409, 'conflict')
    await refused(by(key)('GET', `/v1/inboxes/${PLAYGROUND_INBOX}`), 404, 'not_found')
    await refused(by(app.playground.sending_key)('GET', at()), 403, 'key_kind_not_permitted')
  })

  test('has one mail for a message, with its recipients, links and codes, and gives the source', async () => {
    const since = new Date().toISOString()
    const attachments = [{ filename: 'a.txt', content: Buffer.from('file').toString('base64') }]
    const people = { cc: [{ email: 'bob@receiver.example' }], bcc: [{ email: 'eve@other.example' }] }
    const id = await send({ subject: 'One for all', tags: ['reset', 'second'], attachments, ...people })
    await app.messageIn(id, 'delivered')
    const [mail, second] = await found(
      `since=${encodeURIComponent(since)}&to=EVE@other.example&subject=one+for`,
      key,
    )
    assert.equal(second, undefined)
    assert.deepEqual(
      [mail.message_id, mail.from, mail.to, mail.cc.length, mail.bcc, mail.tags, mail.attachment_count],
      [
        id,
        { email: 'shop@shop.example', name: 'The Shop' },
        [{ email: 'ann@receiver.example', name: 'Ann' }],
        1,
        ['eve@other.example'],
        ['reset', 'second'],
        1,
      ],
    )
    assert.deepEqual(mail.recipients.toSorted(), [
      'ann@receiver.example',
      'bob@receiver.example',
      'eve@other.example',
    ])
    assert.deepEqual([mail.links, mail.codes], [['https://shop.example/reset?token=abc'], ['482913']])
    const raw = await by(manager)('GET', at(`/messages/${mail.mail_id}/raw`))
    assert.match(raw.body, /^DKIM-Signature: /)
    const file = await by(manager)('GET', at(`/messages/${mail.mail_id}/attachments/0`))
    assert.equal(file.body, 'file')
    assert.equal(file.headers.get('content-type'), 'application/octet-stream')
    await refused(by(manager)('GET', at(`/messages/${mail.mail_id}/attachments/1`)), 404, 'not_found')
    assert.equal((await by(manager)('DELETE', at(`/messages/${mail.mail_id}`))).status, 204)
    await refused(by(manager)('GET', at(`/messages/${mail.mail_id}`)), 404, 'not_found')
  })

  test('waits for a mail, for several clients at once, and gives an empty list after the time', async () => {
    const waiting = Array.from({ length: 20 }, (_, index) => found(`subject=wait-${index}-`))
    await Promise.all(Array.from({ length: 20 }, (_, index) => send({ subject: `Wait-${index}-x` })))
    const all = await Promise.all(waiting)
    assert.deepEqual(
      all.map(([mail]) => mail.subject),
      Array.from({ length: 20 }, (_, index) => `Wait-${index}-x`),
    )
    assert.deepEqual(await ok(by(key)('GET', at('/wait?timeout=50ms&subject=never'))), {
      data: [],
      next_cursor: null,
    })
    await refused(by(key)('GET', at('/wait?timeout=31s')), 422, 'validation_failed')
    await clear()
  })

  test('keeps as many mails as it says, the newest', async () => {
    await ok(by(manager)('PATCH', at(), { keep_messages: 5 }))
    for (let index = 0; index < 8; index++) {
      await send({ subject: `Kept ${index}` })
      await found(`subject=kept+${index}`)
    }
    const { data } = await ok(by(manager)('GET', at('/messages')))
    assert.deepEqual(
      data.map(({ subject }: Answer['body']) => subject),
      ['Kept 7', 'Kept 6', 'Kept 5', 'Kept 4', 'Kept 3'],
    )
    const page = await ok(by(manager)('GET', at('/messages?limit=2')))
    const next = await ok(by(manager)('GET', at(`/messages?limit=2&cursor=${page.next_cursor}`)))
    assert.deepEqual(
      next.data.map(({ subject }: Answer['body']) => subject),
      ['Kept 5', 'Kept 4'],
    )
    await ok(by(manager)('PATCH', at(), { keep_messages: 50 }))
    await clear()
  })

  test('asks the clients of other programs for its password', async () => {
    const call = (authorization?: string) =>
      app.callWith(
        'GET',
        `/inboxes/${inbox.inbox_id}/api/v1/messages`,
        undefined,
        authorization === undefined ? {} : { authorization },
      )
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    assert.equal((await call(basic(`${inbox.username}:${inbox.password}`))).status, 200)
    for (const wrong of [
      undefined,
      basic(`${inbox.username}:x`),
      basic(`x:${inbox.password}`),
      `Bearer ${key}`,
    ]) {
      const answer = await call(wrong)
      assert.deepEqual([answer.status, answer.headers.get('www-authenticate')], [401, 'Basic realm="Login"'])
    }
  })

  test('works with the client of Mailpit', () =>
    mailpitWorks(
      new MailpitClient(inbox.base_url, { auth: { username: inbox.username, password: inbox.password } }),
      send,
    ))

  test('works with the client of MailHog', () =>
    mailhogWorks(mailhogAt(app, inbox.inbox_id, `${inbox.username}:${inbox.password}`), send))
})

describe('the mailbox of the playground', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' } })
  })
  after(() => app.stop())

  const fill = (fields: object): Promise<string> =>
    app.send({
      ...{ from: 'shop@example.test', to: [{ email: 'ann@receiver.example', name: 'Ann' }] },
      ...{ subject: 'Hello', html: HTML, text: 'Your code: 482913', ...fields },
    })

  test('is an inbox for the client of Mailpit, without a login', () =>
    mailpitWorks(new MailpitClient(`${app.app.url}/inboxes/${PLAYGROUND_INBOX}`), fill))

  test('is an inbox for the client of MailHog, without a login', () =>
    mailhogWorks(mailhogAt(app, PLAYGROUND_INBOX), fill))

  test('is shown under no public name', async () => {
    const path = `/inboxes/${PLAYGROUND_INBOX}/api/v1/messages`
    assert.equal((await app.callWith('GET', path, undefined, { host: 'attacker.example' })).status, 200)
  })
})
