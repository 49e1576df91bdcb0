// Tests that POST /v1/messages and similar endpoints accept JSON as common programs write it, even JSON that is not
// strict.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'

const GOOD = {
  from: 'app@example.test',
  to: [{ email: 'reader@example.net' }],
  subject: 'Hello',
  text: 'Hello',
}

let app: TestApp
before(async () => {
  app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
})
after(() => app.stop())

const post = (body: object | string | Buffer, headers?: Record<string, string>): Promise<Answer> =>
  app.call('POST', '/v1/messages', body, headers)

async function raw(answer: Answer): Promise<string> {
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  const { body } = await app.call('GET', `/v1/messages/${answer.body.message_id}/raw`)
  return String(body)
}

async function told(answer: Promise<Answer>, path: string): Promise<void> {
  const { status, body } = await answer
  assert.equal(status, 422, JSON.stringify(body))
  assert.ok(
    body.errors.some((error: { path: string }) => error.path === path),
    JSON.stringify(body.errors),
  )
}

describe('fields that say nothing are as left out', () => {
  const taken: Record<string, object> = {
    'null in optional fields': { cc: null, reply_to: null, tag: null, from_name: null },
    'an empty list for reply_to': { reply_to: [] },
    'null in all others': {
      ...{ bcc: null, html: null, headers: null, attachments: null, stream: null, metadata: null },
      ...{ require_tls: null, track_opens: null, send_at: null, template_id: null, template_model: null },
    },
    'empty lists in place of objects, as PHP writes them': { headers: [], metadata: [], template_model: [] },
    'null within a recipient, an attachment, headers and metadata': {
      to: [{ email: 'reader@example.net', name: null }],
      reply_to: [{ email: 'a@example.test', name: null }],
      attachments: [{ filename: 'a.txt', content: 'eA==', content_type: null, content_id: null }],
      headers: { 'X-A': null, 'X-B': 'b' },
      metadata: { order: null, shop: '1' },
    },
  }
  for (const [what, fields] of Object.entries(taken)) {
    test(what, async () => {
      const answer = await post({ ...GOOD, ...fields })
      assert.match(await raw(answer), /^Subject: Hello\r$/m)
      const shown = await app.call('GET', `/v1/messages/${answer.body.message_id}?include=content`)
      assert.equal(shown.status, 200)
      assert.ok(!JSON.stringify(shown.body.metadata).includes('null'))
    })
  }

  test('required ones are not, and neither are unknown ones', async () => {
    await told(post({ ...GOOD, to: null }), 'to')
    await told(post({ ...GOOD, from: null }), 'from')
    await told(post({ ...GOOD, subject: null }), 'subject')
    await told(post({ ...GOOD, to: [null] }), 'to[0]')
    await told(post({ ...GOOD, to: [{ email: null }] }), 'to[0].email')
    await told(post({ ...GOOD, unknown: null }), 'unknown')
    await told(post({ ...GOOD, text: null }), 'html')
  })

  test('in a batch and in the lines of a bulk', async () => {
    const batch = await app.call('POST', '/v1/messages/batch', [
      { ...GOOD, cc: null },
      { ...GOOD, tag: [] },
    ])
    assert.deepEqual(
      batch.body.data.map(({ status }: { status: string }) => status),
      ['queued', 'queued'],
    )
    const lines = [
      { from: GOOD.from, subject: 'a', text: 'b', stream: null, headers: [] },
      { to: 'reader@example.net', template_model: null, metadata: [] },
    ]
    const body = `\ufeff${lines.map((line) => JSON.stringify(line)).join('\n')}`
    const bulk = await app.call('POST', '/v1/bulk', body, { 'content-type': 'application/x-ndjson' })
    assert.equal(bulk.status, 202, JSON.stringify(bulk.body))
  })

  test('a model keeps its own', async () => {
    const draft = {
      subject: 's',
      html: '{{#if a}}x{{else}}none{{/if}}{{b.length}}',
      text: null,
      required: null,
    }
    const { body } = await app.call('POST', '/v1/render', { ...draft, template_model: { a: null, b: [] } })
    assert.equal(body.html, 'none0')
  })

  test('a change takes no null that its field does not know', async () => {
    await app.call('POST', '/v1/streams', { alias: 'news', name: 'News', kind: 'broadcast', headers: null })
    const { status } = await app.call('PATCH', '/v1/streams/news', { name: null })
    assert.equal(status, 422)
  })
})

