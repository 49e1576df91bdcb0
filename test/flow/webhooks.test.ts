// Webhooks: every event arrives with a signature and with the same ID each time, whatever the receiver does.

import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { afterEach, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { type Answer, TestApp, type TestAppOptions } from '../support/app.ts'
import { LateClock } from '../support/browser/shop.ts'
import { bringMail, createInboundStream, mailOf } from '../support/inbound-mail.ts'
import { Person } from '../support/person.ts'
import { stays, until } from '../support/test-clock.ts'
import { thorough } from '../support/thorough.ts'
import { type ReceivedRequest, type ReceiverScript, WebhookReceiver } from '../support/webhook-receiver.ts'

const DAY_MS = 86_400_000
const HTTP = { POSTRIDER_WEBHOOK_HTTP: 'yes' }

describe('a webhook', () => {
  let app: TestApp
  let receiver: WebhookReceiver
  afterEach(async () => {
    await app.stop()
    await receiver.stop()
  })

  async function start(script?: ReceiverScript, options: TestAppOptions = {}): Promise<void> {
    receiver = await WebhookReceiver.start(script)
    app = await TestApp.start({ ...options, env: { ...HTTP, ...options.env } })
  }

  async function create(fields: object = {}): Promise<Answer['body']> {
    const { status, body } = await app.call('POST', '/v1/webhooks', { url: receiver.url, ...fields })
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }

  const verified = (secret: string, { headers, body }: ReceivedRequest): Answer['body'] =>
    new Webhook(secret).verify(body, headers as Record<string, string>)

  const deliveries = async (id: string, query = ''): Promise<Answer['body'][]> =>
    (await app.call('GET', `/v1/webhooks/${id}/deliveries${query}`)).body.data

  test('gets the events of a message in order, with the data of the API, signed in both ways', async () => {
    await start()
    const { webhook_id: id, secret, public_key } = await create()
    const messageId = await app.send({ tags: ['welcome', 'spring'], metadata: { order: '7' } })
    // A request that the busy machine did not answer in time is repeated.
    const requests = await until('all three events have arrived', () => {
      const first = receiver.requests.filter(
        ({ headers }, index, all) =>
          all.findIndex((one) => one.headers['webhook-id'] === headers['webhook-id']) === index,
      )
      return first.length >= 3 && first
    })
    const payloads = requests.map((request) => verified(secret, request))
    assert.deepEqual(
      payloads.map(({ type }) => type),
      ['accepted', 'sending', 'delivered'],
    )
    const message = (await app.call('GET', `/v1/messages/${messageId}`)).body
    const shown = new Map(message.events.map((event: { id: string }) => [event.id, event]))
    for (const [index, { timestamp, data }] of payloads.entries()) {
      assert.equal(requests[index]?.headers['webhook-id'], data.id)
      assert.equal(data.at, timestamp)
      assert.ok(shown.has(data.id))
      assert.deepEqual(
        [data.message_id, data.email, data.stream, data.tag, data.tags, data.metadata],
        [
          messageId,
          'you@receiver.example',
          'transactional',
          'welcome',
          ['welcome', 'spring'],
          { order: '7' },
        ],
      )
    }
    const [{ headers, body }] = requests as [ReceivedRequest]
    const asymmetric = String(headers['webhook-signature'])
      .split(' ')
      .find((one) => one.startsWith('v1a,'))
    const x = Buffer.from(public_key.slice('whpk_'.length), 'base64').toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    assert.ok(verify(null, signed, key, Buffer.from(asymmetric?.slice(4) ?? '', 'base64')))
    const listed = await until('three deliveries are recorded', async () => {
      const all = await deliveries(id)
      return all.length === 3 ? all : undefined
    })
    assert.deepEqual(
      listed.map(({ status, event_type, attempts }) => [status, event_type, attempts[0].status]),
      [
        ['delivered', 'delivered', 204],
        ['delivered', 'sending', 204],
        ['delivered', 'accepted', 204],
      ],
    )
    const one = await app.call('GET', `/v1/webhooks/${id}/deliveries/${listed[0].delivery_id}`)
    assert.deepEqual(JSON.parse(one.body.request.body), payloads[2])
    assert.deepEqual([one.body.email, one.body.next_attempt_at], ['you@receiver.example', null])
    const count = async (query: string) => (await deliveries(id, query)).length
    assert.equal(await count(`?message_id=${messageId}`), 3)
    assert.equal(await count('?recipient=YOU%40receiver.example&status=delivered'), 3)
    assert.equal(await count(`?recipient=you%40receiver.example&message_id=msg_${'0'.repeat(26)}`), 0)
    assert.equal(await count('?recipient=you'), 0)
  })

  test(
    'gets each received mail as parsed JSON in its own request, with files and links',
    thorough('0.8 CPU s: many failed deliveries'),
    async () => {
      await start(undefined, { env: { POSTRIDER_INBOUND_PORT: '0' } })
      await createInboundStream(app, ['support@example.test'])
      const { secret, webhook_id: id } = await create({ event_types: ['received'], batch_size: 10 })
      const file = 'Content-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment; filename=a.csv\r\n'
      const body = `--b\r\nContent-Type: text/plain\r\n\r\nIt works.\r\n--b\r\n${file}\r\n1;2\r\n--b--\r\n`
      for (const Subject of ['one', 'two']) {
        const mail = mailOf({ Subject, 'Content-Type': 'multipart/mixed; boundary=b' }, body)
        assert.match(await bringMail(app, 'support@example.test', mail), /^250 /)
      }
      const requests = await receiver.received(2)
      const events = requests.map((request) => verified(secret, request))
      assert.deepEqual(
        events.map((batch) => [batch.length, batch[0].type]),
        [
          [1, 'received'],
          [1, 'received'],
        ],
      )
      const mails = events.map(([{ data }]) => data)
      assert.deepEqual(mails.map(({ inbound }) => inbound.subject).sort(), ['one', 'two'])
      for (const { message_id, email, inbound } of mails) {
        assert.deepEqual([inbound.inbound_id, email], [message_id, 'support@example.test'])
        assert.deepEqual(inbound.from, { email: 'jo@author.example', name: 'Jo Doe' })
        assert.equal(inbound.text.trim(), 'It works.')
        const [{ filename, content, url }] = inbound.attachments
        assert.deepEqual([filename, Buffer.from(content, 'base64').toString()], ['a.csv', '1;2'])
        assert.equal((await app.callWith('GET', url, undefined, {})).body, '1;2')
      }
      const [{ delivery_id }] = await until('two deliveries are recorded', async () => {
        const all = await deliveries(id)
        return all.length === 2 ? all : undefined
      })
      const { body: shown } = await app.call('GET', `/v1/webhooks/${id}/deliveries/${delivery_id}`)
      const [{ data }] = JSON.parse(shown.request.body)
      assert.deepEqual([data.inbound.inbound_id, data.inbound.content], [data.message_id, 'available'])
    },
  )

  test('gets the selected types, streams and tags', async () => {
    await start()
    const { secret } = await create({ event_types: ['delivered'], streams: ['broadcast'], tags: ['a', 'b'] })
    await app.send({ stream: 'broadcast', tag: 'c' })
    await app.send({ stream: 'transactional', tag: 'a' })
    await app.send({ stream: 'broadcast' })
    const id = await app.send({ stream: 'broadcast', tag: 'b' })
    const [request] = await receiver.received(1)
    const { type, data } = verified(secret, request as ReceivedRequest)
    assert.deepEqual([type, data.message_id], ['delivered', id])
    await stays('no other request arrives', () => receiver.requests.length === 1, 500)
  })

  test(
    'delivers every event under one ID to a receiver that fails three times of ten',
    thorough('1.4 CPU s: many failed deliveries'),
    async () => {
      let seed = 7
      const random = (): number => {
        seed = (seed * 16_807) % 2_147_483_647
        return seed / 2_147_483_647
      }
      const accepted = new Map<string, string>()
      await start(({ headers, body }) => {
        if (random() < 0.3) return 500
        const { type, data } = JSON.parse(body)
        const key = `${data.message_id} ${type}`
        const before = accepted.get(key)
        assert.ok(before === undefined || before === headers['webhook-id'])
        accepted.set(key, String(headers['webhook-id']))
        return 200
      })
      const { webhook_id: id } = await create({ event_types: ['accepted', 'delivered'] })
      const ids = await Promise.all(Array.from({ length: 25 }, () => app.send()))
      await until('all deliveries are retried', async () => {
        // The test retries at once instead of waiting 5 s and one minute.
        for (const { delivery_id } of await deliveries(id, '?status=pending')) {
          await app.call('POST', `/v1/webhooks/${id}/deliveries/${delivery_id}/retry`)
        }
        return accepted.size === 50 || undefined
      })
      for (const messageId of ids) {
        for (const type of ['accepted', 'delivered']) assert.ok(accepted.has(`${messageId} ${type}`))
      }
      const repeated = (await deliveries(id, '?limit=200')).filter(({ attempt_count }) => attempt_count > 1)
      assert.ok(repeated.length > 0)
      assert.ok(repeated.every(({ attempts }) => attempts[0].status === 500))
    },
  )

  test('gets several events in one request if it accepts batches', async () => {
    await start()
    const { secret } = await create({ batch_size: 50, event_types: ['accepted'] })
    const ids = await Promise.all(Array.from({ length: 20 }, () => app.send()))
    const all = await until('the receiver has all events', async () => {
      const found = receiver.requests.flatMap((request) => verified(secret, request))
      return found.length >= 20 ? found : undefined
    })
    assert.deepEqual(all.map(({ data }) => data.message_id).sort(), ids.sort())
    assert.ok(receiver.requests.length < 20, `${receiver.requests.length} requests`)
  })

  test('that answers 410 is disabled, and its domain and account are informed', async () => {
    await start(() => 410)
    const { webhook_id: id } = await create()
    await app.send()
    const disabled = await until('the webhook is disabled', async () => {
      const { body } = await app.call('GET', `/v1/webhooks/${id}`)
      return body.enabled ? undefined : body
    })
    assert.equal(disabled.disabled_reason, 'gone')
    const events = await app.store.read.selectFrom('domain_events').select(['type', 'detail']).execute()
    const told = events.find(({ type }) => type === 'webhook_disabled')
    assert.equal(JSON.parse(told?.detail ?? '{}').webhook_id, id)
    const count = receiver.requests.length
    await app.send()
    await stays('no request arrives', () => receiver.requests.length === count, 800)
    receiver.script = () => 200
    const enabled = await app.call('PATCH', `/v1/webhooks/${id}`, { enabled: true })
    assert.deepEqual([enabled.body.enabled, enabled.body.failing_since], [true, null])
    const next = await app.send()
    await receiver.received(1, ({ body }) => body.includes(next))
  })

  test(
    'pauses after many failures, and continues where it stopped',
    thorough('0.9 CPU s: many failed deliveries'),
    async () => {
      await start(() => 500)
      const { webhook_id: id, secret } = await create({ event_types: ['accepted'] })
      const ids = await Promise.all(Array.from({ length: 40 }, () => app.send()))
      await receiver.received(10)
      const shown = async () => (await app.call('GET', `/v1/webhooks/${id}`)).body
      await until('the webhook is failing', async () => (await shown()).failing_since !== null)
      // A delivery may be retried during this time.
      const tried = () => new Set(receiver.requests.map(({ body }) => JSON.parse(body).data.message_id)).size
      await stays('the webhook is paused', () => tried() < 40, 1_000)
      const before = receiver.requests.length
      receiver.script = () => 200
      const got = await until('the receiver has every message', async () => {
        const after = receiver.requests.slice(before)
        const found = new Set(after.map((request) => verified(secret, request).data.message_id))
        return found.size === 40 ? found : undefined
      })
      assert.deepEqual([...got].sort(), ids.sort())
      // The receiver gets the last request a moment before its outcome is written.
      await until('the webhook no longer fails', async () => {
        const { body } = await app.call('GET', `/v1/webhooks/${id}`)
        return body.failing_since === null ? true : undefined
      })
    },
  )

  test('that has failed for three days is disabled, and its domain and account are informed', async () => {
    const clock = new LateClock()
    await start(() => 500, { clock })
    const { webhook_id: id } = await create({ event_types: ['accepted'] })
    await app.send()
    const show = async (): Promise<Answer['body']> => (await app.call('GET', `/v1/webhooks/${id}`)).body
    const since = await until('the webhook is failing', async () => (await show()).failing_since ?? undefined)
    // The webhook is still enabled after almost three days of failures.
    clock.behindMs -= 3 * DAY_MS - 3_600_000
    await receiver.received(receiver.requests.length + 1)
    assert.deepEqual([(await show()).enabled, (await show()).failing_since], [true, since])
    clock.behindMs -= 7_200_000
    const disabled = await until('the webhook is disabled', async () => {
      const webhook = await show()
      return webhook.enabled ? undefined : webhook
    })
    assert.equal(disabled.disabled_reason, 'failing')
    assert.ok(Date.parse(disabled.disabled_at) - Date.parse(since) >= 3 * DAY_MS)
    const events = await app.store.read.selectFrom('domain_events').select(['type', 'detail']).execute()
    const told = events.find(({ type }) => type === 'webhook_disabled')
    assert.deepEqual(JSON.parse(told?.detail ?? '{}').reason, 'failing')
    const owner = await Person.loggedIn(app)
    const { data } = (await owner.call('GET', '/api/problems')).body
    const problem = data.find(({ kind }: { kind: string }) => kind === 'webhook_disabled')
    assert.match(problem?.title, /every attempt failed for three days/)
  })

  test('gets a time range once more, under the same IDs', async () => {
    await start()
    const { webhook_id: id } = await create({ event_types: ['accepted'] })
    await Promise.all(Array.from({ length: 5 }, () => app.send()))
    const first = await receiver.received(5)
    const path = `/v1/webhooks/${id}/replay`
    await until('five deliveries are recorded', async () =>
      (await deliveries(id)).length === 5 ? true : undefined,
    )
    const started = await app.call('POST', path, { from: new Date(Date.now() - 3_600_000).toISOString() })
    assert.deepEqual([started.status, started.body.replaying], [202, true])
    const all = await receiver.received(10)
    const idsOf = (requests: ReceivedRequest[]) => requests.map(({ headers }) => headers['webhook-id']).sort()
    assert.deepEqual(idsOf(all.slice(5)), idsOf(first))
    await until('the replay has ended', async () => {
      const { body } = await app.call('GET', `/v1/webhooks/${id}`)
      return body.replaying ? undefined : true
    })
    assert.equal(receiver.requests.length, 10)
  })

  test('signs with the previous secret as well during a rotation', async () => {
    await start()
    const { webhook_id: id, secret } = await create({ event_types: ['accepted'] })
    const path = `/v1/webhooks/${id}/rotate-secret`
    const { body: rotated } = await app.call('POST', path, { previous_valid_for_seconds: 600 })
    assert.notEqual(rotated.secret, secret)
    assert.equal(rotated.secrets.length, 2)
    await app.send()
    const [request] = (await receiver.received(1)) as [ReceivedRequest]
    verified(secret, request)
    verified(rotated.secret, request)
    const { body: again } = await app.call('POST', path, { previous_valid_for_seconds: 0 })
    assert.equal(again.secrets.length, 1)
    await app.send()
    const [, last] = (await receiver.received(2)) as [ReceivedRequest, ReceivedRequest]
    verified(again.secret, last)
    assert.throws(() => verified(rotated.secret, last))
  })
})
