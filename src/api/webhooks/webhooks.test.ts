// Tests the status codes of the endpoints of webhooks, and their owners.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { WebhookReceiver } from '../../../test/support/webhook-receiver.ts'

describe('webhooks', () => {
  let app: TestApp
  let receiver: WebhookReceiver
  before(async () => {
    receiver = await WebhookReceiver.start()
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api', POSTRIDER_WEBHOOK_HTTP: 'yes' } })
  })
  after(async () => {
    await app.stop()
    await receiver.stop()
  })

  const url = 'https://app.example.com/hook'
  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    app.call(method, `/v1/webhooks${path}`, body)
  async function refused(answer: Promise<Answer>, status: number, code: string): Promise<Answer['body']> {
    const { status: got, body } = await answer
    assert.equal(got, status, JSON.stringify(body))
    assert.equal(body.code, code)
    return body
  }
  const invalid = async (
    answer: Promise<Answer>,
    ...expected: [path: string, code: string][]
  ): Promise<void> => {
    const { status, body } = await answer
    assert.equal(status, 422, JSON.stringify(body))
    assert.deepEqual(
      body.errors.map((one: { path: string; code: string }) => [one.path, one.code]),
      expected,
    )
  }
  const made: string[] = []
  async function create(fields: object = {}): Promise<Answer['body']> {
    for (const id of made.splice(0)) await call('DELETE', `/${id}`)
    const body = await ok(call('POST', '', { url, ...fields }), 201)
    made.push(body.webhook_id)
    return body
  }

  test('201 with the secret, which is never shown again', async () => {
    const fields = {
      ...{
        name: 'Shop',
        format: 'sendgrid',
        event_types: ['bounced', 'delivered'],
        streams: ['transactional'],
      },
      ...{ tags: ['welcome'], batch_size: 100, basic_auth: { username: 'shop', password: 'secret words' } },
    }
    const { secret, ...body } = await create(fields)
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.match(body.webhook_id, /^whk_[0-9A-HJKMNP-TV-Z]{26}$/)
    const { basic_auth: _, ...same } = fields
    for (const [name, value] of Object.entries(same)) assert.deepEqual(body[name], value)
    assert.deepEqual([body.enabled, body.basic_auth_username, body.failing_since], [true, 'shop', null])
    assert.deepEqual(await ok(call('GET', `/${body.webhook_id}`)), body)
    assert.deepEqual((await ok(call('GET', ''))).data, [body])
    const [row] = await app.store.read.selectFrom('webhooks').select('secrets').execute()
    assert.ok(row !== undefined)
  })

  test('a PATCH changes the given fields', async () => {
    const { webhook_id: id, secret: _, updated_at, ...before } = await create({ tags: ['a'] })
    const changed = await ok(call('PATCH', `/${id}`, { name: 'N', event_types: ['bounced'], enabled: false }))
    assert.deepEqual(
      { ...changed, webhook_id: 0, updated_at: 0, disabled_at: 0 },
      {
        ...{ ...before, webhook_id: 0, updated_at: 0, disabled_at: 0 },
        ...{ name: 'N', event_types: ['bounced'], enabled: false, disabled_reason: 'manual' },
      },
    )
    assert.ok(changed.updated_at >= updated_at)
    assert.equal((await ok(call('PATCH', `/${id}`, { enabled: true }))).enabled, true)
    await ok(call('PATCH', `/${id}`, {}))
    await invalid(call('PATCH', `/${id}`, { secret: 'x' }), ['secret', 'unknown_field'])
  })

  test('422 for a stream that the domain does not have, unless the webhook already names it', async () => {
    const { webhook_id: id } = await create()
    const wrong = ['streams[1]', 'not_found'] as [string, string]
    await invalid(call('POST', '', { url, streams: ['broadcast', 'brodcast'] }), wrong)
    await invalid(call('PATCH', `/${id}`, { streams: ['broadcast', 'brodcast'] }), wrong)
    const { body } = await call('POST', '', { url, streams: ['brodcast'] })
    assert.match(
      body.errors[0].message,
      /^There is no stream "brodcast" in this domain; did you mean broadcast\?/,
    )
    await ok(app.call('POST', '/v1/streams', { alias: 'later', name: 'Later', kind: 'transactional' }), 201)
    await ok(call('PATCH', `/${id}`, { streams: ['later'] }))
    assert.equal((await app.call('DELETE', '/v1/streams/later')).status, 204)
    const changed = await ok(call('PATCH', `/${id}`, { streams: ['later', 'transactional'] }))
    assert.deepEqual(changed.streams, ['later', 'transactional'])
  })

  test('422 for URLs that are not allowed, and for events that a format cannot express', async () => {
    const post = (fields: object) => call('POST', '', { url, ...fields })
    for (const wrong of [
      ...[
        'no url',
        'ftp://a.example/',
        'javascript:alert(1)',
        'https://user:pass@a.example/',
        'https://a.example/#x',
      ],
      ...[
        'https://a.example:25/',
        'http://10.0.0.1/',
        'http://[fd00::1]/',
        'https://169.254.169.254/latest',
        'http://0/',
      ],
    ]) {
      await invalid(post({ url: wrong }), ['url', 'invalid_url'])
    }
    await invalid(post({ url: `https://a.example/${'x'.repeat(2_100)}` }), ['url', 'too_long'])
    await invalid(post({ format: 'mailgun', batch_size: 2 }), ['batch_size', 'invalid_value'])
    await invalid(post({ format: 'postmark', event_types: ['delivered', 'deferred'] }), [
      'event_types[1]',
      'invalid_value',
    ])
    await invalid(post({ format: 'xml' }), ['format', 'invalid_value'])
    const { errors } = await refused(post({ format: 'ses' }), 422, 'validation_failed')
    assert.equal(
      errors[0].message,
      'The value must be one of standard, postmark, sendgrid, mailgun, resend, postal, usesend.',
    )
    await invalid(post({ batch_size: 0 }), ['batch_size', 'invalid_value'])
    await invalid(
      post({ name: 'a\0', tags: ['b\n'] }),
      ['name', 'invalid_characters'],
      ['tags[0]', 'invalid_characters'],
    )
    await invalid(post({ basic_auth: { username: 'a:b', password: 'c' } }), [
      'basic_auth.username',
      'invalid_characters',
    ])
    await invalid(post({ colour: 'red' }), ['colour', 'unknown_field'])
    await invalid(call('POST', '', {}), ['url', 'required'])
    const { webhook_id: ofTypes } = await create({ event_types: ['delivered', 'sending'] })
    await invalid(call('PATCH', `/${ofTypes}`, { format: 'postmark' }), ['event_types[1]', 'invalid_value'])
    await ok(call('PATCH', `/${ofTypes}`, { format: 'postmark', event_types: ['delivered'] }))
    const { webhook_id: id } = await create({ batch_size: 5 })
    await invalid(call('PATCH', `/${id}`, { format: 'mailgun' }), ['batch_size', 'invalid_value'])
    await invalid(call('POST', `/${id}/replay`, { from: 'yesterday' }), ['from', 'invalid_time'])
    const [from, until] = ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z']
    await invalid(call('POST', `/${id}/replay`, { from, until }), ['until', 'invalid_value'])
    await invalid(call('POST', `/${id}/rotate-secret`, { previous_valid_for_seconds: -1 }), [
      'previous_valid_for_seconds',
      'invalid_value',
    ])
  })

  test('a test is sent at once, shown among the deliveries, and not repeated', async () => {
    const { webhook_id: id } = await create({
      url: receiver.url,
      basic_auth: { username: 'u', password: 'p:w' },
    })
    const sent = await ok(call('POST', `/${id}/test`, { event_type: 'bounced' }))
    assert.deepEqual([sent.status, sent.test, sent.attempts[0].status], ['delivered', true, 204])
    const [request] = receiver.requests.splice(0)
    assert.equal(JSON.parse(request?.body ?? '').type, 'bounced')
    assert.equal(request?.headers.authorization, `Basic ${Buffer.from('u:p:w').toString('base64')}`)
    receiver.script = (_, response) => {
      response.statusCode = 500
      response.end(`no${'x'.repeat(5_000)}`)
      return undefined
    }
    const failed = await ok(call('POST', `/${id}/test`, {}))
    assert.deepEqual(
      [failed.status, failed.attempts[0].status, failed.next_attempt_at],
      ['failed', 500, null],
    )
    assert.equal(failed.attempts[0].answer.length, 1_000)
    const { data } = await ok(call('GET', `/${id}/deliveries?limit=1`))
    assert.deepEqual(data, [failed])
    assert.equal((await ok(call('GET', `/${id}/deliveries?status=delivered`))).data.length, 1)
    const retry = () => call('POST', `/${id}/deliveries/${failed.delivery_id}/retry`)
    assert.match((await refused(retry(), 409, 'conflict')).detail, /was a test/)
    await ok(call('PATCH', `/${id}`, { enabled: false }))
    assert.match((await refused(retry(), 409, 'conflict')).detail, /is disabled; enable it/)
    assert.equal((await ok(call('GET', `/${id}/deliveries/${failed.delivery_id}`))).request, null)
    await refused(call('GET', `/${id}/deliveries?cursor=x`), 400, 'malformed_request')
    await refused(call('GET', `/${id}/deliveries/whd_x`), 404, 'not_found')
  })

  test('409 for more than a domain may have, and for a replay of a disabled webhook', async () => {
    const { webhook_id: id } = await create()
    await ok(call('PATCH', `/${id}`, { enabled: false }))
    await refused(call('POST', `/${id}/replay`, { from: '2026-01-01T00:00:00Z' }), 409, 'conflict')
    for (let count = 1; count < 20; count++) await ok(call('POST', '', { url }), 201)
    await refused(call('POST', '', { url }), 409, 'conflict')
    const first = await ok(call('GET', '?limit=15'))
    const second = await ok(call('GET', `?cursor=${first.next_cursor}`))
    assert.deepEqual([first.data.length, second.data.length, second.next_cursor], [15, 5, null])
  })

  test('webhooks of one domain are not found by another', async () => {
    const [{ webhook_id: id }] = (await ok(call('GET', ''))).data
    const tenant = await createTenant(app.store)
    const headers = { authorization: `Bearer ${tenant.sendingKey}` }
    const asOther = (method: string, path = '', body?: object) =>
      app.call(method, `/v1/webhooks/${id}${path}`, body, headers)
    await refused(asOther('GET'), 404, 'not_found')
    await refused(asOther('PATCH', '', { name: 'x' }), 404, 'not_found')
    await refused(asOther('DELETE'), 404, 'not_found')
    await refused(asOther('POST', '/test', {}), 404, 'not_found')
    await refused(asOther('POST', '/rotate-secret', {}), 404, 'not_found')
    await refused(asOther('POST', '/replay', { from: '2026-01-01T00:00:00Z' }), 404, 'not_found')
    await refused(asOther('GET', '/deliveries'), 404, 'not_found')
    await refused(asOther('GET', '/deliveries/whd_x'), 404, 'not_found')
    await refused(asOther('POST', '/deliveries/whd_x/retry'), 404, 'not_found')
  })
})
