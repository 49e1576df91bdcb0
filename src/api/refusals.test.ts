// Tests that each refusal before an endpoint is reached is a problem document with a request ID.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../test/support/app.ts'
import { connectTo, exchangeRaw, readAnswer } from '../../test/support/raw-http.ts'

describe('before an endpoint is reached', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  })
  after(() => app.stop())

  const close = 'Host: a\r\nConnection: close\r\n'
  const INPUTS: Readonly<Record<string, [bytes: string, detail: RegExp]>> = {
    'bytes that are not HTTP': ['\0\0\0\r\n\r\n', /not HTTP/],
    'another protocol': ['EHLO client.test\r\n', /not HTTP/],
    'a method that is none': [`FROBNICATE / HTTP/1.1\r\n${close}\r\n`, /method/],
    'a method that nothing here takes': [
      `PROPFIND /v1/messages HTTP/1.1\r\n${close}\r\n`,
      /it takes POST, GET/,
    ],
    CONNECT: ['CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', /method/],
    'a header without end': [`GET / HTTP/1.1\r\n${close}X: ${'x'.repeat(20_000)}\r\n\r\n`, /16 KiB/],
    'an address without end': [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${close}\r\n`, /16 KiB/],
    'an address that cannot be decoded': [`GET /v1/%zz HTTP/1.1\r\n${close}\r\n`, /./],
    'a part of the path that is too long': [
      `GET /v1/messages/${'a'.repeat(5_000)} HTTP/1.1\r\n${close}\r\n`,
      /^A segment of the path has more than 4096 characters\.$/,
    ],
    'two lengths': [
      `GET / HTTP/1.1\r\n${close}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      /^There are two Content-Length fields; send one\.$/,
    ],
    'two lengths that are the same': [
      `GET / HTTP/1.1\r\n${close}Content-Length: 1\r\nContent-Length: 1\r\n\r\n`,
      /^There are two Content-Length fields; send one\.$/,
    ],
    'a length that is no number': [
      `POST /v1/messages HTTP/1.1\r\n${close}Content-Length: 3,3\r\n\r\n`,
      /^The Content-Length is not a number\.$/,
    ],
    'a length, then chunks': [
      `POST /v1/messages HTTP/1.1\r\n${close}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /^A request must not have both Content-Length and Transfer-Encoding\.$/,
    ],
    'chunks, then a length': [
      `POST /v1/messages HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`,
      /^A request must not have both Content-Length and Transfer-Encoding\.$/,
    ],
    'chunks that are compressed': [
      `POST /v1/messages HTTP/1.1\r\n${close}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
      /^The Transfer-Encoding must be chunked/,
    ],
    'no Host': ['GET /v1/messages HTTP/1.1\r\nConnection: close\r\n\r\n', /Host/],
    'a header name with a space': [`GET / HTTP/1.1\r\n${close}A B: c\r\n\r\n`, /header/],
  }
  for (const [what, [bytes, detail]] of Object.entries(INPUTS)) {
    test(`${what}: a problem document with a request ID`, async () => {
      const { status, headers, body } = await exchangeRaw(app.app.url, bytes)
      assert.ok(status === 400 || status === 405, `${status}`)
      assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/)
      const problem = JSON.parse(body)
      assert.match(problem.request_id, /^req_/)
      assert.equal(headers.get('x-request-id'), problem.request_id)
      assert.equal(problem.status, status)
      assert.equal(problem.type, `urn:problem-type:postrider:${problem.code}`)
      assert.equal(headers.get('link'), `<${app.app.url}/docs#${problem.code}>; rel="help"`)
      assert.match(problem.detail, detail)
    })
  }

  test('an unknown expectation is ignored', async () => {
    const request = `GET /v1/messages HTTP/1.1\r\n${close}Expect: miracles\r\n\r\n`
    assert.equal((await exchangeRaw(app.app.url, request)).status, 401)
  })

  test('bytes after a request do not replace its answer', async () => {
    const body = JSON.stringify({
      from: 'a@example.test',
      to: [{ email: 'b@c.test' }],
      subject: 's',
      text: 't',
    })
    const socket = connectTo(app.app.url)
    socket.write(
      `POST /v1/messages HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.playground.sending_key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}\0\0 what is this`,
    )
    assert.equal((await readAnswer(socket)).status, 202)
  })

  test('405 names the methods of an address', async () => {
    const wrong = await app.call('DELETE', '/v1/messages')
    assert.equal(wrong.status, 405)
    assert.equal(wrong.body.code, 'method_not_allowed')
    assert.deepEqual(wrong.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST'])
    const nothing = await app.call('GET', '/v1/massages')
    assert.equal(nothing.status, 404)
    assert.equal(nothing.headers.get('allow'), null)
    for (const path of [
      '/v1/massages',
      '/v1/message',
      '/messages',
      '/api/v1/messages',
      '/v1/v1/messages',
      '/v1/messages/',
    ]) {
      const { body } = await app.call('POST', path)
      assert.equal(body.detail, 'There is nothing at this address; did you mean /v1/messages?', path)
    }
    const { body: raw } = await app.call('GET', '/v1/message/msg_1/raw')
    assert.match(raw.detail, /did you mean \/v1\/messages\/\{message_id\}\/raw\?$/)
    const { body: other } = await app.call('GET', '/v1/something-else')
    assert.equal(other.detail, 'There is nothing at this address.')
  })

  test('a body without a recipient is not read', async () => {
    const { status, body } = await app.call('POST', '/v1/nothing', '{')
    assert.equal(status, 404)
    assert.equal(body.code, 'not_found')
  })

  test('fields that are given twice or named __proto__ are reported together with all others', async () => {
    const body =
      '{"from":"a@example.test","to":[{"email":"b@c.test","email":"d@e.test"}],"subjct":"s","text":"t","text":"u",' +
      '"metadata":{"__proto__":"x"},"template_model":{"a":{"b":1,"b":2}}}'
    const answer = await app.call('POST', '/v1/messages', body)
    assert.equal(answer.status, 422)
    const found = answer.body.errors.map(
      ({ path, code }: { path: string; code: string }) => `${code} ${path}`,
    )
    assert.deepEqual(found.sort(), [
      'duplicate_field template_model.a.b',
      'duplicate_field text',
      'duplicate_field to[0].email',
      'required subject',
      'unknown_field metadata.__proto__',
      'unknown_field subjct',
    ])
    const polluted = await app.call('POST', '/v1/messages', body.replace('__proto__', '\\u005f_proto__'))
    assert.deepEqual(polluted.body.errors, answer.body.errors)
  })

  test('field names are checked after the kind of the key', async () => {
    const { status } = await app.call('POST', '/v1/messages', '{"a":1,"a":2}', {
      authorization: `Bearer ${app.playground.verification_key}`,
    })
    assert.equal(status, 403)
  })
})
