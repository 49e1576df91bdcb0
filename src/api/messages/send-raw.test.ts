// Tests POST /v1/messages/raw: the envelope, the options, the same repairs and refusals as by SMTP, and repetitions.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { RawSmtpClient } from '../../../test/support/raw-smtp-client.ts'

const MAIL = { 'content-type': 'message/rfc822' }
const FROM = 'From: Shop <hello@example.test>\r\n'
const LONG = 'x'.repeat(1_200)

describe('POST /v1/messages/raw', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_SMTPS_PORT: '0' } })
  })
  after(() => app.stop())

  const post = (message: string, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
    app.call('POST', `/v1/messages/raw${query}`, Buffer.from(message, 'latin1'), { ...MAIL, ...headers })

  const sent = async (message: string, query = '', headers = {}): Promise<Answer['body']> => {
    const { status, body, headers: answered } = await post(message, query, headers)
    assert.equal(status, 202, JSON.stringify(body))
    assert.deepEqual(Object.keys(body), ['message_id', 'status'])
    assert.equal(answered.get('location'), `/v1/messages/${body.message_id}`)
    return (await app.call('GET', `/v1/messages/${body.message_id}`)).body
  }
  const rawOf = async (id: string): Promise<string> => (await app.call('GET', `/v1/messages/${id}/raw`)).body

  test('sends to the addresses in the header, and keeps the message byte for byte', async () => {
    const header = `${FROM}To: Ann <ann@receiver.example>, bob@receiver.example\r\nCc: carl@receiver.example\r\n`
    const text = `${header}Bcc: dora@receiver.example\r\nSubject: Hi\r\nX-Kept:  a\r\n\r\none\r\n.\r\ntwo\r\n`
    const message = await sent(text)
    const emails = (role: 'to' | 'cc' | 'bcc') =>
      message[role].map((one: { email: string; name: string | null }) => [one.email, one.name])
    assert.deepEqual(
      [emails('to'), emails('cc'), emails('bcc')],
      [
        [
          ['ann@receiver.example', 'Ann'],
          ['bob@receiver.example', null],
        ],
        [['carl@receiver.example', null]],
        [['dora@receiver.example', null]],
      ],
    )
    assert.deepEqual(
      [message.subject, message.from, message.stream],
      ['Hi', 'hello@example.test', 'transactional'],
    )
    const raw = await rawOf(message.message_id)
    assert.match(raw, /^Received: by \S+ with HTTP id msg_/m)
    assert.ok(raw.includes(`${header}Subject: Hi\r\nX-Kept:  a\r\n`), raw)
    assert.ok(raw.endsWith('\r\n\r\none\r\n.\r\ntwo\r\n'))
    assert.doesNotMatch(raw, /dora/)
  })

  test('sends to the envelope of the query, with its stream and tags', async () => {
    const text = `${FROM}To: shown@other.example\r\nX-Tag: field\r\nX-Metadata-Order: 7\r\nSubject: x\r\n\r\nx\r\n`
    const query =
      '?from=bounce%40example.test&to=a%40receiver.example,b%40receiver.example&to=a%40receiver.example&tag=one&tag=two'
    const message = await sent(text, query)
    assert.deepEqual([message.tags, message.metadata], [['one', 'two'], { order: '7' }])
    assert.deepEqual(
      message.bcc.map(({ email }: { email: string }) => email),
      ['a@receiver.example', 'b@receiver.example'],
    )
    assert.deepEqual((await sent(text)).tags, ['field'])
    const { status, body } = await post(text, '?stream=none')
    assert.deepEqual([status, body.errors[0].path, body.errors[0].code], [422, 'stream', 'not_found'])
    const template = { alias: 'raw', name: 'Raw', subject: 'For {{name}}', text: 'Dear {{name}}' }
    assert.equal((await app.call('POST', '/v1/templates', template)).status, 201)
    const model = 'X-Template-Alias: raw\r\nX-Template-Model: {"name":"Ann"}\r\n'
    const filled = await sent(`${FROM}To: a@receiver.example\r\n${model}\r\n`, '?tag=filled')
    assert.deepEqual([filled.subject, filled.tags], ['For Ann', ['filled']])
  })

  test('repairs and refuses the same messages as the submission port, and names the line and the remedy', async () => {
    const client = await RawSmtpClient.loggedIn(app.app.smtpsPort as number, app.playground)
    const rest = 'To: a@receiver.example\r\nSubject: s\r\n'
    const signed = `${rest}Content-Type: multipart/signed; boundary=b\r\n\r\n--b\r\n\r\n`
    const cases: [what: string, message: string, status: number, line?: number][] = [
      ['long lines', `${FROM}${rest}X-Long: ${'a '.repeat(900)}\r\n\r\n${LONG}\r\n`, 202],
      ['no From', `${rest}\r\nx\r\n`, 202],
      ['a Latin-1 subject', `${FROM}To: a@receiver.example\r\nSubject: gr\xfcn\r\n\r\nx\r\n`, 202],
      ['no header', 'only text\r\n', 202],
      ['a bare LF', `${FROM}${rest}\r\none\ntwo\r\n`, 422, 5],
      ['a bare CR in the header', `From: hello@example.test\rX: y\r\n${rest}\r\nx\r\n`, 422, 1],
      ['a NUL', `${FROM}${rest}\r\na\r\n\0\r\n`, 422, 6],
      ['a foreign From', `To: a@receiver.example\r\nFrom: app@other.example\r\n\r\nx\r\n`, 403, 2],
      ['a foreign Sender', `${FROM}Sender: app@other.example\r\n${rest}\r\nx\r\n`, 403, 2],
      ['two authors', `From: hello@example.test, b@example.test\r\n${rest}\r\nx\r\n`, 422],
      ['a line that is no field', `${FROM}what is this\r\n${rest}\r\nx\r\n`, 202],
      ['a long line under a signature', `${FROM}${signed}${LONG}\r\n--b--\r\n`, 422, 8],
      [
        'a long line under a large signature',
        `${FROM}${signed}${'y\r\n'.repeat(1e5)}${LONG}\r\n`,
        422,
        100_008,
      ],
      ['a loop', `${'Received: x\r\n'.repeat(51)}${FROM}${rest}\r\nx\r\n`, 422],
      ['an unknown option', `${FROM}${rest}X-Track-Opens: maybe\r\n\r\nx\r\n`, 422],
      ['too large a header', `${FROM}${rest}${`X: ${'y'.repeat(900)}\r\n`.repeat(120)}\r\nx\r\n`, 413],
    ]
    for (const [what, message, expected, line] of cases) {
      const reply = await client.deliver('hello@example.test', ['a@receiver.example'], message)
      const { status, body } = await post(message, '?from=hello%40example.test&to=a%40receiver.example')
      assert.equal(status, expected, `${what}: ${JSON.stringify(body)}`)
      assert.equal(/^250/.test(reply), status === 202, `${what}: ${reply}`)
      if (status === 202) continue
      const text = reply.replace(/^\d{3} [\d.]+ /, '')
      assert.ok(body.detail.replace(/[^ -~]+/g, '?').includes(text), `${what}: ${body.detail} / ${text}`)
      assert.equal(body.errors?.[0].line, line, `${what}: ${JSON.stringify(body)}`)
      if (line !== undefined) assert.ok(body.detail.toLowerCase().includes(`line ${line}`), body.detail)
    }
    client.vanish()
    const { body } = await post(`${FROM}${rest}\r\none\ntwo\r\n`)
    assert.match(body.detail, /Line 5: .*; end every line with CRLF\.$/)
  })

  test('refuses a wrong envelope, another media type, and a missing body', async () => {
    const invalid = async (message: string, query: string): Promise<string[]> => {
      const { status, body } = await post(message, query)
      assert.equal(status, 422, JSON.stringify(body))
      return body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    }
    const text = `${FROM}Subject: s\r\n\r\nx\r\n`
    assert.deepEqual(await invalid(text, ''), ['to required'])
    assert.deepEqual(await invalid('Subject: s\r\n\r\n', '?to=a%40b.example'), ['from required'])
    const unread = `${FROM}To: a@receiver.example, Bob\r\nCc: nobody:;\r\n\r\nx\r\n`
    assert.deepEqual(await invalid(unread, ''), ['To invalid_email'])
    assert.deepEqual(await invalid(text, '?from=no&to=a%40b.example,no'), [
      'from invalid_email',
      'to[1] invalid_email',
    ])
    const many = Array.from({ length: 51 }, (_, index) => `a${index}%40b.example`).join(',')
    assert.deepEqual(await invalid(text, `?to=${many}`), ['to too_many_recipients'])
    assert.deepEqual(await invalid(text, '?nonesuch=1'), ['nonesuch unknown_field'])
    const json = await app.call('POST', '/v1/messages/raw?to=a%40b.example', { subject: 's' })
    assert.deepEqual([json.status, json.body.code], [400, 'malformed_request'])
    assert.match(json.body.detail, /Content-Type: message\/rfc822/)
    assert.equal((await post('')).status, 400)
    assert.equal((await app.call('POST', '/v1/messages', Buffer.from(text), MAIL)).status, 400)
    const foreign = await post(text, '?from=a%40other.example&to=a%40b.example')
    assert.deepEqual([foreign.status, foreign.body.code], [403, 'domain_not_permitted'])
    const authorization = `Bearer ${app.playground.verification_key}`
    assert.equal((await post(text, '', { authorization })).status, 403)
  })

  test('a management key sends from the domain of the envelope sender', async () => {
    const authorization = `Bearer ${await managementKey(app)}`
    const text = `${FROM}To: a@receiver.example\r\n\r\nx\r\n`
    assert.equal((await post(text, '', { authorization })).status, 202)
    const { status, body } = await post(text, '?from=a%40other.example', { authorization })
    assert.deepEqual([status, body.code], [403, 'domain_not_permitted'])
  })

  test('a repetition gets the first response, also with another boundary, and other content is refused', async () => {
    const key = { 'idempotency-key': 'raw-1' }
    const mixed = (boundary: string, text: string) =>
      `${FROM}To: a@receiver.example\r\nContent-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n\r\n${text}\r\n--${boundary}--\r\n`
    const first = await post(mixed('one', 'x'), '', key)
    assert.equal(first.status, 202)
    assert.deepEqual((await post(mixed('two', 'x'), '', key)).body, first.body)
    for (const [message, query] of [
      [mixed('one', 'y'), ''],
      [mixed('one', 'x'), '?tag=t'],
      [mixed('one', 'x'), '?to=b%40receiver.example'],
    ] as const) {
      const { status, body } = await post(message, query, key)
      assert.deepEqual([status, body.errors[0].code], [422, 'key_reused'])
    }
    const inField = `X-Idempotency-Key: raw-1\r\n${mixed('one', 'x')}`
    assert.deepEqual((await post(inField)).body, first.body)
  })
})
