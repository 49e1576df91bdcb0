// Tests GET /v1/events and its stream: contents, callers, following events and refusals.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { StreamClient } from '../../../test/support/event-stream.ts'
import { Person } from '../../../test/support/person.ts'
import { connectTo } from '../../../test/support/raw-http.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { createKey } from '../../access/keys.ts'
import { systemClock } from '../../lib/clock.ts'
import { revokeKey } from '../../store/access/keys.ts'
import { findDomain } from '../../store/domains/domain-rows.ts'

describe('events', () => {
  let app: TestApp
  let stranger: Tenant
  let sent: string
  before(async () => {
    app = await TestApp.start({
      host: {
        script: ({ verb, argument }) =>
          verb === 'RCPT' && /<full@/.test(argument) ? '452 4.2.2 Mailbox full' : undefined,
      },
    })
    stranger = await createTenant(app.store)
    sent = await app.send({ tag: 'receipt', metadata: { order: '7' } })
    await app.messageIn(sent, 'delivered')
    await ended(sent)
  })
  after(() => app.stop())

  const list = async (query: string, headers: Record<string, string> = {}): Promise<Answer> =>
    app.call('GET', `/v1/events${query}`, undefined, headers)
  const types = ({ body }: Answer): string[] => body.data.map(({ type }: { type: string }) => type)

  /** Waits until the event feed contains the last event of a message. */
  async function ended(id: string, ...last: string[]): Promise<void> {
    const wanted = last.length === 0 ? ['delivered'] : last
    const newest = async () => types(await list(`?message_id=${id}&order=asc`)).at(-1) ?? ''
    await until(`${id} is ${wanted.join(' or ')}`, async () => wanted.includes(await newest()))
  }

  /** Returns the IDs of all events that a client gets by following the list from a cursor, and the last cursor. */
  async function follow(query: string, from?: string): Promise<{ ids: string[]; cursor: string }> {
    const ids: string[] = []
    for (let cursor = from; ; ) {
      const { body } = await list(
        `?order=asc&limit=2${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      )
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      if (body.next_cursor === cursor) return { ids, cursor: body.next_cursor }
      cursor = body.next_cursor as string
    }
  }

  const open = (query = '', headers: Record<string, string> = {}): Promise<StreamClient> =>
    StreamClient.open(new URL(`/v1/events/stream${query}`, app.app.url), {
      authorization: `Bearer ${app.playground.sending_key}`,
      ...headers,
    })

  test('are listed newest first, with all data that a reader needs', async () => {
    const answer = await list(`?message_id=${sent}`)
    assert.deepEqual([answer.status, answer.body.next_cursor], [200, null])
    assert.deepEqual(types(answer), ['delivered', 'sending', 'accepted'])
    const [{ id, at, detail, ...delivered }] = answer.body.data
    assert.match(id, /^evt_[0-9A-Z]{26}$/)
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
    assert.equal(typeof detail, 'object')
    assert.deepEqual(delivered, {
      type: 'delivered',
      message_id: sent,
      message_id_header: `${sent.slice(4)}@example.test`,
      email: 'you@receiver.example',
      stream: 'transactional',
      tag: 'receipt',
      tags: ['receipt'],
      metadata: { order: '7' },
      attempt: 1,
      reply: { ...delivered.reply, smtp_code: 250, mx: 'mx.test' },
      category: null,
    })
    const { body: message } = await app.call('GET', `/v1/messages/${sent}`)
    assert.deepEqual(
      message.events.map((event: { id: string }) => event.id),
      answer.body.data.map((event: { id: string }) => event.id).reverse(),
    )
  })

  test('are narrowed by each filter, in pages, by message and through the feed alike', async () => {
    const full = await app.send({ to: [{ email: 'full@receiver.example' }], tag: 'rare' })
    await ended(full, 'deferred')
    for (const query of ['tag=rare', 'recipient=full@receiver.example', `message_id=${full}`]) {
      for (const order of ['desc', 'asc']) {
        const answer = await list(`?${query}&order=${order}`)
        const found = types(answer)
        assert.deepEqual(
          order === 'asc' ? found : found.reverse(),
          ['accepted', 'sending', 'deferred'],
          query,
        )
      }
    }
    const deferred = await list('?type=deferred,bounced')
    assert.deepEqual(types(deferred), ['deferred'])
    const [{ category, reply }] = deferred.body.data
    assert.deepEqual(
      [category, reply.smtp_code, reply.smtp_response],
      ['mailbox_full', 452, '4.2.2 Mailbox full'],
    )
    assert.deepEqual(types(await list('?stream=broadcast')), [])
    assert.deepEqual(types(await list('?recipient=nobody@receiver.example')), [])
    const future = new Date(Date.now() + 120_000).toISOString()
    const past = new Date(Date.now() - 120_000).toISOString()
    for (const query of [`after=${future}`, `before=${past}`])
      assert.deepEqual(types(await list(`?${query}`)), [])
    const all = await list(`?after=${past}&before=${future}`)
    for (const query of ['', `&recipient=you@receiver.example`]) {
      const whole = (await list(`?limit=200${query}`)).body.data as { id: string }[]
      const paged: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = await list(`?limit=1${query}${cursor}`)
        paged.push(...body.data.map(({ id }: { id: string }) => id))
        if (body.next_cursor === null) break
        cursor = `&cursor=${body.next_cursor}`
      }
      assert.deepEqual(
        paged,
        whole.map(({ id }) => id),
      )
    }
    assert.equal(all.body.data.length, (await list('?limit=200')).body.data.length)
  })

  test('are followed by a cursor that returns the events since then', async () => {
    const before = await follow('')
    assert.deepEqual((await follow('', before.cursor)).ids, [])
    const id = await app.send()
    await app.messageIn(id, 'delivered')
    await ended(id)
    const since = await follow('', before.cursor)
    assert.equal(since.ids.length, 3)
    assert.deepEqual((await follow('')).ids, [...before.ids, ...since.ids])
    const delivered = await follow('&type=delivered', before.cursor)
    assert.deepEqual(delivered.ids, since.ids.slice(-1))
    assert.deepEqual((await follow('', delivered.cursor)).ids, [])
  })

  test('are refused for an invalid query, with every problem', async () => {
    const { status, body } = await list('?type=deliverd&after=yesterday&recipient=nobody')
    assert.equal(status, 422)
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['type', 'recipient', 'after'],
    )
    assert.match(body.errors[0].message, /did you mean delivered\?/)
    for (const query of [
      '?cursor=x',
      '?order=asc&cursor=-1',
      `?message_id=${sent}&cursor=5`,
      '/stream?cursor=x',
    ]) {
      assert.equal((await list(query)).status, 400, query)
    }
    assert.equal((await list('/stream', { 'last-event-id': 'evt_1' })).status, 400)
    assert.equal((await list('/stream?type=no')).status, 422)
    const verification = { authorization: `Bearer ${app.playground.verification_key}` }
    for (const path of ['', '/stream']) {
      assert.equal((await list(path, verification)).status, 403)
      assert.equal((await list(path, { authorization: '' })).status, 401)
    }
  })

  test('of another domain are not shown, by any name', async () => {
    const authorization = `Bearer ${stranger.sendingKey}`
    for (const query of [
      '',
      '?order=asc',
      `?message_id=${sent}`,
      '?recipient=you@receiver.example',
      '?tag=receipt',
    ]) {
      assert.deepEqual(types(await list(query, { authorization })), [], query)
    }
  })

  test('arrive by the stream as they happen, and missed ones after a reconnection', async () => {
    const stream = await open('?type=accepted,delivered')
    assert.equal(stream.status, 200)
    assert.match(String(stream.headers['content-type']), /^text\/event-stream/)
    const id = await app.send()
    const [accepted, delivered] = await stream.has(2)
    assert.deepEqual([accepted?.type, delivered?.type], ['accepted', 'delivered'])
    await ended(id)
    const { body } = await list(`?message_id=${id}&type=accepted,delivered`)
    assert.deepEqual([delivered?.data, accepted?.data], body.data)
    await stream.close()
    const missed = await app.send()
    await ended(missed)
    const again = await open('?type=accepted,delivered', { 'last-event-id': stream.lastId })
    await again.has(2)
    assert.deepEqual(
      again.events.map(({ data }) => `${data.type} ${data.message_id}`),
      [`accepted ${missed}`, `delivered ${missed}`],
    )
    await again.close()
    const replayed = await open(`?message_id=${id}&cursor=0`)
    assert.deepEqual(
      (await replayed.has(3)).map(({ type }) => type),
      ['accepted', 'sending', 'delivered'],
    )
    await replayed.close()
  })

  test('end with the key, whose number of streams is bounded', async () => {
    const { account, domain } = stranger
    const made = await createKey(
      { store: app.store, clock: systemClock },
      { accountId: account.id, domainId: domain.id, kind: 'sending', name: 'streams' },
    )
    const headers = { authorization: `Bearer ${made.secret}` }
    const streams = await Promise.all(Array.from({ length: 10 }, () => open('', headers)))
    assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200])
    const refused = await list('/stream', headers)
    assert.deepEqual([refused.status, refused.body['violated-policies']], [429, ['streams']])
    await streams[0]?.close()
    let retried = await open('', headers)
    while (retried.status === 429) retried = await open('', headers)
    assert.equal(retried.status, 200)
    await app.store.write(revokeKey, { id: made.key.id, accountId: account.id, now: Date.now() })
    await Promise.all([...streams, retried].map((stream) => stream.ended))
    assert.equal((await list('/stream', headers)).status, 401)
  })

  test('are followed by users in the dashboard until their session ends', async () => {
    const person = await Person.loggedIn(app)
    const { body } = await person.call('GET', '/api/session')
    const domain = await findDomain(app.store.read, body.account.account_id, app.playground.domain)
    const base = `/api/domains/${domain?.id}/events`
    const listed = await person.call('GET', `${base}?message_id=${sent}`)
    assert.deepEqual(types(listed), ['delivered', 'sending', 'accepted'])
    const stream = await StreamClient.open(new URL(`${base}/stream?cursor=0&type=delivered`, app.app.url), {
      cookie: person.cookie,
    })
    assert.equal((await stream.has(1))[0]?.data.message_id, sent)
    await person.call('DELETE', '/api/session')
    await app.send()
    await stream.ended
  })

  test('hold up neither the store nor the end of the node, however little a client reads', async () => {
    const unread = connectTo(app.app.url)
    const { sending_key: key } = app.playground
    unread.write(`GET /v1/events/stream?cursor=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    await once(unread, 'data')
    unread.pause()
    const idle = await open()
    await app.stopNode()
    await idle.ended
    unread.destroy()
    await app.startNode()
  })
})
