// Tests the status codes of POST /v1/messages, and that a refusal stores nothing.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { cpuWatch } from '../../../test/support/cpu-time.ts'

const GOOD = {
  from: 'hello@example.test',
  to: [{ email: 'you@receiver.example' }],
  subject: 'Hello',
  text: 'Hello.',
}

describe('POST /v1/messages', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())

  const post = (body: object | string | Buffer, headers?: Record<string, string>): Promise<Answer> =>
    app.call('POST', '/v1/messages', body, headers)

  const stored = async (): Promise<number> => {
    const { rows } = await app.store.read
      .selectFrom('messages')
      .select('id')
      .execute()
      .then((rows) => ({ rows }))
    return rows.length
  }

  /** Asserts that a request is refused with this status and code, and that nothing was stored. */
  async function refused(answer: Promise<Answer>, status: number, code: string): Promise<Answer['body']> {
    const before = await stored()
    const { status: got, body, headers } = await answer
    assert.equal(got, status, JSON.stringify(body))
    assert.equal(body.code, code)
    assert.equal(body.status, status)
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/)
    assert.equal(headers.get('x-request-id'), body.request_id)
    assert.equal(body.type, `urn:problem-type:postrider:${code}`)
    assert.ok(body.title.length > 0 && body.detail.length > 0)
    assert.equal(await stored(), before)
    return body
  }

  const invalid = async (fields: object, ...expected: [path: string, code: string][]): Promise<void> => {
    const body = await refused(post({ ...GOOD, ...fields }), 422, 'validation_failed')
    const got = body.errors.map((error: { path: string; code: string }) => [error.path, error.code])
    assert.deepEqual(got, expected, JSON.stringify(body.errors))
  }

  test('202 with the ID, its location, the rate and a request ID', async () => {
    const { status, body, headers } = await post(GOOD)
    assert.equal(status, 202)
    assert.match(body.message_id, /^msg_[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.equal(body.status, 'queued')
    assert.equal(headers.get('location'), `/v1/messages/${body.message_id}`)
    assert.match(headers.get('x-request-id') ?? '', /^req_/)
    assert.match(headers.get('ratelimit') ?? '', /^"key";r=\d+;t=\d+$/)
    assert.match(headers.get('ratelimit-policy') ?? '', /^"key";q=1000;w=1$/)
  })

  test('202 with every field that there is', async () => {
    const { status, body } = await post({
      ...GOOD,
      from_name: 'Hello',
      to: [{ email: 'you@receiver.example', name: 'You' }],
      cc: [{ email: 'cc@receiver.example' }],
      bcc: [{ email: 'bcc@receiver.example' }],
      reply_to: { email: 'reply@example.test', name: 'Reply' },
      html: '<p>Hello</p>',
      headers: { 'X-One': 'two' },
      attachments: [{ filename: 'a.txt', content: 'YQ==', content_type: 'text/plain', content_id: 'a' }],
      stream: 'transactional',
      tag: 'welcome',
      metadata: { order: '1' },
      template_model: { name: 'Ann' },
      track_opens: false,
      track_links: false,
    })
    assert.equal(status, 202, JSON.stringify(body))
    const shown = (await app.call('GET', `/v1/messages/${body.message_id}`)).body
    assert.equal(shown.tag, 'welcome')
    assert.deepEqual(shown.metadata, { order: '1' })
    assert.equal(shown.cc[0].email, 'cc@receiver.example')
    assert.equal(shown.bcc[0].email, 'bcc@receiver.example')
  })

  test('400 for what is not a JSON object in UTF-8', async () => {
    for (const body of ['', '{', '{"a":1', '[]', '"text"', 'null', '5', '\ufeff', '['.repeat(100_000)]) {
      await refused(post(body), 400, 'malformed_request')
    }
    await refused(post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 400, 'malformed_request')
    const gzip = { 'content-encoding': 'gzip' }
    const compressed = await refused(post(gzipSync(JSON.stringify(GOOD)), gzip), 400, 'malformed_request')
    assert.match(compressed.detail, /without Content-Encoding: gzip/)
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'text/json',
    ]) {
      await refused(post(JSON.stringify(GOOD), { 'content-type': type }), 400, 'malformed_request')
    }
    for (const key of ['', 'ü'.repeat(3), 'x'.repeat(256)]) {
      if (key === 'üüü') continue // `fetch` refuses this header value
      await refused(post(GOOD, { 'idempotency-key': key }), 400, 'malformed_request')
    }
  })

  test('401 without a key, with a wrong one, and with an SMTP password', async () => {
    const keys = ['', 'Bearer', 'Bearer x', `Basic ${app.playground.sending_key}`, app.playground.sending_key]
    for (const authorization of [...keys, `Bearer ${app.playground.smtp.password}`]) {
      const answer = await post(GOOD, { authorization })
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
      await refused(Promise.resolve(answer), 401, 'authentication_failed')
    }
  })

  test('403 for a key of the other kind, before the fields are looked at, after the JSON is', async () => {
    const authorization = `Bearer ${app.playground.verification_key}`
    await refused(post({ wrong: 1 }, { authorization }), 403, 'key_kind_not_permitted')
    await refused(post('{', { authorization }), 400, 'malformed_request')
  })

  test('403 for another domain, after the fields were looked at', async () => {
    for (const from of ['a@other.test', 'a@sub.example.test', 'a@example.test.evil.test', 'a@xample.test']) {
      await refused(post({ ...GOOD, from }), 403, 'domain_not_permitted')
    }
    await invalid({ from: 'a@other.test', to: [{ email: 'no' }] }, ['to[0].email', 'invalid_email'])
  })

  test('an address that is named several times gets the message once', async () => {
    const you = { email: 'twice@receiver.example' }
    const { body } = await post({ ...GOOD, to: [you, you, { email: 'twice@RECEIVER.example' }], cc: [you] })
    const shown = (await app.call('GET', `/v1/messages/${body.message_id}`)).body
    assert.equal(shown.to.length + shown.cc.length, 1)
  })

  test('an address of the API that cannot be decoded is a problem document too', async () => {
    for (const path of ['/v1/messages/%zz', `/v1/messages/${'x'.repeat(9_000)}`]) {
      const { status, body, headers } = await app.call('GET', path)
      assert.ok(status === 400 || status === 404, String(status))
      assert.match(headers.get('content-type') ?? '', /problem\+json/)
      assert.match(body.code, /^(malformed_request|not_found)$/)
      if (path.includes('%')) assert.match(body.detail, /%25/)
    }
  })

  test('413 for a body over 10 MiB', async () => {
    await refused(post({ ...GOOD, text: 'x'.repeat(11 * 1024 * 1024) }), 413, 'body_too_large')
  })

  test('422 for missing fields, wrong types and unknown fields, all at once and with a remedy', async () => {
    const body = await refused(
      post({ fron: 'x', to: 'a@b.example', subject: 5, html: null }),
      422,
      'validation_failed',
    )
    const byPath = new Map(
      body.errors.map((error: { path: string; message: string }) => [error.path, error.message]),
    )
    assert.deepEqual([...byPath.keys()].sort(), ['from', 'fron', 'html', 'subject', 'to'])
    assert.match(byPath.get('fron') as string, /did you mean from\?/)
    await invalid({ __proto__: null, constructor: { x: 1 } }, ['constructor', 'unknown_field'])
    await refused(post(`{"__proto__":{"x":1},${JSON.stringify(GOOD).slice(1)}`), 422, 'validation_failed')
  })

  test('422 for a reply_to names what is wrong within it', async () => {
    await invalid(
      { reply_to: { emial: 'a@b.example' } },
      ['reply_to.email', 'required'],
      ['reply_to.emial', 'unknown_field'],
    )
    await invalid(
      { reply_to: [{ email: 'a@b.example', nmae: 'A' }, { email: 'no' }] },
      ['reply_to[0].nmae', 'unknown_field'],
      ['reply_to[1].email', 'invalid_email'],
    )
    await invalid({ reply_to: 'a@b.example' }, ['reply_to', 'invalid_type'])
  })

  test('422 for tracking that is neither true nor false', async () => {
    await invalid({ track_opens: 'yes' }, ['track_opens', 'invalid_type'])
  })

  test('422 for 0 and 51 recipients', async () => {
    const people = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ email: `a${index}@b.example` }))
    await invalid({ to: [] }, ['to', 'too_few'])
    await invalid({ to: people(51) }, ['to', 'too_many'])
    await invalid({ to: people(30), cc: people(11), bcc: people(10) }, ['to', 'too_many_recipients'])
    assert.equal((await post({ ...GOOD, to: people(30), cc: people(10), bcc: people(10) })).status, 202)
  })

  test('422 without html and text', async () => {
    await invalid({ text: undefined }, ['html', 'required'])
    await invalid({ text: '' }, ['html', 'required'])
  })

  test('422 for CR, LF and NUL in whatever goes into a header', async () => {
    for (const bad of ['\r\nBcc: evil@evil.example', 'a\nb', 'a\rb', 'a\0b']) {
      await invalid({ subject: bad }, ['subject', 'invalid_characters'])
      await invalid({ from_name: bad }, ['from_name', 'invalid_characters'])
      await invalid({ tag: bad }, ['tag', 'invalid_characters'])
      await invalid({ to: [{ email: 'a@b.example', name: bad }] }, ['to[0].name', 'invalid_characters'])
      await invalid({ reply_to: { email: 'a@b.example', name: bad } }, [
        'reply_to.name',
        'invalid_characters',
      ])
      await invalid({ headers: { 'X-A': bad } }, ['headers.X-A', 'invalid_characters'])
      const file = { filename: bad, content: 'YQ==' }
      await invalid({ attachments: [file] }, ['attachments[0].filename', 'invalid_characters'])
      await invalid({ to: [{ email: `a@b.example${bad}` }] }, ['to[0].email', 'invalid_email'])
      await invalid({ from: `a@example.test${bad}` }, ['from', 'invalid_email'])
    }
  })

  test('422 for headers that the service owns, names that are none, and values beyond measure', async () => {
    for (const name of [
      'From',
      'bcc',
      'DKIM-Signature',
      'Return-Path',
      'Content-Type',
      'Resent-From',
      'ARC-Seal',
    ]) {
      await invalid({ headers: { [name]: 'x' } }, [`headers.${name}`, 'header_not_permitted'])
    }
    for (const name of ['', 'a b', 'a:b', 'ä', 'a\n']) {
      const body = await refused(post({ ...GOOD, headers: { [name]: 'x' } }), 422, 'validation_failed')
      assert.equal(body.errors[0].code, 'invalid_header_name')
    }
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`X-${index}`, 'x']))
    await invalid({ headers: many }, ['headers', 'too_many_headers'])
    await invalid({ headers: { 'X-A': 'x'.repeat(8_193) } }, ['headers.X-A', 'too_long'])
    await invalid({ subject: 'ü'.repeat(500) }, ['subject', 'too_long'])
  })

  test('202 for an attachment of any media type that there is', async () => {
    for (const type of [
      // The longest media type of office documents has a subtype of 61 characters.
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
      'text/calendar ; charset=utf-8; method=REQUEST',
      `application/${'x'.repeat(127)}`,
      "application/!#$&-^_.+'",
    ]) {
      const attachments = [{ filename: 'a', content: 'YQ==', content_type: type }]
      const { status, body } = await post({ ...GOOD, attachments })
      assert.equal(status, 202, JSON.stringify(body))
    }
  })

  test('422 for attachments that cannot be read, and never a file or URL of ours', async () => {
    const attachment = { filename: 'a', content: 'YQ==' }
    await invalid({ attachments: [{ ...attachment, content: '%' }] }, [
      'attachments[0].content',
      'invalid_base64',
    ])
    await invalid({ attachments: [{ ...attachment, content: 'YQ=' }] }, [
      'attachments[0].content',
      'invalid_base64',
    ])
    const type = 'text/html\r\nX: y'
    const inline = { ...attachment, content_id: 'logo' }
    await invalid({ attachments: [inline, attachment, inline] }, [
      'attachments[2].content_id',
      'duplicate_content_id',
    ])
    await invalid({ attachments: [{ ...attachment, content_type: type }] }, [
      'attachments[0].content_type',
      'invalid_content_type',
    ])
    for (const field of ['path', 'href', 'raw']) {
      await invalid({ attachments: [{ ...attachment, [field]: '/etc/passwd' }] }, [
        `attachments[0].${field}`,
        'unknown_field',
      ])
    }
    await invalid({ attachments: [{ filename: 'a', content: { path: '/etc/passwd' } }] }, [
      'attachments[0].content',
      'invalid_type',
    ])
  })

  test('422 for metadata and tags beyond measure', async () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v']))
    await invalid({ metadata: many }, ['metadata', 'too_many_keys'])
    await invalid({ metadata: { a: 'x'.repeat(16_384) } }, ['metadata', 'too_long'])
    await invalid({ metadata: { a: 1 } }, ['metadata.a', 'invalid_type'])
    await invalid({ tag: 'x'.repeat(65) }, ['tag', 'too_long'])
  })

  test('a hostile number of wrong items is answered at once, and in few words', async () => {
    const used = cpuWatch()
    await refused(post(`{"to":[${'1,'.repeat(3_000_000)}1]}`), 400, 'malformed_request')
    await refused(post(`{"to":[${'1,'.repeat(400_000)}1]}`), 422, 'validation_failed')
    const many = Array.from({ length: 100_000 }, () => ({ email: 'x' }))
    const body = await refused(
      post({ ...GOOD, to: many, ['x'.repeat(1_000_000)]: 1 }),
      422,
      'validation_failed',
    )
    assert.ok(JSON.stringify(body).length < 50_000)
    assert.ok(used() < 3_000, `${used()} ms`)
  })

  test('the same Idempotency-Key gets the same answer, another body 422', async () => {
    const headers = { 'idempotency-key': 'order-1' }
    const first = await post(GOOD, headers)
    assert.equal(first.status, 202)
    const before = await stored()
    const again = await post(GOOD, headers)
    assert.equal(again.status, 202)
    assert.deepEqual(again.body, first.body)
    assert.equal(await stored(), before)
    const body = await refused(post({ ...GOOD, text: 'other' }, headers), 422, 'validation_failed')
    assert.equal(body.errors[0].path, 'Idempotency-Key')
    const quoted = await post(GOOD, { 'idempotency-key': '"order-1"' })
    assert.deepEqual(quoted.body, first.body, 'a structured-field string is the same key')
  })

  test('of a hundred parallel requests with one Idempotency-Key one is accepted; the others get its answer or 409', async () => {
    const before = await stored()
    const headers = { 'idempotency-key': 'order-2' }
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(GOOD, headers)))
    const ids = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.message_id))
    assert.equal(ids.size, 1)
    assert.ok(answers.every(({ status }) => status === 202 || status === 409))
    assert.equal(await stored(), before + 1)
  })

  test('what is not HTTP gets an answer and the server lives on', async () => {
    const { hostname, port } = new URL(app.app.url)
    for (const bytes of [
      '\0\0\0\r\n\r\n',
      'EHLO x\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    ]) {
      const answer = await new Promise<string>((resolve) => {
        let text = ''
        const socket = connect(Number(port), hostname, () => socket.write(bytes))
        socket.on('data', (chunk) => {
          text += chunk
        })
        socket.on('close', () => resolve(text))
      })
      assert.match(answer, /^HTTP\/1\.1 400 /)
    }
    assert.equal((await post(GOOD)).status, 202)
  })
})

