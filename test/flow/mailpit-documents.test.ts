// The documents of Mailpit and MailHog for a hundred mails of many forms, key by key; and the calls that
// cypress-mailpit makes, on an inbox and on the mailbox of the playground.

// thorough: 8 CPU s for a hundred mails; test-inboxes.test.ts has the clients of both programs

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { PLAYGROUND_INBOX } from '../../src/model/test-inbox.ts'
import { ok } from '../support/answers.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { sleep, until } from '../support/test-clock.ts'

/** Shape of a JSON value: a type, a list of values of one shape, a null or a shape, or the shapes of all keys. */
type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'time'
  | 'sum'
  | 'record'
  | { readonly list: Shape }
  | { readonly orNull: Shape }
  | { readonly keys: Readonly<Record<string, Shape>> }

const keys = (shapes: Readonly<Record<string, Shape>>): Shape => ({ keys: shapes })
const list = (shape: Shape): Shape => ({ list: shape })

const ADDRESS = keys({ Name: 'string', Address: 'string' })
const COMMON = {
  ...{ ID: 'string', MessageID: 'string', From: { orNull: ADDRESS }, To: list(ADDRESS) },
  ...{ Cc: list(ADDRESS), Bcc: list(ADDRESS), ReplyTo: list(ADDRESS), Subject: 'string' },
  ...{ Tags: list('string'), Size: 'number', Username: 'string' },
} as const satisfies Record<string, Shape>
const SUMMARY = keys({
  ...COMMON,
  ...{ Read: 'boolean', Created: 'time', Attachments: 'number', Snippet: 'string' },
})
const PART = keys({
  ...{ PartID: 'string', FileName: 'string', ContentType: 'string', ContentID: 'string', Size: 'number' },
  Checksums: keys({ MD5: 'sum', SHA1: 'sum', SHA256: 'sum' }),
})
const MESSAGE = keys({
  ...COMMON,
  ...{ ReturnPath: 'string', Date: 'time', Text: 'string', HTML: 'string' },
  ...{ Inline: list(PART), Attachments: list(PART) },
  ListUnsubscribe: keys({ Header: 'string', Links: list('string'), Errors: 'string', HeaderPost: 'string' }),
  // These two are additions to Mailpit's keys.
  ...{ links: list('string'), codes: list('string') },
})
const LIST = keys({
  ...{ total: 'number', unread: 'number', count: 'number', messages_count: 'number' },
  ...{ messages_unread: 'number', start: 'number', tags: list('string'), messages: list(SUMMARY) },
})
const INFO = keys({
  ...{ Version: 'string', LatestVersion: 'string', Database: 'string', DatabaseSize: 'number' },
  ...{ Messages: 'number', Unread: 'number', Tags: 'record' },
  RuntimeStats: keys({
    ...{ Uptime: 'number', Memory: 'number', MessagesDeleted: 'number', SMTPAccepted: 'number' },
    ...{ SMTPAcceptedSize: 'number', SMTPRejected: 'number', SMTPIgnored: 'number' },
  }),
})
const WEBUI = keys({
  Label: 'string',
  MessageRelay: keys({
    ...{ Enabled: 'boolean', SMTPServer: 'string', ReturnPath: 'string', AllowedRecipients: 'string' },
    ...{ BlockedRecipients: 'string', OverrideFrom: 'string', PreserveMessageIDs: 'boolean' },
    RecipientAllowlist: 'string',
  }),
  ...{ SpamAssassin: 'boolean', ChaosEnabled: 'boolean', DuplicatesIgnored: 'boolean' },
  HideDeleteAllButton: 'boolean',
})
const HOG_PATH = keys({
  Relays: { orNull: list('string') },
  Mailbox: 'string',
  Domain: 'string',
  Params: 'string',
})
/** Maximum depth of the parts of the mails below. */
const DEPTH = 4
const hogSection = (depth: number): Shape =>
  keys({
    ...{ Headers: 'record', Body: 'string', Size: 'number' },
    MIME: { orNull: depth === 0 ? 'record' : keys({ Parts: list(hogSection(depth - 1)) }) },
  })
