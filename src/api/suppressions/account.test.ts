// Tests the suppressions of a whole account: adding, effect in every domain, listing, removing, and access.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { Person } from '../../../test/support/person.ts'
import { createTenant } from '../../../test/support/tenant.ts'

const PATH = '/v1/account-suppressions'

describe('suppressions of the whole account', () => {
  let app: TestApp
  let owner: Person
  let key: string
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } })
    owner = await Person.loggedIn(app)
    key = await managementKey(app)
  })
  after(() => app.stop())

  const by = (secret: string, method: string, path: string, body?: object): Promise<Answer> =>
    app.call(method, path, body, { authorization: `Bearer ${secret}` })
  const statusTo = async (email: string, stream?: string): Promise<string> => {
    const id = await app.send({ to: [{ email }], ...(stream === undefined ? {} : { stream }) })
    return (await app.call('GET', `/v1/messages/${id}`)).body.to[0].status
  }

  test('are added one by one or as a list, and stop mail of every stream', async () => {
    const first = await by(key, 'POST', PATH, { email: 'Ann@receiver.example', reason: 'complaint' })
    assert.equal(first.status, 201, JSON.stringify(first.body))
    assert.deepEqual(Object.keys(first.body), ['email', 'reason', 'created_at'])
    assert.deepEqual([first.body.email, first.body.reason], ['ann@receiver.example', 'complaint'])
    assert.equal((await by(key, 'POST', PATH, { email: 'ann@receiver.example' })).status, 200)
    const many = await by(key, 'POST', PATH, {
      suppressions: [
        { email: 'bob@receiver.example' },
        { email: 'nobody' },
        { email: 'x@y.example', colour: 1 },
      ],
    })
    assert.deepEqual([many.status, many.body.added, many.body.rejected], [200, 1, 2])
    assert.deepEqual(
      many.body.problems.map(({ path, code }: Answer['body']) => `${path} ${code}`),
      ['suppressions[1].email invalid_email', 'suppressions[2].colour unknown_field'],
    )
    const stream = { alias: 'news', name: 'News', kind: 'transactional' }
    assert.equal((await app.call('POST', '/v1/streams', stream)).status, 201)
    for (const name of [undefined, 'news']) {
      assert.equal(await statusTo('ANN@receiver.example', name), 'suppressed')
      assert.equal(await statusTo('carl@receiver.example', name), 'queued')
    }
    assert.deepEqual(
      (await app.call('GET', '/v1/suppressions')).body.data,
      [],
      'lists of domains are separate',
    )
  })

  test('are listed in pages, and shown with the address in the dashboard', async () => {
    const list = async (query: string): Promise<Answer['body']> =>
      (await by(key, 'GET', `${PATH}?${query}`)).body
    const emails = ({ data }: Answer['body']): string[] => data.map(({ email }: { email: string }) => email)
    const page = await list('limit=1')
    assert.deepEqual(emails(page), ['bob@receiver.example'])
    const rest = await list(`limit=1&cursor=${page.next_cursor}`)
    assert.deepEqual([emails(rest), rest.next_cursor], [['ann@receiver.example'], null])
    assert.deepEqual(emails(await list('reason=complaint')), ['ann@receiver.example'])
    assert.deepEqual(emails(await list('email=BO')), ['bob@receiver.example'])
    assert.equal((await by(key, 'GET', `${PATH}?cursor=x`)).status, 400)
    const { body } = await owner.call('GET', '/api/addresses/ann%40receiver.example')
    assert.deepEqual(
      body.suppressions.map((one: Answer['body']) => [one.domain_id, one.stream, one.reason]),
      [[null, '*', 'complaint']],
    )
    assert.equal((await owner.call('GET', '/api/account-suppressions')).body.data.length, 2)
  })

  test('are removed, complaints only with force', async () => {
    const remove = (email: string, query = '') =>
      by(key, 'DELETE', `${PATH}/${encodeURIComponent(email)}${query}`)
    assert.equal((await remove('ann@receiver.example')).status, 409)
    assert.equal((await remove('ann@receiver.example', '?force=true')).status, 204)
    const absent = await remove('ann@receiver.example')
    assert.deepEqual([absent.status, absent.body.code], [404, 'not_found'])
    assert.match(absent.body.detail, /not suppressed in the account/)
    const many = await by(key, 'POST', `${PATH}/remove`, {
      suppressions: [{ email: 'bob@receiver.example' }, { email: 'none@receiver.example' }],
    })
    assert.deepEqual([many.body.removed, many.body.missing], [1, 1])
    assert.equal(await statusTo('ann@receiver.example'), 'queued')
  })

  test('need a key of every domain with the scope of the account, and stay in the account', async () => {
    const body = { email: 'dora@receiver.example' }
    assert.equal((await app.call('POST', PATH, body)).body.code, 'key_kind_not_permitted')
    const reader = await managementKey(app, { scopes: ['account:read'] })
    assert.equal((await by(reader, 'POST', PATH, body)).status, 403)
    assert.equal((await by(reader, 'GET', PATH)).status, 200)
    const { id } = await app.store.read.selectFrom('domains').select('id').executeTakeFirstOrThrow()
    const some = await managementKey(app, { domainIds: [id] })
    for (const answer of [await by(some, 'POST', PATH, body), await by(some, 'GET', PATH)])
      assert.deepEqual([answer.status, answer.body.code], [403, 'domain_not_permitted'])
    const { account } = await createTenant(app.store)
    const foreign = await managementKey(app, { accountId: account.id })
    assert.equal((await by(foreign, 'POST', PATH, body)).status, 201)
    assert.equal(await statusTo(body.email), 'queued')
    for (const wrong of [
      {},
      { email: 'nobody' },
      { email: 5 },
      { email: 'a@b.example', suppressions: [{ email: 'c@d.example' }] },
    ]) {
      const { status, body: problem } = await by(key, 'POST', PATH, wrong)
      assert.deepEqual([status, problem.errors[0].path], [422, 'email'], JSON.stringify([wrong, problem]))
    }
  })
})
