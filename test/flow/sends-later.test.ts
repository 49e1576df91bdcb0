// A message with `send_at` waits until this time, and is then delivered like any other message.

import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import type { TestAppOptions } from '../support/app.ts'
import { TestApp } from '../support/app.ts'
import { greylist } from '../support/mail-host/script.ts'
import { TestClock } from '../support/test-clock.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('a message with send_at', () => {
  let app: TestApp
  let clock: TestClock
  afterEach(() => app.stop())

  async function start(options: TestAppOptions = {}): Promise<void> {
    clock = new TestClock()
    app = await TestApp.start({ ...options, clock })
  }

  const inTime = (ms: number): string => new Date(clock.now() + ms).toISOString()

  const post = (fields: object, headers?: Record<string, string>) =>
    app.call(
      'POST',
      '/v1/messages',
      { from: 'a@example.test', to: [{ email: 'b@c.example' }], subject: 's', text: 't', ...fields },
      headers,
    )

  test('gets the same answer when it is repeated after its time', async () => {
    await start({ env: { POSTRIDER_ROLES: 'api' } })
    const sendAt = inTime(MINUTE)
    const answer = await post({ send_at: sendAt }, { 'idempotency-key': 'behind' })
    assert.equal(answer.status, 202)
    await app.advance(HOUR)
    const again = await post({ send_at: sendAt }, { 'idempotency-key': 'behind' })
    assert.deepEqual([again.status, again.body], [202, answer.body])
    assert.equal((await post({ send_at: sendAt }, { 'idempotency-key': 'new' })).status, 422)
  })

  test('is scheduled, waits, and is delivered with the date of its time', async () => {
    await start()
    const sendAt = inTime(3 * HOUR)
    const answer = await post({ send_at: sendAt }, { 'idempotency-key': 'later' })
    assert.equal(answer.status, 202)
    assert.deepEqual(Object.keys(answer.body), ['message_id', 'status'])
    assert.equal(answer.body.status, 'scheduled')
    const id = answer.body.message_id
    assert.deepEqual((await post({ send_at: sendAt }, { 'idempotency-key': 'later' })).body, answer.body)

    const { body: waiting } = await app.call('GET', `/v1/messages/${id}`)
    assert.equal(waiting.status, 'scheduled')
    assert.equal(waiting.send_at, sendAt)
    assert.equal(waiting.to[0].status, 'scheduled')
    assert.deepEqual(
      waiting.events.map(({ type, detail }: { type: string; detail: object }) => [type, detail]),
      [
        ['accepted', {}],
        ['scheduled', { send_at: sendAt }],
      ],
    )
    const { body: list } = await app.call('GET', '/v1/messages?status=scheduled')
    assert.deepEqual(
      list.data.map((one: { message_id: string }) => one.message_id),
      [id],
    )
    await app.advance(3 * HOUR - MINUTE)
    await app.settled()
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).body.status, 'scheduled')
    await app.advance(MINUTE)
    const sent = await app.messageIn(id, 'delivered')
    assert.deepEqual(
      sent.events.map((event: { type: string }) => event.type),
      ['accepted', 'scheduled', 'sending', 'delivered'],
    )
    const mail = (await app.host.nextMail()).data.toString()
    assert.equal(/^Date: (.*)\r$/m.exec(mail)?.[1], new Date(sendAt).toUTCString().replace('GMT', '+0000'))
    assert.match(mail, new RegExp(`[; ]t=${Date.parse(sendAt) / 1000}[;\\s]`))
  })

  test('that is deferred by the receiving host is retried by the schedule', async () => {
    await start({ host: { script: greylist() } })
    const { body } = await post({ send_at: inTime(DAY) })
    await app.advance(DAY)
    await app.messageIn(body.message_id, 'deferred')
    await app.advance(2 * MINUTE)
    await app.messageIn(body.message_id, 'delivered')
  })

  test('survives the end of the node', async () => {
    await start()
    const { body } = await post({ send_at: inTime(HOUR) })
    await app.stopNode()
    await app.advance(2 * HOUR)
    await app.startNode()
    await app.messageIn(body.message_id, 'delivered')
  })

  test('that has just passed is sent at once', async () => {
    await start()
    for (const ms of [0, -30_000]) {
      const { status, body } = await post({ send_at: inTime(ms) })
      assert.equal(status, 202)
      assert.equal(body.status, 'queued')
      const { body: message } = await app.call('GET', `/v1/messages/${body.message_id}`)
      assert.equal(message.send_at, null)
      await app.messageIn(body.message_id, 'delivered')
    }
  })

  const change = (id: string, send_at: unknown) => app.call('PATCH', `/v1/messages/${id}`, { send_at })
  const scheduled = async (ms: number, fields: object = {}): Promise<string> =>
    (await post({ send_at: inTime(ms), ...fields })).body.message_id

  test('gets another time, earlier or later, and is sent at that time', async () => {
    await start()
    const to = [{ email: 'a@c.example' }, { email: 'b@c.example' }]
    const [earlier, later] = [await scheduled(3 * HOUR, { to }), await scheduled(HOUR)]
    const sendAt = inTime(HOUR)
    const { status, body } = await change(earlier, sendAt)
    assert.deepEqual([status, body.status, body.send_at], [200, 'scheduled', sendAt])
    assert.deepEqual(
      body.events.map(({ type, detail }: { type: string; detail: { send_at?: string } }) => [
        type,
        detail.send_at === sendAt,
      ]),
      ['accepted', 'scheduled', 'accepted', 'scheduled', 'scheduled', 'scheduled'].map((type, index) => [
        type,
        index > 3,
      ]),
    )
    assert.deepEqual((await change(earlier, sendAt)).body, body, 'repeated')
    assert.equal((await change(later, inTime(30 * DAY - 1_000))).status, 200)
    await app.advance(HOUR)
    const sent = await app.messageIn(earlier, 'delivered')
    assert.equal(sent.to[1].status, 'delivered')
    const mail = (await app.host.nextMail()).data.toString()
    assert.equal(/^Date: (.*)\r$/m.exec(mail)?.[1], new Date(sendAt).toUTCString().replace('GMT', '+0000'))
    await app.settled()
    assert.equal((await app.call('GET', `/v1/messages/${later}`)).body.status, 'scheduled')
    await app.advance(30 * DAY)
    await app.messageIn(later, 'delivered')
  })

  test('is sent now by null, and by a time that has just passed', async () => {
    await start()
    for (const now of [null, inTime(-30_000)]) {
      const id = await scheduled(DAY)
      const { status, body } = await change(id, now)
      assert.deepEqual([status, body.send_at], [200, inTime(0)], JSON.stringify(body))
      await app.messageIn(id, 'delivered')
    }
  })

  test('keeps its time if the change is invalid, of another domain, or too late', async () => {
    await start()
    const id = await scheduled(HOUR)
    for (const [sendAt, code] of [
      [inTime(-2 * MINUTE), 'in_the_past'],
      [inTime(30 * DAY + 1_000), 'too_far_ahead'],
      ['tomorrow', 'invalid_type'],
      [undefined, 'required'],
    ] as const) {
      const { status, body } = await change(id, sendAt)
      const told = body.errors?.map((error: { path: string; code: string }) => [error.path, error.code])
      assert.deepEqual([status, told], [422, [['send_at', code]]], String(sendAt))
    }
    assert.equal((await change('msg_00000000000000000000000000', null)).status, 404)
    const reader = { authorization: `Bearer ${app.playground.verification_key}` }
    const path = `/v1/messages/${id}`
    assert.equal((await app.call('PATCH', path, { send_at: null }, reader)).status, 403)
    await app.advance(HOUR)
    await app.messageIn(id, 'delivered')
    const cancelled = await scheduled(HOUR)
    assert.equal((await app.call('POST', `/v1/messages/${cancelled}/cancel`)).status, 200)
    for (const late of [id, cancelled]) {
      const { status, body } = await change(late, inTime(HOUR))
      assert.deepEqual([status, body.code], [409, 'conflict'])
    }
  })

  test('is either changed or released, if both happen at the same time', async () => {
    await start()
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, index) => scheduled(HOUR, { to: [{ email: `r${index}@c.example` }] })),
    )
    await app.advance(HOUR)
    const answers = await Promise.all(ids.map((id) => change(id, inTime(DAY))))
    for (const [index, { status }] of answers.entries()) {
      assert.ok(status === 200 || status === 409, String(status))
      if (status === 409) await app.messageIn(ids[index] ?? '', 'delivered')
    }
    await app.settled()
    const { body } = await app.call('GET', '/v1/messages?status=scheduled')
    const changed = ids.filter((_, index) => answers[index]?.status === 200)
    assert.deepEqual(body.data.map((one: { message_id: string }) => one.message_id).sort(), changed.sort())
    assert.equal(app.host.mails.length, ids.length - changed.length)
  })

  test('that is invalid, has passed or is too far ahead is refused', async () => {
    await start()
    const wrong: [unknown, string][] = [
      ['tomorrow', 'invalid_time'],
      ['2026-01-02', 'invalid_time'],
      ['2026-01-02T10:00:00', 'invalid_time'],
      ['2026-02-30T10:00:00Z', 'invalid_time'],
      ['2026-01-02T25:00:00Z', 'invalid_time'],
      [`${inTime(HOUR)}\r\nBcc: x@y.test`, 'invalid_time'],
      [1_767_312_000, 'invalid_type'],
      [inTime(-2 * MINUTE), 'in_the_past'],
      [inTime(30 * DAY + 1_000), 'too_far_ahead'],
      ['9999-12-31T23:59:59Z', 'too_far_ahead'],
    ]
    for (const [sendAt, code] of wrong) {
      const { status, body } = await post({ send_at: sendAt })
      assert.equal(status, 422, String(sendAt))
      assert.deepEqual(
        body.errors.map((error: { path: string; code: string }) => [error.path, error.code]),
        [['send_at', code]],
        String(sendAt),
      )
    }
    const offset = new Date(clock.now() + 30 * DAY + 2 * HOUR - 1_000).toISOString().replace('Z', '+02:00')
    assert.equal((await post({ send_at: offset })).body.status, 'scheduled')
  })
})