const HOG_MESSAGE = keys({
  ...{ ID: 'string', From: HOG_PATH, To: list(HOG_PATH), Created: 'time' },
  Content: keys({ Headers: 'record', Body: 'string', Size: 'number', MIME: { orNull: 'record' } }),
  MIME: { orNull: keys({ Parts: list(hogSection(DEPTH)) }) },
  Raw: keys({ From: 'string', To: list('string'), Data: 'string', Helo: 'string' }),
})
const HOG_LIST = keys({ total: 'number', count: 'number', start: 'number', items: list(HOG_MESSAGE) })

/** Asserts that a value has a shape: each key is there, no other is, and each value has its type. */
function assertShape(value: unknown, shape: Shape, path = ''): void {
  if (typeof shape === 'string') {
    assertType(value, shape, path)
    return
  }
  if ('orNull' in shape) {
    if (value !== null) assertShape(value, shape.orNull, path)
    return
  }
  if ('list' in shape) {
    assert.ok(Array.isArray(value), `${path} is no list`)
    for (const [index, one] of value.entries()) assertShape(one, shape.list, `${path}[${index}]`)
    return
  }
  assert.ok(typeof value === 'object' && value !== null, `${path} is no object`)
  assert.deepEqual(Object.keys(value).sort(), Object.keys(shape.keys).sort(), path)
  for (const [name, one] of Object.entries(shape.keys)) {
    assertShape((value as Record<string, unknown>)[name], one, `${path}.${name}`)
  }
}

function assertType(value: unknown, type: string, path: string): void {
  if (type === 'time') {
    assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, path)
  } else if (type === 'sum') assert.match(String(value), /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/, path)
  else if (type === 'record') assert.ok(typeof value === 'object' && value !== null, path)
  else assert.equal(typeof value, type, path)
}

