// Each message has one trace, from the request to its last attempt, on any node and after any restart.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../support/app.ts'
import { RawSmtpClient } from '../../support/raw-smtp-client.ts'
import { createTenant } from '../../support/tenant.ts'
import { thorough } from '../../support/thorough.ts'
import { type CollectedSpan, TraceCollector } from '../../support/trace-collector.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`
const ERROR = 2
const ACCEPTING = 'api,smtp,dashboard'
const ALL = 'api,smtp,delivery,webhooks,dashboard'

describe('traces', () => {
  let app: TestApp
  let collector: TraceCollector
  beforeEach(async () => {
    collector = await TraceCollector.start()
  })
  afterEach(async () => {
    await app.stop()
    await collector.stop()
  })

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    app = await TestApp.start({
      env: { POSTRIDER_TRACES_URL: collector.url, POSTRIDER_HOSTNAME: 'node1.test', ...env },
      host: {
        script: ({ verb, address }) =>
          verb === 'RCPT' && address.startsWith('gone') ? '550 5.1.1 unknown' : undefined,
      },
    })
  }

  const traceOf = (messageId: string): CollectedSpan[] =>
    collector.spans.filter(({ traceId }) => traceId === hash('sha256', messageId).slice(0, 32))
  const named = (spans: readonly CollectedSpan[], name: string): CollectedSpan[] =>
    spans.filter((span) => span.name === name)

  test('a message accepted by one node and delivered by another is one trace, without private data', async () => {
    await start({ POSTRIDER_ROLES: ACCEPTING })
    const fields = {
      from: 'hello@example.test',
      to: [{ email: 'private-name@receiver.example' }, { email: 'gone-name@receiver.example' }],
      subject: 'A private subject',
      text: 'A private text',
    }
    const { body } = await app.call('POST', '/v1/messages', fields, { traceparent })
    const id: string = body.message_id
    await app.stopNode()
    await app.startNode({ POSTRIDER_ROLES: ALL, POSTRIDER_HOSTNAME: 'node2.test' })
    await app.messageIn(id, 'delivered', 'bounced')
    await app.stopNode()
    const spans = traceOf(id)
    const [accepted, again] = named(spans, 'accept')
    assert.ok(accepted !== undefined && again === undefined)
    assert.equal(accepted.parentSpanId, undefined)
    assert.deepEqual(
      accepted.links.map(({ traceId, spanId }) => ({ traceId, spanId })),
      [CALLER],
    )
    assert.equal(accepted.attributes['messaging.message.id'], id)
    assert.equal(accepted.attributes['postrider.recipients'], 2)
    const attempts = named(spans, 'deliver')
    assert.equal(attempts.length, 2)
    assert.ok(attempts.every(({ parentSpanId }) => parentSpanId === accepted.spanId))
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, 3)
    for (const { attributes, status } of attempts) {
      const isGone = attributes['postrider.recipient'] === 1
      assert.equal(attributes['postrider.outcome'], isGone ? 'bounced' : 'delivered')
      assert.equal(attributes['postrider.smtp_code'], isGone ? 550 : 250)
      assert.equal(attributes['server.address'], 'mx.test')
      assert.equal(status.code ?? 0, isGone ? ERROR : 0)
    }
    const nodes = spans.map(({ name, resource }) => `${name} ${resource['service.instance.id']}`)
    assert.deepEqual(nodes.sort(), ['accept node1.test', 'deliver node2.test', 'deliver node2.test'])
    for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
      assert.ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano))
      assert.ok(Math.abs(Number(BigInt(endTimeUnixNano) / 1_000_000n) - Date.now()) < 600_000)
    }
    assert.doesNotMatch(collector.text, /private|gone-name/i)
  })

  test(
    'each message begins a trace by any interface, and a repeated request begins none',
    thorough('0.8 CPU s: a collector that never answers'),
    async () => {
      await start({ POSTRIDER_SMTPS_PORT: '0' })
      const once = { traceparent, 'idempotency-key': 'once' }
      const request = (email: string): object => ({
        from: 'hello@example.test',
        to: [{ email }],
        subject: 'Hello',
        text: 'Hello.',
      })
      const post = (): Promise<Answer> =>
        app.call('POST', '/v1/messages', request('a@receiver.example'), once)
      const first = await post()
      assert.equal((await post()).body.message_id, first.body.message_id)
      const batch = JSON.stringify([
        request('b@receiver.example'),
        request('not an address'),
        request('c@receiver.example'),
      ])
      const { body: many } = await app.call('POST', '/v1/messages/batch', batch, { traceparent })
      const client = await RawSmtpClient.loggedIn(app.app.smtpsPort as number, app.playground)
      const reply = await client.deliver(
        'hello@example.test',
        ['d@receiver.example'],
        'From: hello@example.test\r\n\r\nHello',
      )
      client.vanish()
      const lines = [
        { from: 'hello@example.test', subject: 'Hello', text: 'Hello.' },
        { to: 'e@receiver.example' },
        { to: 'f@receiver.example' },
      ]
      const bulk = await app.call('POST', '/v1/bulk', lines.map((line) => JSON.stringify(line)).join('\n'), {
        'content-type': 'application/x-ndjson',
      })
      assert.equal(bulk.status, 202, JSON.stringify(bulk.body))
      const ids: string[] = []
      while (ids.length < 2) {
        const { body } = await app.call('GET', `/v1/bulk/${bulk.body.bulk_id}/rows`)
        const made = body.data.flatMap(({ message_id }: { message_id: string | null }) => message_id ?? [])
        ids.splice(0, ids.length, ...made)
      }
      ids.push(
        first.body.message_id,
        many.data[0].message_id,
        many.data[2].message_id,
        reply.slice(-30).trim(),
      )
      for (const id of ids) await app.messageIn(id, 'delivered')
      await app.stopNode()
      for (const id of ids) {
        const spans = traceOf(id).map(({ name }) => name)
        assert.deepEqual(spans.sort(), ['accept', 'deliver'], id)
      }
      assert.equal(collector.spans.length, 2 * ids.length)
      assert.equal(traceOf(many.data[2].message_id).flatMap(({ links }) => links).length, 1)
    },
  )

  test('a message beyond the allowance has no span', async () => {
    await start()
    const { sendingKey, domain } = await createTenant(app.store, { allowance: 1 })
    const message = {
      from: `hello@${domain.name}`,
      to: [{ email: 'a@receiver.example' }],
      subject: 'Hello',
      text: 'Hello.',
    }
    const headers = { authorization: `Bearer ${sendingKey}` }
    const { body } = await app.call('POST', '/v1/messages/batch', [message, message], headers)
    assert.equal(body.data[1].error.code, 'sending_allowance_exhausted')
    await app.stopNode()
    assert.deepEqual(
      named(collector.spans, 'accept').map(({ attributes }) => attributes['messaging.message.id']),
      [body.data[0].message_id],
    )
  })

  test("a verification is a span of the caller's trace", async () => {
    await start()
    const headers = { authorization: `Bearer ${app.playground.verification_key}` }
    const verify = (more: Record<string, string>): Promise<Answer> =>
      app.callWith('GET', '/v1/verifyEmail?email=private-name@receiver.example', undefined, {
        ...headers,
        ...more,
      })
    const { body } = await verify({ traceparent })
    await verify({ traceparent: 'nonsense' })
    await app.stopNode()
    const [traced, alone] = collector.spans
    assert.equal(collector.spans.length, 2)
    assert.deepEqual([traced?.traceId, traced?.parentSpanId], [CALLER.traceId, CALLER.spanId])
    assert.equal(traced?.attributes['postrider.result'], body.result)
    assert.ok(alone !== undefined && alone.traceId !== CALLER.traceId && alone.parentSpanId === undefined)
    assert.doesNotMatch(collector.text, /private/)
  })

  test('requests to receivers of webhooks belong to the trace of their message', async () => {
    const receiver = await WebhookReceiver.start((_request, _response, count) => (count === 1 ? 500 : 204))
    try {
      await start({ POSTRIDER_WEBHOOK_HTTP: 'yes' })
      const hook = { url: `${receiver.url}?private=token`, event_types: ['sending', 'delivered'] }
      const { status, body: webhook } = await app.call('POST', '/v1/webhooks', hook)
      assert.equal(status, 201, JSON.stringify(webhook))
      const id = await app.send()
      await receiver.received(2)
      await app.stopNode()
      const [accepted] = named(traceOf(id), 'accept')
      const told = named(traceOf(id), 'webhook').sort(
        (one, other) => Number(one.startTimeUnixNano) - Number(other.startTimeUnixNano),
      )
      assert.ok(told.every(({ parentSpanId }) => parentSpanId === accepted?.spanId))
      assert.ok(told.every(({ attributes }) => attributes['postrider.webhook_id'] === webhook.webhook_id))
      const [failed, delivered] = told.map(({ attributes }) => attributes)
      assert.deepEqual(
        [
          failed?.['http.response.status_code'],
          failed?.['postrider.outcome'],
          failed?.['postrider.event_type'],
        ],
        [500, 'pending', 'sending'],
      )
      assert.deepEqual(
        [delivered?.['http.response.status_code'], delivered?.['server.address']],
        [204, '127.0.0.1'],
      )
      assert.doesNotMatch(collector.text, /private/)
    } finally {
      await receiver.stop()
    }
  })

  test(
    'half of the messages send all spans, and the others none',
    thorough('0.9 CPU s: a collector that never answers'),
    async () => {
      await start({ POSTRIDER_TRACES_ONE_IN: '2' })
      const ids = await Promise.all(Array.from({ length: 40 }, () => app.send()))
      for (const id of ids) await app.messageIn(id, 'delivered')
      await app.stopNode()
      const counts = ids.map((id) => traceOf(id).length)
      assert.deepEqual([...new Set(counts)].sort(), [0, 2])
      assert.equal(
        counts.reduce((sum, count) => sum + count),
        collector.spans.length,
      )
    },
  )

  test(
    'a collector that refuses or never answers prevents neither deliveries nor the stop of the node',
    thorough('2 CPU s: a collector that never answers'),
    async () => {
      await start()
      for (const script of [() => 503, () => undefined]) {
        collector.receiver.script = script
        await app.messageIn(await app.send(), 'delivered')
        await app.stopNode()
        await app.startNode()
      }
    },
  )
})
