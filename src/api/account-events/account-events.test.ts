// Tests the events of an account: lists, followers, the stream, webhooks of an account and of all accounts, and the
// rights that they need.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { ok, refused } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { StreamClient } from '../../../test/support/event-stream.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { WebhookReceiver } from '../../../test/support/webhook-receiver.ts'

describe('events of the account', () => {
  let app: TestApp
  let receiver: WebhookReceiver
  let manage: string
  before(async () => {
    receiver = await WebhookReceiver.start()
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,webhooks', POSTRIDER_WEBHOOK_HTTP: 'yes' } })
    manage = await managementKey(app)
  })
  after(async () => {
    await app.stop()
    await receiver.stop()
  })

  const by =
    (key: string) =>
    (method: string, path: string, body?: object): Promise<Answer> =>
      app.call(method, `/v1${path}`, body, { authorization: `Bearer ${key}` })
  const call = (method: string, path: string, body?: object) => by(manage)(method, path, body)
  const makeKey = async (name: string, more: object = {}): Promise<Answer['body']> =>
    ok(call('POST', '/keys', { kind: 'verification', name, ...more }), 201)
  /** Returns the events of one object, once there are as many. */
  const eventsOf = (objectId: string, count: number, key = manage): Promise<Answer['body'][]> =>
    until(`${objectId} has ${count} events`, async () => {
      const { data } = await ok(by(key)('GET', `/account-events?object_id=${objectId}`))
      return data.length >= count ? data : undefined
    })

  test('name the object, its domain and the account, and are followed by a cursor', async () => {
    const { body: account } = await call('GET', '/account')
    const start = (await ok(call('GET', '/account-events?order=asc&limit=200'))).next_cursor
    const domains = [app.playground.domain]
    const { key_id } = await makeKey('Shop', { kind: 'sending', domains })
    await ok(call('POST', `/keys/${key_id}/rotate`, { overlap: '1h' }))
    assert.equal((await call('DELETE', `/keys/${key_id}`)).status, 204)
    const [revoked, rotated, created] = await eventsOf(key_id, 3)
    assert.match(created.id, /^evt_/)
    assert.deepEqual(
      [created, rotated, revoked].map(({ type }) => type),
      ['key.created', 'key.rotated', 'key.revoked'],
    )
    assert.deepEqual(
      [created.account_id, created.domain, created.detail.name],
      [account.account_id, app.playground.domain, 'Shop'],
    )
    const followed: Answer['body'][] = []
    for (let cursor = start; ; ) {
      const page = await ok(call('GET', `/account-events?order=asc&limit=2&cursor=${cursor}`))
      followed.push(...page.data)
      if (page.next_cursor === cursor) break
      assert.ok(Number(page.next_cursor) > Number(cursor))
      cursor = page.next_cursor
    }
    assert.deepEqual(
      followed.filter(({ object_id }) => object_id === key_id),
      [created, rotated, revoked],
    )
    const ofType = await ok(call('GET', '/account-events?type=key.rotated,key.revoked&limit=2'))
    assert.deepEqual(ofType.data, [revoked, rotated])
    const { errors } = await refused(call('GET', '/account-events?type=key.create'), 422, 'validation_failed')
    assert.match(errors[0].message, /did you mean key\.created\?/)
    await refused(call('GET', '/account-events?cursor=x'), 400, 'malformed_request')
    await refused(app.call('GET', '/v1/account-events', undefined, {}), 403, 'key_kind_not_permitted')
  })

  test('are streamed as they happen, after the last ID of the client', async () => {
    const headers = { authorization: `Bearer ${manage}` }
    const url = new URL('/v1/account-events/stream?type=key.created', app.app.url)
    const client = await StreamClient.open(url, headers)
    const { key_id } = await makeKey('Streamed')
    const [event] = await client.has(1)
    assert.deepEqual([event?.type, event?.data.object_id], ['key.created', key_id])
    await client.close()
    const { key_id: next } = await makeKey('Missed')
    const again = await StreamClient.open(url, { ...headers, 'last-event-id': client.lastId })
    assert.equal((await again.has(1))[0]?.data.object_id, next)
    await again.close()
  })

  test('of a domain are hidden from a key of another domain, which makes no webhook', async () => {
    await ok(call('POST', '/domains', { domain: 'hidden.example' }), 201)
    const narrow = await managementKey(app, { domainIds: [] })
    const { key_id } = await makeKey('Seen')
    const { key_id: hidden } = await makeKey('Hidden', { kind: 'sending', domains: [app.playground.domain] })
    assert.equal((await eventsOf(hidden, 1)).length, 1)
    assert.equal((await eventsOf(key_id, 1, narrow)).length, 1)
    assert.deepEqual((await ok(by(narrow)('GET', `/account-events?object_id=${hidden}`))).data, [])
    const url = { url: receiver.url }
    await refused(by(narrow)('POST', '/account-webhooks', url), 403, 'domain_not_permitted')
    await refused(by(narrow)('GET', '/account-webhooks'), 403, 'domain_not_permitted')
    const reader = await managementKey(app, { scopes: ['account:read'] })
    await refused(by(reader)('POST', '/account-webhooks', url), 403, 'scope_not_permitted')
  })

  test('of a key that is used from elsewhere come once a day', async () => {
    const { key, key_id } = await makeKey('Office', {
      kind: 'sending',
      domains: [app.playground.domain],
      networks: ['192.0.2.0/24'],
    })
    for (let n = 0; n < 3; n++) await refused(by(key)('GET', '/messages'), 403, 'network_not_permitted')
    const [event, created] = await eventsOf(key_id, 2)
    assert.deepEqual([event.type, created.type], ['key.refused_network', 'key.created'])
    assert.equal(event.detail.address, '127.0.0.1')
  })

  test('are delivered by webhooks, which sign, filter, repeat and replay as webhooks of a domain do', async () => {
    const wrong = { url: 'ftp://a', format: 'postmark', event_types: ['delivered'] }
    const { errors } = await refused(call('POST', '/account-webhooks', wrong), 422, 'validation_failed')
    assert.deepEqual(
      errors.map(({ path }: { path: string }) => path),
      ['format', 'event_types[0]', 'url'],
    )
    const fields = { url: receiver.url, name: 'Ops', event_types: ['key.created', 'key.revoked'] }
    const { secret, ...hook } = await ok(call('POST', '/account-webhooks', fields), 201)
    assert.deepEqual(
      [hook.name, hook.event_types, hook.all_accounts, hook.enabled],
      ['Ops', fields.event_types, false, true],
    )
    const path = `/account-webhooks/${hook.webhook_id}`
    assert.deepEqual(await ok(call('GET', path)), hook)
    assert.deepEqual((await ok(call('GET', '/account-webhooks'))).data, [hook])
    const { key_id } = await makeKey('Delivered')
    await ok(call('POST', `/keys/${key_id}/rotate`, {}))
    await call('DELETE', `/keys/${key_id}`)
    const requests = await receiver.received(2, ({ body }) => body.includes(key_id))
    const bodies = requests.map(({ body, headers }) => {
      new Webhook(secret).verify(body, headers as Record<string, string>)
      return JSON.parse(body)
    })
    assert.deepEqual(
      bodies.map(({ type, data }) => [type, data.object_id]),
      [
        ['key.created', key_id],
        ['key.revoked', key_id],
      ],
    )
    const [revoked, , created] = await eventsOf(key_id, 3)
    assert.deepEqual(bodies[0].data, created)
    assert.equal(requests[1]?.headers['webhook-id'], revoked.id)

    const deliveries = await until('both deliveries are listed', async () => {
      const { data } = await ok(call('GET', `${path}/deliveries?object_id=${key_id}`))
      return data.length === 2 ? data : undefined
    })
    assert.deepEqual([deliveries[0].status, deliveries[0].event_type], ['delivered', 'key.revoked'])
    const one = await ok(call('GET', `${path}/deliveries/${deliveries[0].delivery_id}`))
    assert.deepEqual(JSON.parse(one.request.body), bodies[1])
    await ok(call('POST', `${path}/deliveries/${deliveries[0].delivery_id}/retry`))
    await receiver.received(3, ({ body }) => body.includes(key_id))
    await ok(call('POST', `${path}/replay`, { from: new Date(Date.now() - 60_000).toISOString() }), 202)
    await receiver.received(5, ({ body }) => body.includes(key_id))

    const tried = await ok(call('POST', `${path}/test`, { event_type: 'allowance.low' }))
    assert.deepEqual([tried.status, tried.test, tried.event_type], ['delivered', true, 'allowance.low'])
    const [sample] = await receiver.received(1, ({ body }) => body.includes('allowance.low'))
    assert.equal(JSON.parse(sample?.body ?? '').data.detail.test, true)
    assert.equal((await ok(call('PATCH', path, { enabled: false }))).disabled_reason, 'manual')
    // A webhook of the account is no webhook of a domain.
    assert.deepEqual((await ok(app.call('GET', '/v1/webhooks'))).data, [])
    await refused(app.call('GET', `/v1/webhooks/${hook.webhook_id}`), 404, 'not_found')
    assert.equal((await call('DELETE', path)).status, 204)
    await refused(call('GET', path), 404, 'not_found')
  })

  describe('of all accounts', () => {
    let tenant: Tenant
    let platform: string
    before(async () => {
      tenant = await createTenant(app.store)
      platform = await managementKey(app, {
        scopes: ['account:read', 'account:write', 'accounts:read', 'accounts:write'],
      })
    })

    test('reach a webhook of the operating account whose maker may read all accounts', async () => {
      const fields = { url: receiver.url, all_accounts: true }
      await refused(call('POST', '/account-webhooks', fields), 403, 'scope_not_permitted')
      const theirs = await managementKey(app, { accountId: tenant.account.id })
      await refused(by(theirs)('POST', '/account-webhooks', fields), 403, 'scope_not_permitted')
      const { webhook_id, secret } = await ok(by(platform)('POST', '/account-webhooks', fields), 201)
      const path = `/account-webhooks/${webhook_id}`
      await ok(by(platform)('PATCH', `/accounts/${tenant.account.id}`, { status: 'suspended' }))
      const [request] = await receiver.received(1, ({ body }) => body.includes('account.suspended'))
      const sent = new Webhook(secret).verify(
        request?.body ?? '',
        request?.headers as Record<string, string>,
      ) as Answer['body']
      assert.equal(sent.data.account_id, tenant.account.id)
      // The events of all accounts cannot be sent elsewhere, and are not shown, without the scope.
      await refused(call('PATCH', path, { url: 'https://other.example/' }), 403, 'scope_not_permitted')
      const { data } = await until('the delivery is listed', async () => {
        const { body } = await call('GET', `${path}/deliveries?object_id=${tenant.account.id}`)
        return body.data.length > 0 ? body : undefined
      })
      const delivery = `${path}/deliveries/${data[0].delivery_id}`
      assert.equal((await ok(call('GET', delivery))).request, null)
      assert.ok((await ok(by(platform)('GET', delivery))).request.body.includes('account.suspended'))
      assert.deepEqual(await ok(by(platform)('GET', `/account-events?object_id=${tenant.account.id}`)), {
        ...{ data: [], next_cursor: null },
      })
      const changed = await ok(by(platform)('PATCH', path, { all_accounts: false }))
      assert.equal(changed.all_accounts, false)
      await ok(by(platform)('PATCH', `/accounts/${tenant.account.id}`, { status: 'active' }))
      const { key_id } = await makeKey('Own')
      await receiver.received(1, ({ body }) => body.includes(key_id))
      assert.ok(receiver.requests.every(({ body }) => !body.includes('account.resumed')))
    })

    test('are 404 for another account', async () => {
      const { webhook_id } = await ok(call('POST', '/account-webhooks', { url: receiver.url }), 201)
      const theirs = by(await managementKey(app, { accountId: tenant.account.id }))
      for (const [method, more] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/test'],
        ['POST', '/rotate-secret'],
        ['GET', '/deliveries'],
      ] as const) {
        const answer = theirs(
          method,
          `/account-webhooks/${webhook_id}${more}`,
          method === 'GET' ? undefined : {},
        )
        await refused(answer, 404, 'not_found')
      }
    })
  })
})
