// POST /v1/messages/batch accepts up to 500 messages in one request and one commit; each message is accepted or refused
// independently.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../support/app.ts'
import { createTenant } from '../support/tenant.ts'
import { thorough } from '../support/thorough.ts'

interface Item {
  readonly message_id?: string
  readonly status?: string
  readonly error?: {
    code: string
    status: number
    request_id: string
    errors?: { path: string; code: string }[]
  }
}

const good = (index: number, fields: object = {}): object => ({
  from: 'hello@example.test',
  to: [{ email: `r${index}@receiver.example` }],
  subject: `Message ${index}`,
  text: 'Hello.',
  ...fields,
})

describe('a batch', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())

  const post = (body: object | string, headers?: Record<string, string>): Promise<Answer> =>
    app.call('POST', '/v1/messages/batch', Array.isArray(body) ? JSON.stringify(body) : body, headers)

  const data = ({ body }: Answer): Item[] => body.data
  const stored = async (): Promise<number> =>
    (await app.store.read.selectFrom('messages').select('id').execute()).length

  test(
    'is answered in the order of its messages, and every message arrives',
    thorough('0.8 CPU s: a body of 40 MiB'),
    async () => {
      const answer = await post(Array.from({ length: 25 }, (_, index) => good(index)))
      assert.equal(answer.status, 200)
      const ids = data(answer).map((item) => item.message_id as string)
      assert.equal(new Set(ids).size, 25)
      assert.ok(data(answer).every((item) => item.status === 'queued' && Object.keys(item).length === 2))
      for (const [index, id] of ids.entries()) {
        const message = await app.messageIn(id, 'delivered')
        assert.equal(message.subject, `Message ${index}`)
        assert.equal(message.to[0].email, `r${index}@receiver.example`)
      }
    },
  )

  test('of 500 is accepted, and completely stored before the answer', async () => {
    const before = await stored()
    const answer = await post(Array.from({ length: 500 }, (_, index) => good(index)))
    assert.equal(data(answer).length, 500)
    assert.equal(await stored(), before + 500)
  })

  test('with wrong requests among right ones has independent results, each with its own paths', async () => {
    const before = await stored()
    const sendAt = new Date(Date.now() + 3_600_000).toISOString()
    const items = [
      good(0),
      good(1, { subject: undefined }),
      good(2, { from: 'x@elsewhere.test' }),
      good(3, { to: [{ email: 'nobody' }], sbject: 'x' }),
      'text',
      null,
      good(6, { send_at: sendAt }),
    ].map((item) => JSON.stringify(item))
    items[1] = (items[1] as string).replace('"text":"Hello."', '"text":"a","text":"b"')
    const answer = await post(`[${items.join()}]`)
    assert.equal(answer.status, 200)
    const shown = data(answer).map(({ status, error }) => [
      status ?? error?.code,
      error?.status,
      error?.errors?.map(({ path, code }) => `${code} ${path}`).sort(),
    ])
    assert.deepEqual(shown, [
      ['queued', undefined, undefined],
      ['validation_failed', 422, ['duplicate_field text', 'required subject']],
      ['domain_not_permitted', 403, ['domain_not_permitted from']],
      ['validation_failed', 422, ['invalid_email to[0].email', 'unknown_field sbject']],
      ['validation_failed', 422, ['invalid_type ']],
      ['validation_failed', 422, ['invalid_type ']],
      ['scheduled', undefined, undefined],
    ])
    assert.equal(data(answer)[1]?.error?.request_id, answer.headers.get('x-request-id'))
    assert.equal(await stored(), before + 2)
  })

  test('that is empty, too long, not an array or not JSON is refused as a whole', async () => {
    const before = await stored()
    const cases: [string, number, string][] = [
      ['[]', 422, 'validation_failed'],
      [JSON.stringify(Array.from({ length: 501 }, (_, index) => good(index))), 422, 'validation_failed'],
      [JSON.stringify(good(0)), 400, 'malformed_request'],
      ['[', 400, 'malformed_request'],
      ['', 400, 'malformed_request'],
    ]
    for (const [body, status, code] of cases) {
      const answer = await app.call('POST', '/v1/messages/batch', body, {
        'content-type': 'application/json',
      })
      assert.equal(answer.status, status, body.slice(0, 20))
      assert.equal(answer.body.code, code)
    }
    const { status } = await post([good(0)], { authorization: `Bearer ${app.playground.verification_key}` })
    assert.equal(status, 403)
    assert.equal(
      (await app.call('POST', '/v1/messages', [good(0)])).status,
      400,
      'and a single send is no array',
    )
    assert.equal(await stored(), before)
  })

  test(
    'may be larger than a single request, up to its own limit',
    thorough('2 CPU s: a body of 40 MiB'),
    async () => {
      const attachment = { filename: 'a.bin', content: 'A'.repeat(4 * 1024 * 1024) }
      const large = (count: number): object[] =>
        Array.from({ length: count }, (_, index) => good(index, { attachments: [attachment] }))
      const answer = await post(large(4))
      assert.equal(answer.status, 200)
      assert.ok(data(answer).every((item) => item.status === 'queued'))
      assert.equal((await post(large(13))).status, 413)
    },
  )

  test('with an Idempotency-Key is answered once, refusals included', async () => {
    const before = await stored()
    const headers = { 'idempotency-key': 'batch-1' }
    const items = [good(0), good(1, { to: [] }), good(2)]
    const first = await post(items, headers)
    const again = await post(items, headers)
    const withoutId = (answer: Answer): unknown =>
      data(answer).map(({ error, ...item }) => (error ? { ...error, request_id: '' } : item))
    assert.deepEqual(withoutId(again), withoutId(first))
    assert.equal(await stored(), before + 2)
    const other = await post([good(0)], headers)
    assert.equal(other.status, 422)
    assert.equal(other.body.errors[0].code, 'key_reused')
    const single = await app.call('POST', '/v1/messages', good(0), headers)
    assert.equal(single.status, 422)
    assert.equal((await post(items, { 'idempotency-key': 'ö' })).status, 400)
    assert.equal(await stored(), before + 2)
  })

  test(
    'is accepted once among many at once with one Idempotency-Key; the others get its answer or 409',
    thorough('1.0 CPU s: a body of 40 MiB'),
    async () => {
      const before = await stored()
      const items = Array.from({ length: 20 }, (_, index) => good(index))
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => post(items, { 'idempotency-key': 'batch-2' })),
      )
      assert.ok(answers.every(({ status }) => status === 200 || status === 409))
      const taken = answers.filter(({ status }) => status === 200).map(({ body }) => JSON.stringify(body))
      assert.equal(new Set(taken).size, 1)
      assert.equal(await stored(), before + 20)
    },
  )

  test('takes the allowance message by message', async () => {
    const tenant = await createTenant(app.store, { allowance: 3 })
    const from = `a@${tenant.domain.name}`
    const two = [{ email: 'a@b.example' }, { email: 'c@d.example' }]
    const items = [
      good(0, { from }),
      good(1, { from, to: two }),
      good(2, { from, to: two }),
      good(3, { from }),
    ]
    const answer = await post(items, {
      authorization: `Bearer ${tenant.sendingKey}`,
      'idempotency-key': 'few',
    })
    assert.deepEqual(
      data(answer).map(({ status, error }) => status ?? error?.code),
      ['queued', 'queued', 'sending_allowance_exhausted', 'sending_allowance_exhausted'],
    )
  })
})

describe('the rate limit', () => {
  test('counts each message of a batch; a batch larger than the remaining rate is accepted, and later requests wait', async () => {
    const app = await TestApp.start({ env: { POSTRIDER_SENDING_RATE: '10/h', POSTRIDER_ROLES: 'api' } })
    try {
      const items = (count: number): string =>
        JSON.stringify(Array.from({ length: count }, (_, index) => good(index)))
      const first = await app.call('POST', '/v1/messages/batch', items(4))
      assert.match(first.headers.get('ratelimit') ?? '', /^"key";r=6;/)
      const second = await app.call('POST', '/v1/messages/batch', items(16))
      assert.equal(second.status, 200)
      assert.match(second.headers.get('ratelimit') ?? '', /^"key";r=0;/)
      const third = await app.call('POST', '/v1/messages', good(0))
      assert.equal(third.status, 429)
      const wait = Number(third.headers.get('retry-after'))
      assert.ok(wait > 10 * 360 && wait <= 11 * 360, `the debt of ten and one more: ${wait} s`)
    } finally {
      await app.stop()
    }
  })
})