describe('the bytes of a body', () => {
  const text = JSON.stringify({ ...GOOD, subject: 'Grüße' })
  const encoded = 'Subject: =?utf-8?B?R3LDvMOfZQ==?='
  const taken: Record<string, [body: Buffer, type?: string]> = {
    'a byte order mark': [Buffer.from(`\ufeff${text}`)],
    'UTF-16 with its mark': [Buffer.from(`\ufeff${text}`, 'utf16le')],
    'UTF-16 with its mark, the other way round': [Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    'a charset that is said': [Buffer.from(text, 'latin1'), 'application/json; charset=iso-8859-1'],
    'a charset that is said in quotes': [
      Buffer.from(text, 'latin1'),
      'application/json;charset="Windows-1252"',
    ],
    'a charset that is said and not meant': [Buffer.from(text), 'application/json; charset=iso-8859-1'],
    'a charset that nobody knows': [Buffer.from(text), 'application/json; charset=binary'],
  }
  for (const [what, [body, type = 'application/json']] of Object.entries(taken)) {
    test(what, async () =>
      assert.ok((await raw(await post(body, { 'content-type': type }))).includes(encoded)),
    )
  }

  test('a long one with a mark, which a thread reads', async () => {
    const long = JSON.stringify({ ...GOOD, text: 'x'.repeat(400_000), subject: 'Grüße' })
    assert.ok((await raw(await post(Buffer.from(`\ufeff${long}`)))).includes(encoded))
  })

  test('bytes of no charset are refused', async () => {
    assert.equal((await post(Buffer.from(text, 'latin1'))).status, 400)
    const type = { 'content-type': 'application/json; charset=utf-8' }
    assert.equal((await post(Buffer.from(text, 'latin1'), type)).status, 400)
  })
})

describe('base64', () => {
  const bytes = Buffer.from(Array.from({ length: 200 }, (_, index) => (index * 89) % 256))
  const strict = bytes.toString('base64')
  const taken: Record<string, string> = {
    'in lines of 76': strict.replace(/.{76}/g, '$&\n'),
    'in lines that end in CRLF, the last one too': `${strict.replace(/.{64}/g, '$&\r\n')}\r\n`,
    'in lines that are indented': strict.replace(/.{40}/g, '$&\n    '),
    'without padding': strict.replace(/=+$/, ''),
    'for URLs': bytes.toString('base64url'),
    'for URLs with padding': strict.replaceAll('+', '-').replaceAll('/', '_'),
  }
  for (const [what, content] of Object.entries(taken)) {
    test(what, async () => {
      const mail = await raw(await post({ ...GOOD, attachments: [{ filename: 'a.bin', content }] }))
      assert.ok(mail.replaceAll('\r\n', '').includes(strict))
    })
  }
  const refused: Record<string, string> = {
    'a data: URI': `data:application/pdf;base64,${strict}`,
    'blanks where plus signs were': strict.replaceAll('+', ' '),
    'one letter too many': `${strict.replace(/=+$/, '')}ab`,
    'padding in the middle': `eA==${strict}`,
    'both alphabets': '+_aa',
    'too much padding': 'eA===',
    'what is none': '%',
  }
  for (const [what, content] of Object.entries(refused)) {
    test(`not: ${what}`, () =>
      told(post({ ...GOOD, attachments: [{ filename: 'a.bin', content }] }), 'attachments[0].content'))
  }
})

describe('times', () => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const [day = '', minute = ''] = [tomorrow.slice(0, 10), tomorrow.slice(11, 16)]
  const at = Date.parse(`${day}T${minute}Z`)
  for (const text of [
    `${day}T${minute}Z`,
    `${day}t${minute}z`,
    `${day} ${minute}:00Z`,
    `${day} ${minute}:00 UTC`,
    `${day}T${minute}:00+0000`,
    `${day}T${minute}+00`,
    `${day}T${minute}:00.000000000Z`,
  ]) {
    test(text, async () => {
      const { body } = await post({ ...GOOD, send_at: text })
      assert.equal(body.status, 'scheduled', JSON.stringify(body))
      const shown = await app.call('GET', `/v1/messages/${body.message_id}`)
      assert.equal(Date.parse(shown.body.send_at), at)
    })
  }
  for (const text of [
    `${day}T${minute}`,
    `${day}`,
    `${day}T24:00Z`,
    `2027-02-30T12:00Z`,
    '1800000000',
    `${day}  ${minute}Z`,
  ]) {
    test(`not: ${text}`, () => told(post({ ...GOOD, send_at: text }), 'send_at'))
  }
})

