// Tests management keys at the endpoints of a domain: reads over all domains, changes that name a domain, versions, and
// keys whose domains, scopes or networks are narrowed.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok, refused } from '../../test/support/answers.ts'
import { type Answer, TestApp } from '../../test/support/app.ts'
import { StreamClient } from '../../test/support/event-stream.ts'
import { managementKey } from '../../test/support/keys.ts'
import { Person } from '../../test/support/person.ts'
import { settled } from '../../test/support/store.ts'
import { createTenant, type Tenant } from '../../test/support/tenant.ts'
import { addDomain } from '../domains/domains.ts'
import { systemClock } from '../lib/clock.ts'
import type { Domain } from '../store/domains/domain-rows.ts'

describe('a management key at the endpoints of a domain', () => {
  let app: TestApp
  let accountId: string
  let first: string
  let second: Domain
  let other: Tenant
  let all: string
  let narrow: string
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard,delivery' } })
    const row = await app.store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
    first = row.name
    accountId = row.account_id
    const added = await addDomain({
      ...{ store: app.store, clock: systemClock, accountId, name: 'xn--bcher-kva.example', verified: true },
      ...{ returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test' },
    })
    second = added.domain
    other = await createTenant(app.store)
    all = await managementKey(app)
    narrow = await managementKey(app, { domainIds: [second.id] })
  })
  after(() => app.stop())

  const by =
    (key: string) =>
    (method: string, path: string, body?: object, headers: object = {}) =>
      app.call(method, path, body, { authorization: `Bearer ${key}`, ...headers })
  const mailFrom = (domain: string) => ({
    ...{ from: `app@${domain}`, to: [{ email: 'you@receiver.example' }], subject: 'Hello', text: 'Hello' },
  })

  test('sends from the domain of the sender’s address, and reads the mail of all its domains', async () => {
    const made: string[] = []
    for (const domain of [first, second.name, first]) {
      made.unshift((await ok(by(all)('POST', '/v1/messages', mailFrom(domain)), 202)).message_id)
    }
    const batch = await ok(by(all)('POST', '/v1/messages/batch', [mailFrom(second.name), mailFrom(first)]))
    assert.equal(batch.data[0].status, 'queued')
    assert.equal(batch.data[1].error.code, 'domain_not_permitted')
    made.unshift(batch.data[0].message_id)
    await refused(by(all)('POST', '/v1/messages', mailFrom('elsewhere.test')), 403, 'domain_not_permitted')
    await refused(by(narrow)('POST', '/v1/messages', mailFrom(first)), 403, 'domain_not_permitted')
    await settled(app.store)

    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { data, next_cursor } = await ok(by(all)('GET', `/v1/messages?limit=2${cursor}`))
      for (const one of data) {
        assert.equal(one.from, `app@${one.domain}`)
        seen.push(one.message_id)
      }
      if (next_cursor === null) break
      cursor = `&cursor=${next_cursor}`
    }
    assert.deepEqual(seen, made)
    const ofSecond = await ok(by(all)('GET', '/v1/messages?domain=B%C3%BCcher.example'))
    assert.deepEqual(
      ofSecond.data.map((one: { domain_id: string }) => one.domain_id),
      [second.id, second.id],
    )
    const one = await ok(by(all)('GET', `/v1/messages/${made[0]}?include=content`))
    assert.deepEqual([one.domain, one.text], [second.name, 'Hello\n'])
    // The domain of a Sending key follows from the key, so its objects name none.
    assert.equal((await ok(app.call('GET', '/v1/messages'))).data[0].domain, undefined)
    const stats = await ok(by(all)('GET', '/v1/stats'))
    const ofNarrow = await ok(by(narrow)('GET', '/v1/stats'))
    assert.deepEqual([stats.totals.accepted, ofNarrow.totals.accepted], [4, 2])
    const events = await ok(by(all)('GET', '/v1/events?type=accepted'))
    assert.deepEqual(
      new Set(events.data.map((event: { domain: string }) => event.domain)),
      new Set([first, second.name]),
    )
    const { csv } = { csv: await by(all)('GET', '/v1/messages?format=csv') }
    assert.deepEqual([csv.status, csv.body.errors[0].choices], [422, [first, second.name]])
    assert.match((await by(narrow)('GET', '/v1/messages?format=csv')).body, /^message_id,/)
  })

  test('reads an object by its ID, and an object of another domain is not there', async () => {
    const { message_id } = await ok(by(all)('POST', '/v1/messages', mailFrom(first)), 202)
    await ok(by(all)('GET', `/v1/messages/${message_id}`))
    const foreign = await refused(by(narrow)('GET', `/v1/messages/${message_id}`), 404, 'not_found')
    const absent = await refused(
      by(narrow)('GET', '/v1/messages/msg_01M8484C8P02003017VXZ4G0K0'),
      404,
      'not_found',
    )
    assert.equal(foreign.detail, absent.detail)
    const manyForeign = await refused(
      by(all)('GET', '/v1/messages/msg_01M8484C8P02003017VXZ4G0K0'),
      404,
      'not_found',
    )
    assert.equal(manyForeign.errors, undefined)
  })

  test('names the domain of a change where it works on several', async () => {
    const template = { name: 'Welcome', alias: 'welcome', subject: 's', text: 't' }
    const { errors } = await refused(by(all)('POST', '/v1/templates', template), 422, 'validation_failed')
    assert.deepEqual(
      errors.map(({ path, code, choices }: Answer['body']) => [path, code, choices]),
      [['domain', 'required', [first, second.name]]],
    )
    const made = await ok(by(all)('POST', `/v1/templates?domain=${first}`, template), 201)
    assert.equal(made.domain, first)
    const narrowed = await ok(by(narrow)('POST', '/v1/templates', template), 201)
    assert.deepEqual([narrowed.domain, narrowed.domain_id], [second.name, second.id])
    assert.equal((await ok(by(all)('GET', '/v1/templates'))).data.length, 2)
    await ok(by(all)('GET', `/v1/templates/${made.template_id}`))
    await refused(by(all)('GET', '/v1/templates/welcome'), 422, 'validation_failed')
    await ok(by(all)('GET', `/v1/templates/welcome?domain=${second.id}`))
    const changed = { ...template, name: 'Changed' }
    await refused(by(all)('PUT', `/v1/templates/${made.template_id}`, changed), 422, 'validation_failed')
    await ok(by(all)('PUT', `/v1/templates/${made.template_id}?domain=${first}`, changed))
    const entry = await app.store.read
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'template.save')
      .executeTakeFirstOrThrow()
    assert.deepEqual(JSON.parse(entry.detail), { domain: first })
  })

  test('lists the streams of all domains by pages', async () => {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { data, next_cursor } = await ok(by(all)('GET', `/v1/streams?limit=1${cursor}`))
      seen.push(...data.map((one: { domain: string; alias: string }) => `${one.domain} ${one.alias}`))
      if (next_cursor === null) break
      cursor = `&cursor=${encodeURIComponent(next_cursor)}`
    }
    const names = [first, second.name].flatMap((name) => [`${name} broadcast`, `${name} transactional`])
    assert.deepEqual(new Set(seen), new Set(names))
    assert.equal(seen.length, names.length)
    for (const cursor of ['x', `${second.id} nothing`, `${other.domain.id} transactional`]) {
      const { status } = await by(all)('GET', `/v1/streams?cursor=${encodeURIComponent(cursor)}`)
      assert.equal(status, 400, cursor)
    }
  })

  test('is told of a domain that it may not use, and of no other', async () => {
    for (const [key, domain, status, code] of [
      [narrow, first, 403, 'domain_not_permitted'],
      [app.playground.sending_key, second.name, 403, 'domain_not_permitted'],
      [narrow, other.domain.name, 404, 'not_found'],
      [narrow, other.domain.id, 404, 'not_found'],
      [narrow, 'nothing.test', 404, 'not_found'],
      [app.playground.sending_key, other.domain.name, 404, 'not_found'],
      [narrow, '', 422, 'validation_failed'],
      [narrow, '%00', 422, 'validation_failed'],
      [narrow, 'a&domain=b', 422, 'validation_failed'],
    ] as const) {
      await refused(by(key)('GET', `/v1/streams?domain=${domain}`), status, code)
      await refused(by(key)('GET', `/v1/streams/broadcast?domain=${domain}`), status, code)
    }
    await ok(by(app.playground.sending_key)('GET', `/v1/streams?domain=${first}`))
    const message = await by(app.playground.sending_key)(
      'POST',
      `/v1/messages?domain=${first}`,
      mailFrom(first),
    )
    assert.equal(message.status, 202)
  })

  test('reads no content without the scope for it', async () => {
    const { message_id } = await ok(by(all)('POST', '/v1/messages', mailFrom(second.name)), 202)
    const reader = await managementKey(app, { scopes: ['messages:read', 'inbound:read'] })
    await ok(by(reader)('GET', `/v1/messages/${message_id}`))
    const { detail } = await refused(
      by(reader)('GET', `/v1/messages/${message_id}?include=content`),
      403,
      'scope_not_permitted',
    )
    assert.match(detail, /content:read/)
    await refused(by(reader)('GET', `/v1/messages/${message_id}/raw`), 403, 'scope_not_permitted')
    await refused(by(reader)('POST', '/v1/messages', mailFrom(first)), 403, 'scope_not_permitted')
  })

  test('makes no webhook that shows it received mail without the scope for contents', async () => {
    const at = `/v1/webhooks?domain=${second.name}`
    const scopes = ['webhooks:read', 'webhooks:write'] as const
    const writer = await managementKey(app, { scopes, grants: [] })
    const url = 'https://hook.example/'
    const made = await ok(by(writer)('POST', at, { url }), 201)
    assert.ok(made.event_types.length > 10 && !made.event_types.includes('received'))
    const postmark = await ok(by(writer)('POST', at, { url, format: 'postmark' }), 201)
    assert.ok(postmark.event_types.length > 2)
    await refused(by(writer)('POST', at, { url, event_types: ['received'] }), 403, 'scope_not_permitted')
    const change = (id: string, body: object) =>
      by(writer)('PATCH', `/v1/webhooks/${id}?domain=${second.name}`, body)
    await ok(change(made.webhook_id, { url: 'https://other.example/' }))
    await refused(change(made.webhook_id, { event_types: [] }), 403, 'scope_not_permitted')
    const full = await ok(by(all)('POST', at, { url }), 201)
    assert.deepEqual(full.event_types, [])
    await refused(change(full.webhook_id, { url: 'https://other.example/' }), 403, 'scope_not_permitted')
  })

  test('sends to permitted recipients only', async () => {
    const guarded = await managementKey(app, { recipients: ['*@staff.example', 'you@receiver.example'] })
    await ok(by(guarded)('POST', '/v1/messages', mailFrom(first)), 202)
    const mail = { ...mailFrom(first), to: [{ email: 'ann@staff.example' }, { email: 'x@receiver.example' }] }
    const body = { ...mail, bcc: [{ email: 'y@receiver.example' }] }
    const { detail } = await refused(
      by(guarded)('POST', '/v1/messages', body),
      403,
      'recipient_not_permitted',
    )
    assert.match(detail, /x@receiver\.example, y@receiver\.example/)
    const { data } = await ok(by(guarded)('POST', '/v1/messages/batch', [mailFrom(first), mail]))
    assert.deepEqual([data[0].status, data[1].error.code], ['queued', 'recipient_not_permitted'])
  })

  test('streams the events of its domains, and of no other', async () => {
    const stream = await StreamClient.open(new URL('/v1/events/stream', app.app.url), {
      ...{ authorization: `Bearer ${narrow}`, 'last-event-id': '0' },
    })
    const events = JSON.stringify(await stream.has(2))
    await stream.close()
    assert.ok(events.includes(second.name) && !events.includes(`app@${first}`), events)
  })

  test('changes the version that it has seen, and no later one', async () => {
    const owner = await Person.loggedIn(app)
    const path = `/v1/streams/broadcast?domain=${second.name}`
    const read = await by(all)('GET', path)
    const etag = read.headers.get('etag') ?? ''
    assert.match(etag, /^"[\w-]{22}"$/)
    const change = (name: string, match: string) => by(all)('PATCH', path, { name }, { 'if-match': match })
    const changed = await change('One', etag)
    assert.equal(changed.status, 200)
    assert.notEqual(changed.headers.get('etag'), etag)
    const stale = await refused(change('Two', etag), 412, 'changed_meanwhile')
    assert.equal(stale.errors[0].path, 'If-Match')
    await refused(change('Two', `W/${changed.headers.get('etag')}`), 412, 'changed_meanwhile')
    await ok(change('Two', `"x", ${changed.headers.get('etag')}`))
    await ok(change('Three', '*'))
    assert.equal((await ok(by(all)('GET', path))).name, 'Three')
    const removed = by(all)('DELETE', path, undefined, { 'if-match': etag })
    await refused(removed, 412, 'changed_meanwhile')
    const door = await owner.call('GET', `/api/domains/${second.id}/streams/broadcast`)
    assert.equal(door.headers.get('etag'), (await by(all)('GET', path)).headers.get('etag'))
  })

  test('works on a domain that it has just created', async () => {
    for (const domain of ['new-1.example', 'new-2.example']) {
      await ok(by(all)('GET', '/v1/key'))
      await ok(by(all)('POST', '/v1/domains', { domain }), 201)
      const { data } = await ok(by(all)('GET', `/v1/streams?domain=${domain}`))
      assert.equal(data.length, 2)
      await refused(by(narrow)('GET', `/v1/streams?domain=${domain}`), 403, 'domain_not_permitted')
    }
  })
})
