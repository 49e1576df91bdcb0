// The operator's API: an operator can list, retry, cancel, pause and resume the queue over HTTP, with a separate token.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { answerTo } from '../support/mail-host/script.ts'

const TOKEN = 'an-operator-token-of-forty-characters-xx'

describe('the operator API', { concurrency: 1 }, () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_OPERATOR_TOKEN: TOKEN, POSTRIDER_AUTH_FAILURE_RATE: '12/h' },
      host: { script: answerTo('RCPT', '451 4.3.0 not now') },
    })
  })
  after(() => app.stop())

  const call = (method: string, path: string, body?: object, token = TOKEN): Promise<Answer> =>
    app.call(method, `/v1/operator/queue${path}`, body, { authorization: `Bearer ${token}` })

  test('shows the settings in force with their sources, and no secret', async () => {
    const settings = (token: string): Promise<Answer> =>
      app.call('GET', '/v1/operator/settings', undefined, { authorization: `Bearer ${token}` })
    const { status, body } = await settings(TOKEN)
    assert.equal(status, 200)
    const of = (name: string) =>
      body.data.find((one: { readonly name: string }) => one.name === `POSTRIDER_${name}`)
    assert.deepEqual(
      [of('OPERATOR_TOKEN').value, of('OPERATOR_TOKEN').source, of('AUTH_FAILURE_RATE').value],
      ['set', 'environment', '12/h'],
    )
    assert.deepEqual([of('ROLES').source, of('MODE').default], ['default', 'playground'])
    assert.ok(!JSON.stringify(body).includes(TOKEN))
    const reader = await managementKey(app, { scopes: ['operator:read'] })
    assert.deepEqual((await settings(reader)).body, body)
    const other = await managementKey(app)
    await refused(settings(other), 403, 'scope_not_permitted')
  })

  async function deferred(email: string): Promise<string> {
    const id = await app.send({ to: [{ email }] })
    await app.messageIn(id, 'deferred')
    return id
  }

  const refused = async (answer: Promise<Answer>, status: number, code: string): Promise<void> => {
    const { status: got, body } = await answer
    assert.deepEqual([got, body.code], [status, code])
  }

  test('shows the queue by destination, page by page, with its pauses', async () => {
    const first = await deferred('a@one.example')
    await deferred('b@one.example')
    await deferred('a@two.example')
    await deferred('a@three.example')
    await call('POST', '/pause', { destination: 'Two.EXAMPLE' })
    const { body } = await call('GET', '')
    assert.deepEqual(
      body.data.map((line: { destination: string; recipients: number; paused: boolean }) => [
        line.destination,
        line.recipients,
        line.paused,
      ]),
      [
        ['one.example', 2, false],
        ['three.example', 1, false],
        ['two.example', 1, true],
      ],
    )
    assert.equal(body.data[0].oldest_message_id, first)
    const { body: message } = await app.call('GET', `/v1/messages/${first}`)
    assert.equal(body.data[0].oldest_at, message.created_at)
    assert.ok(Date.parse(body.data[0].next_attempt_at) > Date.now())
    assert.equal(body.data[0].in_attempt, 0)
    assert.partialDeepStrictEqual(body.paused, [{ kind: 'destination', value: 'two.example' }])
    assert.equal(body.next_cursor, null)

    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body: page } = await call('GET', `?limit=1${cursor}`)
      seen.push(...page.data.map((line: { destination: string }) => line.destination))
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    assert.deepEqual(seen, ['one.example', 'three.example', 'two.example'])
    await refused(call('GET', '?cursor=nonsense'), 400, 'malformed_request')
  })

  test('shows waiting recipients, filtered and page by page, and the attempts of a message', async () => {
    const emails = async (query: string): Promise<string[]> => {
      const { status, body } = await call('GET', `/recipients?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.data.map((one: { email: string }) => one.email)
    }
    assert.deepEqual((await emails('destination=one.example')).sort(), ['a@one.example', 'b@one.example'])
    assert.equal((await emails('domain=example.test&stream=transactional')).length, 4)
    assert.deepEqual(await emails('stream=broadcast'), [])
    const { body } = await call('GET', '/recipients?destination=two.example')
    assert.partialDeepStrictEqual(body.data[0], {
      email: 'a@two.example',
      domain: 'example.test',
      stream: 'transactional',
      status: 'deferred',
      attempts: 1,
      in_attempt: false,
      smtp_code: 451,
    })
    const id = body.data[0].message_id
    assert.deepEqual(await emails(`message_id=${id}`), ['a@two.example'])
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body: page } = await call('GET', `/recipients?limit=3${cursor}`)
      seen.push(...page.data.map((one: { email: string }) => one.email))
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    assert.equal(new Set(seen).size, 4)
    const { body: shown } = await call('GET', `/messages/${id}`)
    assert.match(shown.recipients[0].attempts[0].transcript, /RCPT TO:<a@two\.example>/)
    await refused(call('GET', '/recipients?message_id=msg_nothing'), 404, 'not_found')
    await refused(call('GET', '/recipients?domain=mistyped.test'), 404, 'not_found')
    await refused(call('GET', '/recipients?destination=a%20b'), 422, 'validation_failed')
    await refused(call('GET', '/messages/msg_nothing'), 404, 'not_found')
  })

  test('retries and cancels the selected recipients, and nothing by accident', async () => {
    app.host.script = undefined
    const { body: listed } = await call('GET', '/recipients?destination=one.example')
    const [one, other] = listed.data.map((row: { message_id: string }) => row.message_id)
    assert.deepEqual((await call('POST', '/retry', { message_id: one })).body, { recipients: 1 })
    await app.messageIn(one, 'delivered')
    assert.deepEqual((await call('POST', '/cancel', { destination: 'one.example' })).body, { recipients: 1 })
    const cancelled = await app.messageIn(other, 'cancelled')
    assert.deepEqual(cancelled.events.at(-1).detail, { by: 'operator' })
    await refused(call('POST', '/cancel', { message_id: other }), 409, 'conflict')
    for (const body of [{}, { all: true, destination: 'two.example' }, { all: false }, { mesage_id: other }])
      await refused(call('POST', '/cancel', body), 422, 'validation_failed')
    await refused(call('POST', '/retry', { message_id: 'msg_nothing' }), 404, 'not_found')
  })

  test('does not send scheduled mail early by a retry', async () => {
    const id = await app.send({ send_at: new Date(Date.now() + 3_600_000).toISOString() })
    await refused(call('POST', '/retry', { message_id: id }), 409, 'conflict')
    assert.equal((await app.call('GET', `/v1/messages/${id}`)).body.status, 'scheduled')
    assert.deepEqual((await call('POST', '/cancel', { message_id: id })).body, { recipients: 1 })
  })

  test('resumes a pause', async () => {
    await refused(call('POST', '/pause', {}), 422, 'validation_failed')
    await refused(call('POST', '/pause', { destination: 'a.test', stream: 'b' }), 422, 'validation_failed')
    await refused(call('POST', '/pause', { domain: 'mistyped.test' }), 404, 'not_found')
    await refused(call('POST', '/resume', { stream: 'transactional' }), 404, 'not_found')
    const { body: listed } = await call('GET', '/recipients?destination=two.example')
    const id = listed.data[0].message_id
    assert.deepEqual((await call('POST', '/retry', { stream: 'transactional' })).body, { recipients: 2 })
    await app.messageIn(await app.send(), 'delivered')
    assert.notEqual((await app.call('GET', `/v1/messages/${id}`)).body.status, 'delivered')
    const resumed = await call('POST', '/resume', { destination: 'two.example' })
    assert.deepEqual(resumed.body, { kind: 'destination', value: 'two.example', paused: false })
    await app.messageIn(id, 'delivered')
  })

  test('is documented under its own tag and its own credential', async () => {
    const { body } = await app.call('GET', '/v1/openapi.json')
    const operation = body.paths['/v1/operator/queue/retry'].post
    assert.deepEqual(operation.tags, ['Operator'])
    assert.deepEqual(operation.security, [{ operator: ['operator:write'] }])
  })

  test('is closed to everyone else, and guesses are counted', async () => {
    await refused(app.call('GET', '/v1/operator/queue'), 403, 'key_kind_not_permitted')
    const stranger = { authorization: `Bearer send_${'x'.repeat(43)}` }
    const { status, body, headers } = await app.call('GET', '/v1/operator/queue', undefined, stranger)
    assert.deepEqual([status, body.code], [401, 'authentication_failed'])
    assert.equal(headers.get('www-authenticate'), 'Bearer')
    await refused(
      app.call('GET', '/v1/messages', undefined, { authorization: `Bearer ${TOKEN}` }),
      401,
      'authentication_failed',
    )
    const guesses = await Promise.all(
      Array.from({ length: 15 }, (_, index) => call('GET', '', undefined, `${TOKEN}${index}`)),
    )
    const statuses = guesses.map((answer) => answer.status)
    assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429])
    assert.equal((await call('GET', '')).status, 200)
  })
})

test('does not exist without a token', async () => {
  const app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  try {
    for (const authorization of ['Bearer ', 'Bearer undefined', `Bearer ${app.playground.sending_key}`]) {
      const { status, body } = await app.call('GET', '/v1/operator/queue', undefined, { authorization })
      assert.deepEqual([status, body.code], [404, 'not_found'])
    }
  } finally {
    await app.stop()
  }
})
