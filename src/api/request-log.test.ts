// Tests the log of API requests: entries with request and result, no private data, a limited number of entries, and
// removal by age.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../test/support/app.ts'
import { Person } from '../../test/support/person.ts'
import { createTenant } from '../../test/support/tenant.ts'
import { until } from '../../test/support/test-clock.ts'
import { newId } from '../lib/ids.ts'
import {
  listRequests,
  type RequestRow,
  recordRequests,
  refusedRequestsTo,
} from '../store/access/request-log.ts'
import { findAccountsWithHistory, forgetHistory } from '../store/removal/history-removal.ts'
import type { RequestView } from './contract/request.ts'

const DAY_MS = 86_400_000

describe('the log of API requests', () => {
  let app: TestApp
  let owner: Person
  before(async () => {
    app = await TestApp.start()
    owner = await Person.loggedIn(app)
  })
  after(() => app.stop())

  /** Returns the newest entries of the request log, once there are at least `count` entries. */
  const entries = (count: number, query = ''): Promise<RequestView[]> =>
    until(`${count} entries`, async () => {
      const { status, body } = await owner.call('GET', `/api/requests?limit=200${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.data.length >= count && body.data
    })

  test('lists the requests of keys, refusals with their code, and no addresses', async () => {
    const id = await app.send()
    await app.call('GET', `/v1/messages/${id}?include=content`)
    await app.call('POST', '/v1/messages', { from: 'not an address' })
    await app.call('GET', '/v1/events?recipient=secret%40receiver.example')
    await app.call('DELETE', '/v1/suppressions/secret%40receiver.example?stream=broadcast')
    const verification = { authorization: `Bearer ${app.playground.verification_key}` }
    await app.call('GET', '/v1/messages', undefined, verification)
    await app.call('GET', '/v1/messages', undefined, { authorization: 'Bearer nobody' })
    await owner.call('GET', '/api/account')
    const all = (await entries(6)).reverse()
    const told = all.map(({ method, path, status, code }) => [method, path, status, code])
    assert.deepEqual(told, [
      ['POST', '/v1/messages', 202, null],
      ['GET', `/v1/messages/${id}`, 200, null],
      ['POST', '/v1/messages', 422, 'validation_failed'],
      ['GET', '/v1/events', 200, null],
      ['DELETE', '/v1/suppressions/:email', 404, 'not_found'],
      ['GET', '/v1/messages', 403, 'key_kind_not_permitted'],
    ])
    assert.doesNotMatch(JSON.stringify(all), /secret|example/)
    assert.deepEqual(
      all.map(({ message_id }) => message_id),
      [id, null, null, null, null, null],
    )
    assert.deepEqual(
      all[2]?.problems.find(({ path }) => path === 'from'),
      { path: 'from', code: 'invalid_email' },
    )
    assert.ok(all.every(({ missed, duration_ms }) => missed === 0 && duration_ms >= 0))
    const refused = await entries(3, '&outcome=refused')
    assert.deepEqual(
      refused.map(({ status }) => status),
      [403, 404, 422],
    )
    const { key_id: keyId, domain_id: domainId } = all[0] as RequestView
    const narrowed = async (query: string): Promise<number> => (await entries(0, query)).length
    assert.equal(await narrowed('&outcome=answered'), 3)
    assert.equal(await narrowed('&outcome=failed'), 0)
    assert.equal(await narrowed('&code=validation_failed'), 1)
    assert.equal(await narrowed('&method=POST'), 2)
    assert.equal(await narrowed('&path=/v1/messages/'), 1)
    assert.equal(await narrowed(`&domain_id=${domainId}&key_id=${keyId}`), 5)
    assert.equal(await narrowed(`&before=${all[0]?.at}`), 0)
    assert.equal(await narrowed(`&after=${all[0]?.at}`), 6)
    for (const wrong of ['outcome=none', 'after=yesterday', 'refused=true', 'path=%00']) {
      assert.equal((await owner.call('GET', `/api/requests?${wrong}`)).status, 422, wrong)
    }
    assert.equal((await owner.call('GET', '/api/requests?cursor=x')).status, 400)
    const { keys } = (await owner.call('GET', '/api/requests')).body
    assert.deepEqual(keys.map(({ kind }: { kind: string }) => kind).sort(), ['sending', 'verification'])
    const ofKey = await entries(1, `&key_id=${all.at(-1)?.key_id}`)
    assert.deepEqual([ofKey.length, ofKey[0]?.domain_id], [1, null])
    const first = await owner.call('GET', '/api/requests?limit=4')
    const rest = await owner.call('GET', `/api/requests?limit=4&cursor=${first.body.next_cursor}`)
    assert.deepEqual(
      [...first.body.data, ...rest.body.data].map(({ request_log_id }) => request_log_id),
      all.map(({ request_log_id }) => request_log_id).reverse(),
    )
    assert.equal(rest.body.next_cursor, null)
  })

  test('names the fields of a refused request, and never their values or keys of its own', async () => {
    await app.call('POST', '/v1/messages', {
      from: 'shop@example.test',
      to: [{ email: 'ann@secret' }, { email: 'bob@receiver.example', nmae: 'Bob' }],
      subject: 'Hello',
      text: 'Hello',
      metadata: { 'carl@secret.example': 7 },
      'dora@secret.example': true,
    })
    const refused = await until('the refusal', async () =>
      (await entries(1, '&code=validation_failed')).find(({ problems }) =>
        problems.some(({ path }) => path === 'to[1].nmae'),
      ),
    )
    assert.deepEqual(refused.problems.map(({ path }) => path).toSorted(), [
      'metadata.…',
      'to[0].email',
      'to[1].nmae',
      '…',
    ])
    assert.equal(refused.problem_count, 4)
    assert.doesNotMatch(JSON.stringify(refused), /secret/)
    const many = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`field_${index}`, 1]))
    await app.call('POST', '/v1/messages', { from: 'shop@example.test', ...many })
    const cut = await until('the other refusal', async () =>
      (await entries(2, '&code=validation_failed')).find(({ problems }) => problems.length === 10),
    )
    // The unknown fields, and three that are missing: to, subject, and html or text.
    assert.equal(cut.problem_count, 18)
  })

  test('keeps the recipients of a refused message as keyed hashes, and of an accepted message not at all', async () => {
    const { account, sendingKey } = await createTenant(app.store)
    const headers = { authorization: `Bearer ${sendingKey}` }
    const kept = async () =>
      app.store.read
        .selectFrom('refused_recipients')
        .selectAll()
        .where('account_id', '=', account.id)
        .execute()
    const to = [{ email: 'Ann@Secret.example' }, { email: 'not an address' }, { email: 5 }, 'x', null]
    const bcc = [{ email: 'ann@secret.example' }, { email: 'x'.repeat(5_000) }]
    await app.call('POST', '/v1/messages', { to, cc: 'ann@other.example', bcc }, headers)
    const rows = await until('the hashes', async () => {
      const found = await kept()
      return found.length > 0 && found
    })
    assert.equal(rows.length, 2)
    assert.doesNotMatch(JSON.stringify(rows), /secret|address|ann@/i)
    const found = await refusedRequestsTo(app.store.read, account.id, rows[0]?.hash ?? '', 5)
    assert.deepEqual(
      found.map(({ status, code }) => [status, code]),
      [[422, 'validation_failed']],
    )
    const many = Array.from({ length: 90 }, (_, index) => ({ email: `r${index}@secret.example` }))
    await app.call(
      'POST',
      '/v1/messages/batch',
      [{ to: many }, { to: many }, 5].concat(new Array(600).fill(5)),
      headers,
    )
    await until('the hashes of the batch', async () => (await kept()).length === 52)
  })

  test('is searched in bounded steps, however few entries match a filter', async () => {
    const { account } = await createTenant(app.store)
    const row = (index: number): RequestRow => ({
      ...{ account_id: account.id, id: newId('rql'), at: Date.now(), key_id: 'key_x', domain_id: null },
      ...{ method: 'GET', path: '/v1/messages', status: index === 0 ? 503 : 200, code: null },
      ...{ problems: null, problem_count: 0, message_id: null, duration_ms: 1, missed: 0, ignored: null },
    })
    const rows = Array.from({ length: 10_500 }, (_, index) => row(index))
    await app.store.write(recordRequests, { rows })
    const find = (cursor: string | undefined) =>
      listRequests(app.store.read, account.id, { outcome: 'failed' }, { limit: 5, cursor })
    const first = await find(undefined)
    assert.deepEqual([first.rows.length, first.next], [0, rows[500]?.id])
    const rest = await find(first.next as string)
    assert.deepEqual([rest.rows.map(({ id }) => id), rest.next], [[rows[0]?.id], null])
  })

  test('is bounded, and reports the number of requests without an entry', async () => {
    const tenant = await createTenant(app.store)
    const headers = { authorization: `Bearer ${tenant.sendingKey}` }
    const asked = 150
    await Promise.all(Array.from({ length: asked }, () => app.call('GET', '/v1/streams', undefined, headers)))
    let told = 0
    let rows = 0
    await until('all requests are reported', async () => {
      const page = { limit: 500, cursor: undefined }
      const { rows: logged } = await listRequests(app.store.read, tenant.account.id, {}, page)
      rows = logged.length
      told = logged.reduce((sum, { missed }) => sum + 1 + Number(missed), 0)
      return told >= asked
    })
    assert.equal(told, asked)
    assert.ok(rows < asked, `${rows} rows`)
  })

  test('is removed after its retention', async () => {
    const since = (requests: number) => ({ audit: 0, figures: 0, requests })
    const before = (await entries(1)).length
    const earlier = since(Date.now() - 3 * DAY_MS)
    assert.deepEqual(await findAccountsWithHistory(app.store.read, earlier), [])
    const later = since(Date.now() + DAY_MS)
    const accounts = await findAccountsWithHistory(app.store.read, later)
    assert.equal(accounts.length, 4)
    for (const accountId of accounts) {
      assert.equal(await app.store.write(forgetHistory, { accountId, ...earlier, limit: 1_000 }), false)
      assert.ok((await entries(before)).length >= before)
    }
    for (const accountId of accounts)
      while (await app.store.write(forgetHistory, { accountId, ...later, limit: 1_000 }));
    for (const table of ['request_log', 'refused_recipients'] as const) {
      assert.deepEqual(await app.store.read.selectFrom(table).select('account_id').execute(), [], table)
    }
  })
})
