// The WebSocket of Mailpit on test inboxes: its events, its client unchanged, its limits, and hostile clients.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { MailpitClient } from 'mailpit-api'
import { WebSocket } from 'ws'
import { newId } from '../../src/lib/ids.ts'
import { summarize } from '../../src/mime/mail-summary.ts'
import { PLAYGROUND_INBOX } from '../../src/model/test-inbox.ts'
import { markTestMails, removeOldTestMails, removeTestMails } from '../../src/store/inboxes/mails.ts'
import { keepTestMail } from '../../src/store/inboxes/new-mails.ts'
import { ok } from '../support/answers.ts'
import { TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { until } from '../support/test-clock.ts'

interface PitEvent {
  readonly Type: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any event
  readonly Data: any
}

/** A WebSocket with the events that it has received. */
class Listener {
  readonly events: PitEvent[] = []
  readonly socket: WebSocket
  /** Status code of the end. */
  code: number | undefined

  private constructor(url: string, headers: Record<string, string>) {
    this.socket = new WebSocket(url.replace(/^http/, 'ws'), { headers })
    this.socket.on('message', (data) => this.events.push(JSON.parse(String(data))))
    this.socket.on('close', (code) => {
      this.code = code
    })
  }

  /** Opens a WebSocket; rejects with the status of a refusal. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<Listener> {
    const listener = new Listener(`${url}/api/events`, headers)
    await new Promise<void>((resolve, reject) => {
      listener.socket.once('open', () => resolve())
      listener.socket.once('unexpected-response', (_request, response) => {
        response.resume()
        reject(new Error(`refused with ${response.statusCode}`))
      })
      listener.socket.once('error', reject)
    })
    return listener
  }

  /** Returns and forgets the types of all events, once there are as many. */
  async types(count: number): Promise<string[]> {
    await until(`${count} events have come`, () => this.events.length >= count)
    return this.events.splice(0).map(({ Type }) => Type)
  }
}

describe('the WebSocket of a test inbox', () => {
  let app: TestApp
  let manager: string
  let accountId: string
  before(async () => {
    app = await TestApp.start({
      env: {
        ...{ POSTRIDER_AUTH_FAILURE_RATE: '100000/s', POSTRIDER_DNS_SERVERS: '' },
        POSTRIDER_ALLOW_PRIVATE_NETWORKS: '',
      },
    })
    manager = await managementKey(app)
    const [account] = await app.store.read.selectFrom('accounts').select('id').execute()
    accountId = account?.id ?? ''
  })
  after(() => app.stop())

  const call = (method: string, path: string, body?: object, secret = manager) =>
    app.call(method, path, body, { authorization: `Bearer ${secret}` })
  async function makeInbox(fields: object = {}) {
    const inbox = await ok(call('POST', '/v1/inboxes', { name: 'Followed', ...fields }), 201)
    const login = { username: inbox.username, password: inbox.password }
    const authorization = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
    const url: string = inbox.base_url
    return {
      ...{ id: inbox.inbox_id as string, url, login, authorization },
      pit: (method: string, path: string, body?: object) =>
        ok(app.callWith(method, `/inboxes/${inbox.inbox_id}/api/v1/${path}`, body, { authorization })),
      follow: () => Listener.open(url, { authorization }),
    }
  }
  /** Keeps a mail by a connection to the database that is not the one of the node. */
  async function keepByOther(inboxId: string, subject: string, receivedAt = Date.now()): Promise<string> {
    const id = newId('mbx', receivedAt)
    const raw = Buffer.from(`From: a@b.example\r\nSubject: ${subject}\r\n\r\nHi\r\n`)
    await app.store.write(keepTestMail, {
      ...{ id, messageId: id, inboxId, accountId, receivedAt, mailFrom: '', tls: null, tags: [] },
      ...{ recipients: ['ann@receiver.example'], ...(await summarize(raw)), raw: new Uint8Array(raw) },
    })
    return id
  }
  const mail = (subject: string) => ({
    ...{ From: { Email: 'from@b.example', Name: 'B' }, To: [{ Email: 'to@c.example', Name: '' }] },
    ...{ Subject: subject, Text: 'Hi' },
  })

  test('has the events of each change before the answer to the change', async () => {
    const inbox = await makeInbox()
    const { events } = await inbox.follow()
    const took = (): PitEvent[] => events.splice(0)
    const { ID } = await inbox.pit('POST', 'send', { ...mail('First'), Tags: ['a'] })
    const [added, counts] = await until('the mail is announced', () => events.length >= 2 && took())
    const { messages } = await inbox.pit('GET', 'messages')
    assert.deepEqual(added, { Type: 'new', Data: messages[0] })
    assert.deepEqual([counts?.Type, counts?.Data.Total, counts?.Data.Unread], ['stats', 1, 1])
    assert.match(counts?.Data.Version, /^v\d/)

    const expected = async (change: Promise<unknown>, ...wanted: readonly PitEvent[]): Promise<void> => {
      await change
      const got = await until('the events have come', () => events.length >= wanted.length && took())
      assert.deepEqual(
        got.map(({ Type, Data }) => (Type === 'stats' ? { Type, Data: Data.Total } : { Type, Data })),
        wanted,
      )
    }
    const stats = (Data: number): PitEvent => ({ Type: 'stats', Data })
    const update = (data: object): PitEvent => ({ Type: 'update', Data: { ID, ...data } })
    await expected(inbox.pit('GET', `message/${ID}`), update({ Read: true }), stats(1))
    // Nothing has changed, so the next events are those of the next change.
    await inbox.pit('GET', `message/${ID}`)
    await inbox.pit('PUT', 'messages', { IDs: [ID], Read: true })
    await expected(
      inbox.pit('PUT', 'messages', { IDs: [ID], Read: false }),
      update({ Read: false }),
      stats(1),
    )
    await expected(inbox.pit('PUT', 'tags', { IDs: [ID], Tags: ['b'] }), update({ Tags: ['b'] }), stats(1))
    await expected(inbox.pit('PUT', 'tags/b', { Name: 'c' }), update({ Tags: ['c'] }), stats(1))
    await expected(inbox.pit('DELETE', 'messages', { IDs: [ID] }), { Type: 'delete', Data: { ID } }, stats(0))
    await inbox.pit('POST', 'send', mail('Second'))
    await until('the second mail is announced', () => events.length >= 2 && took())
    await expected(inbox.pit('DELETE', 'messages'), { Type: 'truncate', Data: null }, stats(0))
  })

  test('has the changes of other nodes, in their order, and each mail once', async () => {
    const inbox = await makeInbox({ keep_messages: 150 })
    const listener = await inbox.follow()
    const owner = { accountId, inboxId: inbox.id }
    const first = await keepByOther(inbox.id, 'One')
    await app.store.write(markTestMails, { ...owner, ids: [first], seen: true })
    const second = await keepByOther(inbox.id, 'Two')
    await app.store.write(removeTestMails, { ...owner, ids: [first] })
    const isLast = ({ Type }: PitEvent) => Type === 'delete'
    await until('the last change has come', () => listener.events.some(isLast))
    const seen = listener.events.splice(0).filter(({ Type }) => Type !== 'stats')
    // The first mail may be gone before the node reads the inbox.
    const known = seen.filter(({ Data }) => Data.ID === second.slice(4))
    assert.deepEqual(
      known.map(({ Type }) => Type),
      ['new'],
    )
    assert.deepEqual(seen.at(-1), { Type: 'delete', Data: { ID: first.slice(4) } })

    await Promise.all(Array.from({ length: 120 }, (_, index) => keepByOther(inbox.id, `Many ${index}`)))
    const subjects = await until('all are announced', () => {
      const added = listener.events.filter(({ Type }) => Type === 'new')
      return added.length >= 120 && added.map(({ Data }) => Data.Subject)
    })
    assert.equal(new Set(subjects).size, 120)
    listener.events.length = 0
    // More mails than an event for each is sent for: the client reads the list again.
    await app.store.write(markTestMails, { ...owner, seen: true })
    assert.deepEqual(await listener.types(2), ['prune', 'stats'])
    await Promise.all(Array.from({ length: 40 }, (_, index) => keepByOther(inbox.id, `More ${index}`)))
    await until('the oldest mails were removed', () => listener.events.some(({ Type }) => Type === 'prune'))
    await until('all are announced', () => listener.events.filter(({ Type }) => Type === 'new').length === 40)
    const last = listener.events.findLast(({ Type }) => Type === 'stats')
    assert.equal(last?.Data.Total, 150)
    listener.socket.close()
  })

  test('tells that old mail was removed', async () => {
    const inbox = await makeInbox({ keep_days: 1 })
    const old = Date.now() - 2 * 86_400_000
    await keepByOther(inbox.id, 'Old', old)
    const listener = await inbox.follow()
    await app.store.write(removeOldTestMails, { now: Date.now(), limit: 100 })
    assert.deepEqual(await listener.types(2), ['prune', 'stats'])
    listener.socket.close()
  })

  test('announces the mail of a message once, whatever its number of recipients', async () => {
    const inbox = await makeInbox()
    const wanted = { kind: 'sending', name: 'Tests', domains: ['example.test'], inbox_id: inbox.id }
    const { key } = await ok(call('POST', '/v1/keys', wanted), 201)
    const listener = await inbox.follow()
    const to = Array.from({ length: 3 }, (_, index) => ({ email: `${index}@receiver.example` }))
    const body = { from: 'a@b.example', to, subject: 'All', text: 'Hi' }
    const { message_id: id } = await ok(call('POST', '/v1/messages', body, key), 202)
    await app.messageIn(id, 'delivered')
    await inbox.pit('POST', 'send', mail('After'))
    await until('the mails are announced', () => listener.events.some(({ Data }) => Data.Subject === 'After'))
    const added = listener.events.filter(({ Type }) => Type === 'new')
    assert.deepEqual(
      added.map(({ Data }) => Data.Subject),
      ['All', 'After'],
    )
    listener.socket.close()
  })

  test('follows the mailbox of the playground without a login', async () => {
    const url = `${app.app.url}/inboxes/${PLAYGROUND_INBOX}`
    const listener = await Listener.open(url)
    const { ID } = await new MailpitClient(url).sendMessage(mail('Watched'))
    await until('the mail is announced', () => listener.events.some(({ Data }) => Data?.ID === ID))
    listener.socket.close()
  })

  test('wants the login of the inbox, and no page of another origin', async () => {
    const inbox = await makeInbox()
    const { authorization } = inbox
    await assert.rejects(Listener.open(inbox.url), /refused with 401/)
    await assert.rejects(
      Listener.open(inbox.url, { authorization: `Basic ${btoa('a:b')}` }),
      /refused with 401/,
    )
    const missing = `${app.app.url}/inboxes/${newId('inb')}`
    await assert.rejects(Listener.open(missing, { authorization }), /refused with 401/)
    const playground = `${app.app.url}/inboxes/${PLAYGROUND_INBOX}`
    for (const [url, headers] of [
      [inbox.url, { authorization, origin: 'https://attacker.example' }],
      [playground, { origin: 'http://attacker.example' }],
      [playground, { origin: 'null' }],
    ] as const) {
      await assert.rejects(Listener.open(url, headers), /refused with 403/)
    }
    const own = await Listener.open(playground, { origin: app.app.url })
    own.socket.close()
    const plain = await app.callWith('GET', `/inboxes/${inbox.id}/api/events`, undefined, { authorization })
    assert.deepEqual([plain.status, plain.body], [400, 'connect with a WebSocket'])
  })

  test('has a limited number of connections, which ended ones release', async () => {
    const inbox = await makeInbox()
    const open = await Promise.all(Array.from({ length: 20 }, inbox.follow))
    await assert.rejects(inbox.follow(), /refused with 429/)
    open[0]?.socket.terminate()
    open[1]?.socket.close()
    const again = await until('the connections have ended', () => inbox.follow().catch(() => false as const))
    again.socket.close()
    for (const { socket } of open) socket.close()
  })

  test('ends when the inbox is deleted', async () => {
    const inbox = await makeInbox()
    const listener = await inbox.follow()
    assert.equal((await call('DELETE', `/v1/inboxes/${inbox.id}`)).status, 204)
    assert.equal(await until('the connection has ended', () => listener.code), 1008)
  })

  test('answers pings, and ends for a client that sends long or broken messages', async () => {
    const inbox = await makeInbox()
    const asking = await inbox.follow()
    const answered = new Promise((resolve) => asking.socket.once('pong', (data) => resolve(String(data))))
    asking.socket.ping('still there?')
    assert.equal(await answered, 'still there?')
    asking.socket.send('ignored')
    asking.socket.send('x'.repeat(2_000))
    assert.equal(await until('the connection has ended', () => asking.code), 1009)

    const { hostname, port } = new URL(inbox.url)
    const raw = (lines: readonly string[], after = ''): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(Number(port), hostname)
        let answer = ''
        socket.on('data', (data) => {
          answer += data.toString('latin1')
        })
        socket.on('close', () => resolve(answer))
        socket.on('error', () => {})
        const head = [
          `GET /inboxes/${inbox.id}/api/events HTTP/1.1`,
          ...[`Host: ${hostname}:${port}`, `Authorization: ${inbox.authorization}`],
          ...['Connection: Upgrade', 'Upgrade: websocket', ...lines],
        ]
        socket.write(`${head.join('\r\n')}\r\n\r\n${after}`)
      })
    const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`
    assert.match(await raw([]), /^HTTP\/1\.1 400 /)
    assert.match(await raw([key, 'Sec-WebSocket-Version: 7']), /^HTTP\/1\.1 4\d\d /)
    // Frames of a client are masked (RFC 6455 §5.1), and garbage is no frame.
    const garbage = await raw([key, 'Sec-WebSocket-Version: 13'], '\xff\xff\xff\xff')
    assert.match(garbage, /^HTTP\/1\.1 101 /)
    assert.ok(garbage.includes('\x88'), 'the end is told by a closing frame')
    const follower = await inbox.follow()
    follower.socket.close()
  })

  test('does not concern other paths and other protocols', async () => {
    const { hostname, port } = new URL(app.app.url)
    for (const [path, protocol] of [
      ['/readyz', 'websocket'],
      [`/inboxes/${PLAYGROUND_INBOX}/api/v1/info`, 'websocket'],
      [`/inboxes/${PLAYGROUND_INBOX}/api/events`, 'h2c'],
    ] as const) {
      const status = await new Promise<string>((resolve) => {
        const socket = connect(Number(port), hostname)
        socket.once('data', (data) => {
          resolve(data.toString('latin1').slice(9, 12))
          socket.destroy()
        })
        const upgrade = `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n${upgrade}\r\n`)
      })
      assert.equal(status, protocol === 'h2c' ? '400' : '200', path)
    }
  })
})

test('a node that stops ends its WebSockets, also of clients that do not answer', async () => {
  const app = await TestApp.start()
  let stopped = false
  after(() => (stopped ? undefined : app.stop()))
  const inbox = await ok(
    app.call(
      'POST',
      '/v1/inboxes',
      { name: 'Followed' },
      {
        authorization: `Bearer ${await managementKey(app)}`,
      },
    ),
    201,
  )
  const login = Buffer.from(`${inbox.username}:${inbox.password}`).toString('base64')
  const headers = { authorization: `Basic ${login}` }
  const [polite, silent] = await Promise.all([
    Listener.open(inbox.base_url, headers),
    Listener.open(inbox.base_url, headers),
  ])
  silent?.socket.pause()
  await app.stop()
  stopped = true
  assert.equal(await until('the connection has ended', () => polite?.code), 1001)
  silent?.socket.terminate()
})