describe('limits of POST /v1/messages', () => {
  test('429 with Retry-After when a key asks too often, and before the body is read', async () => {
    const app = await TestApp.start({ env: { POSTRIDER_SENDING_RATE: '3/h', POSTRIDER_ROLES: 'api' } })
    try {
      for (let count = 0; count < 3; count++)
        assert.equal((await app.call('POST', '/v1/messages', GOOD)).status, 202)
      const { status, body, headers } = await app.call('POST', '/v1/messages', '{')
      assert.equal(status, 429)
      assert.equal(body.code, 'rate_limit_exceeded')
      assert.ok(Number(headers.get('retry-after')) > 1_000)
      assert.match(headers.get('ratelimit') ?? '', /^"key";r=0;/)
      assert.deepEqual(body['violated-policies'], ['key'])
    } finally {
      await app.stop()
    }
  })

  test('429 when an address fails to authenticate too often', async () => {
    const app = await TestApp.start({ env: { POSTRIDER_AUTH_FAILURE_RATE: '5/h', POSTRIDER_ROLES: 'api' } })
    try {
      const statuses: number[] = []
      for (let count = 0; count < 7; count++) {
        statuses.push((await app.call('POST', '/v1/messages', GOOD, { authorization: 'Bearer x' })).status)
      }
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
      assert.equal((await app.call('POST', '/v1/messages', GOOD)).status, 202, 'a real key still works')
    } finally {
      await app.stop()
    }
  })
})
