// Tests sending by Postmark's calls, and the form of Postmark's refusals.

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { newKeyAt } from '../../../test/support/key-conditions.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { settled } from '../../../test/support/store.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { setAccountStatus } from '../../store/access/accounts.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const HOST = 'pm.example.com'

describe("Postmark's calls for sending", () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_COMPAT_HOSTS: `postmark=${HOST}`, POSTRIDER_ROLES: 'api' } })
  })
  after(() => app.stop())

  const call = (
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    app.callWith(method, `/compat/postmark${path}`, body, {
      'x-postmark-server-token': app.playground.sending_key,
      ...headers,
    })
  const message = (more: object = {}): Record<string, unknown> => ({
    From: '"The Shop" <shop@example.test>',
    To: 'Ann <ann@receiver.test>, bob@receiver.test',
    Subject: 'Hello',
    HtmlBody: '<p>Hello</p>',
    TextBody: 'Hello',
    ...more,
  })
  const codeOf = ({ status, body }: Answer) => [status, body.ErrorCode]

  test('a message is accepted, and its answer has the form of Postmark', async () => {
    const { status, headers, body } = await call('POST', '/email', message())
    assert.equal(status, 200, JSON.stringify(body))
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.match(body.MessageID, UUID)
    assert.match(body.SubmittedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/)
    const { MessageID: _, SubmittedAt: __, ...rest } = body
    assert.deepEqual(rest, { To: 'Ann <ann@receiver.test>, bob@receiver.test', ErrorCode: 0, Message: 'OK' })
  })

  test('what Symfony and anymail send is accepted', async () => {
    const symfony = {
      ...{ From: 'shop@example.test', To: 'ann@receiver.test', Cc: '', Bcc: '', ReplyTo: '', Subject: 'Hi' },
      ...{ TextBody: null, HtmlBody: '<p>x</p>', Attachments: [], MessageStream: null },
    }
    assert.deepEqual(codeOf(await call('POST', '/email', symfony)), [200, 0])
    const anymail = {
      ...{ From: '"Shop, The" <shop@example.test>', To: '"Kurz, Olga" <olga@receiver.test>', Subject: 'Hi' },
      ...{ TextBody: 'x', Metadata: { user: 12345, vip: true }, Tag: 'a', TrackLinks: 'None' },
      Headers: [{ Name: 'X-Any', Value: 'mail' }],
    }
    assert.deepEqual(codeOf(await call('POST', '/email/', anymail)), [200, 0])
    const sent = await call('POST', '/EMAIL/Batch/', [anymail, symfony])
    assert.deepEqual(
      sent.body.map(({ To, ErrorCode }: { To: string; ErrorCode: number }) => [To, ErrorCode]),
      [
        ['"Kurz, Olga" <olga@receiver.test>', 0],
        ['ann@receiver.test', 0],
      ],
    )
  })

  test('fields without effect are named to the client and in the request log', async () => {
    const given = message({ Foo: 1, InlineCss: true, Attachments: [{ Name: 'a', Content: '', Size: 1 }] })
    const { status, headers } = await call('POST', '/email', given)
    assert.equal(status, 200)
    assert.equal(headers.get('x-postrider-ignored'), 'Foo, Attachments[0].Size, InlineCss')
    const authorization = `Bearer ${await managementKey(app)}`
    const entry = await until('the request is logged', async () => {
      const { body } = await app.callWith('GET', '/v1/requests?path=/compat', undefined, { authorization })
      return body.data.find(({ ignored }: { ignored: string[] }) => ignored.length > 0)
    })
    assert.deepEqual(entry.ignored, ['Foo', 'Attachments[0].Size', 'InlineCss'])
    assert.deepEqual([entry.path, entry.status], ['/compat/postmark/email', 200])
    assert.match(entry.message_id, /^msg_/)
  })

  test('the recipients of a refused request are kept for explanations', async () => {
    const email = 'never@receiver.test'
    await call('POST', '/email', message({ From: 'x@other.test', To: email }))
    const found = await until('the refusal explains the mail', async () => {
      const { body } = await app.call('GET', `/v1/explain?email=${email}`)
      return body.verdict === 'refused_at_the_door' ? body : undefined
    })
    assert.equal(found.verdict, 'refused_at_the_door')
  })

  test('a body that is no JSON, or not of the right kind, is refused with a code of Postmark', async () => {
    const json = { 'content-type': 'application/json' }
    assert.deepEqual(codeOf(await call('POST', '/email', '{', json)), [422, 402])
    assert.deepEqual(codeOf(await call('POST', '/email', '[]', json)), [422, 402])
    assert.deepEqual(codeOf(await call('POST', '/email/batch', '{}', json)), [422, 402])
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type }
      assert.deepEqual(
        codeOf(await call('POST', '/email', JSON.stringify(message()), headers)),
        [422, 409],
        type,
      )
    }
    assert.deepEqual(codeOf(await call('POST', '/email/batch', [])), [422, 410])
    assert.deepEqual(codeOf(await call('POST', '/email', '{"To":"a@b","To":"c@d"}', json)), [422, 300])
  })

  test('other paths and methods, and calls that are not served, are refused in the form of Postmark', async () => {
    assert.deepEqual(codeOf(await call('GET', '/nonesuch')), [404, 12])
    const wrong = await call('DELETE', '/email', undefined)
    assert.deepEqual([codeOf(wrong), wrong.headers.get('allow')], [[405, 12], 'POST'])
    const refused = await call('PUT', '/server', { Name: 'x' })
    assert.deepEqual(codeOf(refused), [501, 12])
    assert.match(refused.body.Message, /PATCH \/v1\/domains/)
  })

  test('a missing or wrong token is refused, also before a large body', async () => {
    for (const token of ['', 'send_nonesuch', 'POSTMARK_API_TESTS']) {
      const headers = { 'x-postmark-server-token': token }
      assert.deepEqual(codeOf(await call('POST', '/email', message(), headers)), [401, 10])
    }
    const verification = { 'x-postmark-server-token': app.playground.verification_key }
    assert.deepEqual(codeOf(await call('POST', '/email', message(), verification)), [401, 10])
    const account = { 'x-postmark-server-token': '', 'x-postmark-account-token': await managementKey(app) }
    assert.deepEqual(codeOf(await call('POST', '/email', message(), account)), [200, 0])
    assert.deepEqual((await call('GET', '/servers', undefined, account)).status, 200)
  })

  test("Postmark's test token checks a message without storing it", async () => {
    const test = { 'x-postmark-server-token': 'POSTMARK_API_TEST' }
    const { status, body } = await call('POST', '/email', message(), test)
    assert.deepEqual([status, body.ErrorCode, body.Message], [200, 0, 'Test job accepted'])
    const shown = await call('GET', `/messages/outbound/${body.MessageID}/details`)
    assert.deepEqual(codeOf(shown), [422, 701])
    assert.deepEqual(codeOf(await call('POST', '/email', message({ To: 'nobody' }), test)), [422, 300])
    assert.deepEqual(
      (await call('POST', '/email', message({ TextBody: 'x'.repeat(20_000) }), test)).status,
      413,
    )
    assert.deepEqual(codeOf(await call('GET', '/server', undefined, test)), [401, 10])
    const batch = await call('POST', '/email/batch', [message(), message({ To: 'nobody' })], test)
    assert.deepEqual(
      [batch.status, batch.body.map(({ ErrorCode }: { ErrorCode: number }) => ErrorCode)],
      [200, [0, 300]],
    )
    assert.deepEqual(codeOf(await call('POST', '/email', message({ TemplateId: 1 }), test)), [422, 1101])
  })

  test('older clients send null in place of no body', async () => {
    const made = await call('POST', '/templates', {
      Name: 'Null',
      Alias: 'null',
      Subject: 's',
      TextBody: 't',
    })
    assert.equal(made.status, 200)
    const removed = await app.callWith('DELETE', '/compat/postmark/templates/null', 'null', {
      'x-postmark-server-token': app.playground.sending_key,
      'content-type': 'application/json',
    })
    assert.deepEqual(codeOf(removed), [200, 0])
    assert.deepEqual(codeOf(await call('POST', '/email', 'null')), [422, 300])
  })

  test('keys are limited as at /v1: recipients, rate, account', async () => {
    const tenant = await createTenant(app.store)
    const home = {
      ...{ accountId: tenant.account.id, domainId: tenant.domain.id, domain: tenant.domain.name, names: {} },
    }
    const tokenOf = async (wanted: object) => ({
      'x-postmark-server-token': (await newKeyAt(app, 'sending', home, wanted)).secret,
    })
    const from = { From: `a@${tenant.domain.name}` }
    const narrow = await tokenOf({ recipients: ['*@inside.test'] })
    assert.deepEqual(codeOf(await call('POST', '/email', message(from), narrow)), [422, 412])
    const inside = message({ ...from, To: 'a@inside.test' })
    assert.deepEqual(codeOf(await call('POST', '/email', inside, narrow)), [200, 0])
    const slow = await tokenOf({ rate: '1/h' })
    assert.deepEqual(codeOf(await call('POST', '/email', message(from), slow)), [200, 0])
    const limited = await call('POST', '/email', message(from), slow)
    assert.deepEqual([codeOf(limited), Number(limited.headers.get('retry-after')) > 0], [[429, 429], true])
    await app.store.write(setAccountStatus, { id: home.accountId, status: 'suspended', now: Date.now() })
    await settled(app.store)
    const suspended = await until('the account is suspended', async () => {
      const answer = await call('POST', '/email', inside, narrow)
      return answer.status === 200 ? undefined : answer
    })
    assert.deepEqual(codeOf(suspended), [422, 413])
  })

  test('the calls are at the root of their own host, and pages of the service are not', async () => {
    const ask = (method: string, path: string, body?: object) =>
      new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
        const headers = {
          host: HOST,
          'x-postmark-server-token': app.playground.sending_key,
          'content-type': 'application/json',
        }
        const request = httpRequest(new URL(path, app.app.url), { method, headers }, (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        })
        request.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
      })
    const sent = await ask('POST', '/email', message())
    assert.equal(sent.status, 200, sent.text)
    assert.match(JSON.parse(sent.text).MessageID, UUID)
    for (const path of ['/', '/v1/messages', '/docs']) {
      const { status, text } = await ask('GET', path)
      assert.deepEqual([status, JSON.parse(text).ErrorCode], [404, 12], path)
    }
  })
})