describe('an Idempotency-Key', () => {
  let made = 0
  /** True if a request with the second body repeats the request with the first body. */
  async function isRepeat(first: string, second: string, path = '/v1/messages'): Promise<boolean> {
    const headers = { 'idempotency-key': `meaning-${++made}`, 'content-type': 'application/json' }
    const one = await app.call('POST', path, first, headers)
    const other = await app.call('POST', path, second, headers)
    assert.ok(one.status < 300, JSON.stringify(one.body))
    if (other.status === 422) return false
    assert.deepEqual(other.body, one.body)
    return true
  }
  const first =
    '{"from":"app@example.test","to":[{"email":"reader@example.net"}],"subject":"sü","text":"t","template_model":{"n":1.10,"o":{"a":1,"b":2}}}'
  const same: Record<string, string> = {
    'the order of the fields':
      '{"text":"t","template_model":{"o":{"b":2,"a":1},"n":1.10},"subject":"sü","to":[{"email":"reader@example.net"}],"from":"app@example.test"}',
    'white space': first.replaceAll(',', ' ,\n\t').replaceAll(':', ' : '),
    escapes: first.replace('sü', 's\\u00fc').replace('"text"', '"\\u0074ext"'),
    'the spelling of numbers': first.replace('1.10', '11e-1').replace('"a":1,', '"a":1.0,'),
    'fields that say nothing': `${first.slice(0, -1)},"cc":null,"bcc":[],"tag":null}`,
    'a byte order mark': `\ufeff${first}`,
  }
  for (const [what, second] of Object.entries(same)) {
    test(`makes no difference of ${what}`, async () => assert.equal(await isRepeat(first, second), true))
  }
  const others: Record<string, string> = {
    'another value': first.replace('"t"', '"u"'),
    'another order of a list': first.replace('[{', '[{"email":"a@example.net"},{'),
    'a text for a number': first.replace('1.10', '"1.10"'),
    'another number': first.replace('1.10', '1.100000000000000001'),
    'a field within another': first.replace('"o":{"a":1,"b":2}', '"o":{"a":1},"b":2'),
    'an empty text': `${first.slice(0, -1)},"tag":""}`,
  }
  for (const [what, second] of Object.entries(others)) {
    test(`tells ${what}`, async () => assert.equal(await isRepeat(first, second), false))
  }

  test('of a batch, of a long body and of another endpoint', async () => {
    const turned = (text: string): string =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).toReversed()), null, 1)
    assert.equal(await isRepeat(`[${first}]`, `[ ${turned(first)} ]`, '/v1/messages/batch'), true)
    const long = JSON.stringify({ ...GOOD, text: 'x'.repeat(600_000) })
    assert.equal(await isRepeat(long, turned(long)), true)
    assert.equal(await isRepeat(long, long.replace('xx"', 'xy"')), false)
    const stream = '{"alias":"k","name":"K","kind":"broadcast"}'
    assert.equal(await isRepeat(stream, turned(stream), '/v1/streams'), true)
  })

  test('of the lines of a bulk', async () => {
    const bulk = async (rows: string): Promise<Answer> =>
      app.call('POST', '/v1/bulk', `{"from":"app@example.test","subject":"a","text":"b"}\n${rows}`, {
        ...{ 'content-type': 'application/x-ndjson', 'idempotency-key': 'lines' },
      })
    const one = await bulk('{"to":"a@example.net","template_model":{"a":1}}')
    const other = await bulk('{ "template_model": {"a": 1}, "to": "a@example.net" }\n\n')
    assert.deepEqual([other.status, other.body], [202, one.body])
    assert.equal((await bulk('{"to":"b@example.net"}')).status, 422)
  })
})
