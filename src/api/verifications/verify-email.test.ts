// Tests the status codes of GET /v1/verifyEmail and GET /v1/verifyEmailDetailed, and that a refusal costs no credit.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { Person } from '../../../test/support/person.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { callAsVerifier, onlyMailboxes } from '../../../test/support/verification.ts'
import { listAccounts, setAccountStatus } from '../../store/access/accounts.ts'

const PATHS = ['/v1/verifyEmail', '/v1/verifyEmailDetailed']

describe('verifying one address', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ host: { script: onlyMailboxes('somebody', 'tagged+one') } })
  })
  after(() => app.stop())

  const credits = async (): Promise<number> =>
    (await listAccounts(app.store.read))[0]?.verification_credits ?? Number.NaN

  async function refused(answer: Promise<Answer>, status: number, code: string): Promise<Answer['body']> {
    const before = await credits()
    const { status: got, body, headers } = await answer
    assert.deepEqual([got, body.code], [status, code], JSON.stringify(body))
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/)
    assert.equal(headers.get('x-verification-credits-remaining'), null)
    assert.equal(await credits(), before)
    return body
  }

  test('200 for one credit, whatever the result', async () => {
    for (const [index, email] of [
      'somebody@a.example',
      'nobody@a.example',
      'nonsense',
      ''.padEnd(10_000, 'x'),
    ].entries()) {
      for (const path of PATHS) {
        const before = await credits()
        const { status, headers, body } = await callAsVerifier(
          app,
          'GET',
          `${path}?email=${encodeURIComponent(email)}`,
        )
        assert.equal(status, 200, `${index} ${path}`)
        assert.equal(body.email, email)
        assert.equal(headers.get('x-verification-credits-remaining'), String(before - 1))
        assert.match(headers.get('x-request-id') ?? '', /^req_/)
        assert.match(headers.get('ratelimit-policy') ?? '', /^"key";q=50;w=1$/)
        assert.equal(await credits(), before - 1)
      }
    }
  })

  test('the result is stored for the key or the user, and for no other account', async () => {
    const owner = await Person.loggedIn(app)
    await callAsVerifier(app, 'GET', '/v1/verifyEmail?email=nobody%40kept.example')
    await owner.call('GET', '/api/verification/verifyEmailDetailed?email=somebody%40kept.example')
    const checks = async (query = ''): Promise<Answer['body']> =>
      (await owner.call('GET', `/api/verification/checks${query}`)).body
    const { data, next_cursor } = await checks('?limit=2')
    assert.deepEqual(
      data.map(({ email, internalResult, by }: Answer['body']) => [email, internalResult, by]),
      [
        ['somebody@kept.example', 'mailbox_exists', app.playground.dashboard_login.email],
        ['nobody@kept.example', 'mailbox_not_found', 'Playground'],
      ],
    )
    const older = await checks(`?limit=200&cursor=${next_cursor}`)
    assert.ok(older.data.every(({ check_id }: Answer['body']) => check_id < data[1].check_id))
    const missing = await checks('?result=undeliverable')
    assert.ok(missing.data.every(({ result }: Answer['body']) => result === 'undeliverable'))
    const about = await owner.call('GET', '/api/addresses/NOBODY%40kept.example')
    assert.deepEqual(
      about.body.verifications.map(({ verification_id, reason }: Answer['body']) => [
        verification_id,
        reason,
      ]),
      [[null, 'mailbox_not_found']],
    )
    await createTenant(app.store)
    const others = await app.store.read
      .selectFrom('verification_checks')
      .select('account_id')
      .distinct()
      .execute()
    assert.equal(others.length, 1)
    // A text that is not an address may have any length, and still gets a result.
    const long = await callAsVerifier(
      app,
      'GET',
      `/v1/verifyEmail?email=${randomBytes(4_000).toString('hex')}`,
    )
    assert.equal(long.status, 200)
    for (const wrong of ['result=x', 'limit=0'])
      assert.equal((await owner.call('GET', `/api/verification/checks?${wrong}`)).status, 422)
  })

  test('HEAD takes no credit, as it is not offered', async () => {
    const before = await app.store.read.selectFrom('accounts').select('verification_credits').execute()
    const url = `${app.app.url}/v1/verifyEmail?email=somebody%40a.example`
    const headers = { authorization: `Bearer ${app.playground.verification_key}` }
    assert.equal((await fetch(url, { method: 'HEAD', headers })).status, 405)
    assert.deepEqual(
      await app.store.read.selectFrom('accounts').select('verification_credits').execute(),
      before,
    )
  })

  test('the simple form has two fields', async () => {
    const { body } = await callAsVerifier(app, 'GET', `${PATHS[0]}?email=somebody%40a.example`)
    assert.deepEqual(body, { email: 'somebody@a.example', result: 'deliverable' })
  })

  test('an address is returned as given, trimmed', async () => {
    for (const given of ['  Somebody@A.Example\t', '"q u o t e d"@a.example', 'ünï@bücher.example']) {
      const { body } = await callAsVerifier(app, 'GET', `${PATHS[0]}?email=${encodeURIComponent(given)}`)
      assert.equal(body.email, given.trim())
    }
  })

  test('an unencoded + is read as +, an encoded space is not', async () => {
    const verify = async (query: string) =>
      (await callAsVerifier(app, 'GET', `${PATHS[1]}?email=${query}`)).body
    assert.equal((await verify('tagged+one@a.example')).email, 'tagged+one@a.example')
    assert.equal((await verify('tagged+one@a.example')).tag, 'one')
    assert.equal((await verify('tagged%2Bone@a.example')).tag, 'one')
    assert.equal((await verify('tagged%20one@a.example')).internalResult, 'invalid_syntax')
    assert.equal((await verify('%22a+b%22@a.example')).email, '"a b"@a.example')
    assert.equal((await verify('a%@a.example')).email, 'a%@a.example')
    assert.equal((await verify('a%25fc@a.example')).email, 'a%fc@a.example')
  })

  for (const path of PATHS) {
    test(`${path} refuses with the right status, and takes no credit`, async () => {
      const good = `${path}?email=somebody%40a.example`
      const call = (to: string, headers?: Record<string, string>) =>
        callAsVerifier(app, 'GET', to, undefined, headers)
      const without = await refused(call(good, { authorization: '' }), 401, 'authentication_failed')
      assert.equal(without.status, 401)
      await refused(call(good, { authorization: 'Bearer verify_nonsense' }), 401, 'authentication_failed')
      await refused(app.call('GET', good), 403, 'key_kind_not_permitted')
      await refused(app.call('GET', path), 403, 'key_kind_not_permitted')
      const missing = await refused(call(path), 422, 'validation_failed')
      assert.equal(missing.errors[0].path, 'email')
      await refused(call(`${path}?email=`), 422, 'validation_failed')
      await refused(call(`${path}?email=%20%09`), 422, 'validation_failed')
      const repeated = await refused(call(`${good}&email=other%40a.example`), 422, 'validation_failed')
      assert.match(repeated.errors[0].message, /more than once/)
      const unknown = await refused(call(`${good}&mail=x`), 422, 'validation_failed')
      assert.equal(unknown.errors[0].path, 'mail')
      await refused(call(`${good}&timeout=1`), 422, 'validation_failed')
      for (const bytes of ['m%FCller', '%ff%fe', '%C3', '%ed%a0%80']) {
        await refused(call(`${path}?email=${bytes}%40a.example`), 400, 'malformed_request')
      }
      await refused(call(path.replace('verify', 'Verify')), 404, 'not_found')
    })
  }

  test('a Verification key can call no other endpoint', async () => {
    await refused(callAsVerifier(app, 'GET', '/v1/messages'), 403, 'key_kind_not_permitted')
    await refused(callAsVerifier(app, 'POST', '/v1/messages', {}), 403, 'key_kind_not_permitted')
  })

  test('429 when the key calls too often', async () => {
    const clockless = await TestApp.start({ env: { POSTRIDER_VERIFICATION_RATE: '2/h' } })
    try {
      const answers: Answer[] = []
      for (let i = 0; i < 3; i++) answers.push(await callAsVerifier(clockless, 'GET', `${PATHS[0]}?email=x`))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 429],
      )
      assert.ok(Number(answers[2]?.headers.get('retry-after')) > 0)
      assert.equal(answers[2]?.body.code, 'rate_limit_exceeded')
      const [account] = await listAccounts(clockless.store.read)
      assert.equal(account?.verification_credits, 9_998)
    } finally {
      await clockless.stop()
    }
  })

  test('403 while the account is suspended', async () => {
    const [account] = await listAccounts(app.store.read)
    const set = async (status: 'suspended' | 'active') => {
      await app.store.write(setAccountStatus, { id: account?.id as string, status, now: Date.now() })
      const usual = status === 'active' ? 200 : 403
      await until(
        `it is ${status}`,
        async () => (await callAsVerifier(app, 'GET', `${PATHS[0]}?email=x`)).status === usual,
      )
    }
    await set('suspended')
    await refused(callAsVerifier(app, 'GET', `${PATHS[0]}?email=x`), 403, 'account_suspended')
    await refused(callAsVerifier(app, 'POST', '/v1/verifications', ['x']), 403, 'account_suspended')
    await set('active')
    assert.equal((await callAsVerifier(app, 'GET', `${PATHS[0]}?email=x`)).status, 200)
  })

  test('both are in the OpenAPI document', thorough('0.9 CPU s: the whole OpenAPI document'), async () => {
    const { body } = await app.call('GET', '/v1/openapi.json')
    for (const path of PATHS) {
      const { get } = body.paths[path]
      assert.equal(get.parameters[0].name, 'email')
      assert.ok(get.responses['200'] && get.responses['403'] && get.responses['422'])
    }
    assert.ok(body.paths['/v1/verifications'].post)
  })
})