const FILE = Buffer.from('file').toString('base64')
/** Forms of mails, of which the hundred are combinations. */
const BODIES: readonly object[] = [
  { text: 'Only text, with the code 482913.' },
  { html: '<p>Only <a href="https://shop.example/a">HTML</a></p>' },
  { text: 'Größe: 5 €', html: '<p>Größe: 5 €</p>' },
  { text: 'x'.repeat(5_000), html: `<p>${'y'.repeat(5_000)}</p>` },
  { text: '👋 emoji\n\n.\nFrom here\n' },
]
const PEOPLE: readonly object[] = [
  {},
  { to: [{ email: 'ann@receiver.example', name: 'Ann "the" Tester, Jr.' }] },
  { cc: [{ email: 'cc@receiver.example', name: 'Çelik' }], bcc: [{ email: 'bcc@receiver.example' }] },
  { reply_to: [{ email: 'reply@shop.example' }] },
  { to: Array.from({ length: 20 }, (_, index) => ({ email: `many-${index}@receiver.example` })) },
]
const MORE: readonly object[] = [
  {},
  { attachments: [{ filename: 'größe.pdf', content: FILE }] },
  {
    html: '<img src="cid:dot">',
    attachments: [
      { filename: 'dot.png', content: FILE, content_id: 'dot' },
      { filename: 'b.bin', content: FILE, content_type: 'application/x-thing' },
    ],
  },
  {
    subject: `Long ${'subject '.repeat(30)}`,
    headers: {
      'List-Unsubscribe': '<https://shop.example/u>, <mailto:u@shop.example>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    tag: 'news',
  },
]

describe('documents of Mailpit and MailHog', () => {
  let app: TestApp
  let inbox: Answer['body']
  let key: string
  before(async () => {
    app = await TestApp.start({
      env: {
        ...{ POSTRIDER_AUTH_FAILURE_RATE: '100000/s', POSTRIDER_SENDING_RATE: '100000/s' },
        ...{ POSTRIDER_DNS_SERVERS: '', POSTRIDER_ALLOW_PRIVATE_NETWORKS: '' },
      },
    })
    const authorization = `Bearer ${await managementKey(app)}`
    const by = (path: string, body: object) => app.call('POST', path, body, { authorization })
    inbox = await ok(by('/v1/inboxes', { name: 'Suite', keep_messages: 500 }), 201)
    const wanted = { kind: 'sending', name: 'Tests', domains: ['example.test'], inbox_id: inbox.inbox_id }
    key = (await ok(by('/v1/keys', wanted), 201)).key
  })
  after(() => app.stop())

  /** Calls a path of an inbox; repeats the call while the inbox refuses it because of its rate. */
  async function pit(method: string, path: string, body?: object, id = inbox.inbox_id): Promise<Answer> {
    const login = Buffer.from(`${inbox.username}:${inbox.password}`).toString('base64')
    const headers: Record<string, string> = id === inbox.inbox_id ? { authorization: `Basic ${login}` } : {}
    for (;;) {
      const answer = await app.callWith(method, `/inboxes/${id}/${path}`, body, headers)
      if (answer.status !== 429) return answer
      await sleep(100, 'the limit of requests to an inbox')
    }
  }

  test('have their keys, and no other, for a hundred mails', async () => {
    const mails = BODIES.flatMap((body) =>
      PEOPLE.flatMap((people) => MORE.map((more) => ({ ...body, ...people, ...more }))),
    )
    assert.equal(mails.length, 100)
    for (const [index, mail] of mails.entries()) {
      const request = { from: 'shop@shop.example', to: [{ email: 'ann@receiver.example' }], subject: '' }
      const body = { ...request, subject: `Mail ${index}`, ...mail }
      await ok(app.call('POST', '/v1/messages', body, { authorization: `Bearer ${key}` }), 202)
    }
    const all = await until('the mails are in the inbox', async () => {
      const { body } = await pit('GET', 'api/v1/messages?limit=200')
      return body.total === 100 && body
    })
    assertShape(all, LIST)
    const whole: Answer['body'][] = []
    for (const { ID } of all.messages) {
      const { body: message } = await pit('GET', `api/v1/message/${ID}`)
      assertShape(message, MESSAGE, ID)
      whole.push(message)
      const { body: fields } = await pit('GET', `api/v1/message/${ID}/headers`)
      for (const [name, values] of Object.entries(fields)) {
        assert.match(name, /^[A-Z][a-z0-9]*(?:-(?:[A-Z][a-z0-9]*|\d+))*$/, name)
        assertShape(values, list('string'), name)
      }
      assert.ok(fields.Subject.length === 1 && fields['Mime-Version'].length === 1)
    }
    const count = (test: (message: Answer['body']) => boolean): number => whole.filter(test).length
    assert.equal(
      count(({ Bcc }) => Bcc.length === 1),
      20,
    )
    assert.equal(
      count(({ Cc }) => Cc.length === 1 && Cc[0].Name === 'Çelik'),
      20,
    )
    assert.equal(
      count(({ To }) => To.length === 20),
      20,
    )
    assert.equal(
      count(({ ReplyTo }) => ReplyTo.length > 0),
      20,
    )
    assert.equal(
      count(({ Inline }) => Inline.length === 1 && Inline[0].ContentID === 'dot'),
      25,
    )
    assert.equal(
      count(({ Attachments }) => Attachments.length === 1),
      50,
    )
    assert.equal(
      count(({ ListUnsubscribe }) => ListUnsubscribe.Links.length === 2),
      25,
    )
    assert.equal(
      count(({ Tags }) => Tags.includes('news')),
      25,
    )
    assertShape((await pit('GET', 'api/v1/info')).body, INFO)
    assertShape((await pit('GET', 'api/v1/webui')).body, WEBUI)
    const hog = (await pit('GET', 'api/v2/messages?limit=200')).body
    assertShape(hog, HOG_LIST)
    assert.deepEqual([hog.total, hog.count], [100, 100])
    assertShape((await pit('GET', `api/v1/messages/${hog.items[0].ID}`)).body, HOG_MESSAGE)
  })

  for (const where of ['an inbox', 'the playground'] as const) {
    test(`the calls of cypress-mailpit work on ${where}`, async () => {
      const id = where === 'an inbox' ? inbox.inbox_id : PLAYGROUND_INBOX
      const call = (method: string, path: string, body?: object) => pit(method, path, body, id)
      const mail = (fields: object = {}) => ({
        ...{ Attachments: [], Bcc: ['bcc@example.com'], Cc: [{ Email: 'cc@example.com', Name: 'CC' }] },
        ...{ From: { Email: 'from@example.com', Name: 'From' }, HTML: '<p>hello</p>', Headers: {} },
        ...{ ReplyTo: [{ Email: 'reply@example.com', Name: 'R' }], Subject: 'Hello', Tags: [] },
        ...{ Text: 'hello', To: [{ Email: 'jane@example.com', Name: 'Jane' }], ...fields },
      })
      const send = async (fields: object = {}): Promise<string> =>
        (await ok(call('POST', 'api/v1/send', mail(fields)))).ID
      assert.equal((await ok(call('DELETE', 'api/v1/messages'))) as unknown, 'ok')
      const first = await send({ Subject: 'First Email', Tags: ['tag1', 'tag2'] })
      const files = ['hello.txt', 'hello2.txt'].map((FileName) => ({ Content: FILE, FileName }))
      await send({ Subject: 'My Test', Text: 'Test', HTML: '<p>Test</p>', Attachments: files })

      const page = await ok(call('GET', 'api/v1/messages?start=1&limit=1'))
      assertShape(page, LIST)
      assert.deepEqual([page.total, page.start, page.messages[0].ID], [2, 1, first])
      const latest = await ok(call('GET', 'api/v1/message/latest'))
      assertShape(latest, MESSAGE)
      assert.deepEqual(
        [latest.Subject, latest.From.Address, latest.To[0].Address, latest.Text, latest.HTML],
        ['My Test', 'from@example.com', 'jane@example.com', 'Test', '<p>Test</p>'],
      )
      assert.deepEqual(
        latest.Attachments.map(({ FileName }: { FileName: string }) => FileName),
        ['hello.txt', 'hello2.txt'],
      )
      const opened = await ok(call('GET', `api/v1/message/${first}`))
      assert.deepEqual(
        [opened.Cc[0].Address, opened.Bcc[0].Address, opened.ReplyTo[0].Address, opened.Tags],
        ['cc@example.com', 'bcc@example.com', 'reply@example.com', ['tag1', 'tag2']],
      )
      for (const [query, count] of [
        ['Test', 1],
        ['subject:My Test', 1],
        ['subject:Nonexistent', 0],
        ['to:jane@example.com', 2],
      ] as const) {
        const found = await ok(
          call('GET', `api/v1/search?query=${encodeURIComponent(query)}&start=0&limit=50`),
        )
        assert.deepEqual([found.messages_count, found.count, found.total], [count, count, 2], query)
      }
      assert.ok((await ok(call('GET', `view/${latest.ID}.html`))).includes('<p>Test</p>'))
      assert.equal((await ok(call('GET', `view/${latest.ID}.txt`))) as unknown, 'Test')
      assert.match((await call('GET', `view/${latest.ID}.html?embed=1`)).body, /<p>Test<\/p>/)
      for (const [IDs, Read, unread] of [
        [[], true, 0],
        [[first], false, 1],
        [[], false, 2],
        [[first, latest.ID], true, 0],
      ] as const) {
        assert.equal((await ok(call('PUT', 'api/v1/messages', { IDs, Read }))) as unknown, 'ok')
        assert.equal((await ok(call('GET', 'api/v1/messages'))).unread, unread)
      }
      const wrong = await call('POST', 'api/v1/send', mail({ To: [{ Email: '', Name: 'To' }] }))
      assert.equal(wrong.status, 400)
      assert.match(wrong.body.Error, /invalid To address/)
      assert.equal((await ok(call('DELETE', 'api/v1/search?query=subject:First'))) as unknown, 'ok')
      assert.equal((await ok(call('GET', 'api/v1/messages'))).total, 1)
      await ok(call('DELETE', 'api/v1/messages'))
    })
  }
})
