// Does by plain HTTP for every noun what a Terraform provider does: create, read, change, read, import by name, delete.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ALL_SCOPES } from '../../src/access/scopes.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'

type Body = Answer['body']

/** An object of a noun: how a provider creates, changes, finds and deletes it. */
interface Resource {
  readonly list: string
  readonly fields: Body
  /** Field of the response with the name of the object in paths. */
  readonly id: string
  readonly method: 'PATCH' | 'PUT'
  readonly change: Body
  /** Fields of the response to the creation that later responses do not contain. */
  readonly once?: readonly string[]
  /** Query that finds the object in the list; by default by its name. */
  readonly find?: string
  /** Query of the deletion. */
  readonly remove?: string
  /** Fields of another object with the same name, and the field of the refusal that names the first object. */
  readonly taken?: { readonly fields: Body; readonly existing: string }
  /** True for an object that is shown as revoked after its deletion. */
  readonly isRevoked?: boolean
  /** True if the list shows less of an object than GET. */
  readonly hasSummary?: boolean
}

const template = { alias: 'walk', name: 'Walk one', subject: 'Hi {{ name }}', text: 'Hello', html: null }
const layout = { alias: 'walk', name: 'Walk one', text: '{{{ @content }}}', html: '<p>{{{ @content }}}</p>' }
const stream = { alias: 'walk', name: 'Walk one', kind: 'broadcast', rate: '5/s', retry_for_seconds: 3_600 }
const account = { name: 'Walk one', external_id: 'walk-1', sending_allowance: 100, domains_limit: 2 }
const INBOX = { networks: ['192.0.2.0/24', '2001:db8::/32'], recipients: ['*@example.net'] }

const RESOURCES: Readonly<Record<string, Resource>> = {
  domain: {
    ...{ list: '/v1/domains', id: 'domain_id', method: 'PATCH', hasSummary: true },
    fields: { domain: 'walk.example', content_retention_days: 7 },
    change: { content_retention_days: 3, record_retention_days: 20 },
    ...{ find: 'name=walk.example', remove: 'confirm=walk.example' },
    taken: { fields: { domain: 'WALK.example' }, existing: 'domain_id' },
  },
  'sending key': {
    ...{ list: '/v1/keys', id: 'key_id', method: 'PATCH', once: ['key'], isRevoked: true },
    fields: {
      ...{ kind: 'sending', name: 'Walk one', domains: ['example.test'], scopes: ['messages:send'] },
      ...{ ...INBOX, rate: '5/s', expires_at: '2099-01-01T00:00:00.000Z' },
    },
    change: { name: 'Walk two', scopes: ['messages:send', 'messages:read'], networks: null, rate: null },
  },
  'SMTP credential': {
    ...{ list: '/v1/smtp-credentials', id: 'username', method: 'PATCH', once: ['password'], isRevoked: true },
    fields: { name: 'Walk one', domain: 'example.test', ...INBOX },
    change: { name: 'Walk two', networks: null, expires_at: '2099-01-01T00:00:00.000Z' },
  },
  webhook: {
    ...{ list: '/v1/webhooks', id: 'webhook_id', method: 'PATCH', once: ['secret'] },
    fields: {
      name: 'Walk one',
      url: 'https://walk.example/hook',
      event_types: ['delivered'],
      batch_size: 10,
    },
    change: { name: 'Walk two', url: 'https://walk.example/other', enabled: false },
  },
  template: {
    ...{ list: '/v1/templates', id: 'template_id', method: 'PUT', hasSummary: true },
    fields: template,
    change: { ...template, name: 'Walk two', text: 'Other' },
    taken: { fields: { ...template, name: 'Other' }, existing: 'template_id' },
  },
  layout: {
    ...{ list: '/v1/layouts', id: 'layout_id', method: 'PUT', hasSummary: true },
    fields: layout,
    change: { ...layout, name: 'Walk two', text: 'Begin {{{ @content }}}' },
    taken: { fields: { ...layout, name: 'Other' }, existing: 'layout_id' },
  },
  stream: {
    ...{ list: '/v1/streams', id: 'alias', method: 'PATCH' },
    fields: stream,
    change: { name: 'Walk two', rate: null, headers: { 'X-Campaign': 'two' }, track_opens: false },
    taken: { fields: { ...stream, name: 'Other' }, existing: 'alias' },
  },
  account: {
    ...{ list: '/v1/accounts', id: 'account_id', method: 'PATCH', once: ['invitation'] },
    fields: account,
    change: { name: 'Walk two', sending_allowance: 200, keys_limit: 3, domains_limit: null },
    remove: 'confirm=Walk%20two',
    taken: { fields: { ...account, name: 'Other' }, existing: 'account_id' },
  },
}

describe('the walk of a Terraform provider', () => {
  let app: TestApp
  let key: string
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
    key = await managementKey(app, { scopes: ALL_SCOPES })
  })
  after(() => app.stop())

  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    app.call(method, path, body, { authorization: `Bearer ${key}` })

  async function ok(answer: Promise<Answer>, status = 200): Promise<Body> {
    const { status: got, body } = await answer
    assert.equal(got, status, JSON.stringify(body))
    return body
  }

  /** Path of a request; objects of a domain are created in the domain of the playground. */
  const at = (list: string, id = '', query = ''): string => {
    const domain = /streams|templates|layouts|webhooks/.test(list) ? 'domain=example.test' : ''
    const all = [domain, query].filter((one) => one !== '').join('&')
    return `${list}${id === '' ? '' : `/${id}`}${all === '' ? '' : `?${all}`}`
  }

  /** Returns the written fields that a response shows; a request may name a domain that a response shows by ID. */
  const shown = (fields: Body): Body => {
    const { domains: _, domain: __, ...rest } = fields
    return rest
  }

  for (const [noun, resource] of Object.entries(RESOURCES)) {
    const { list, fields, id, method, change, once = [], remove = '', taken, find } = resource
    test(`reads what it wrote: ${noun}`, async () => {
      const made = await ok(call('POST', at(list), fields), 201)
      assert.partialDeepStrictEqual(made, shown(fields))
      const name = made[id]
      const kept = Object.fromEntries(Object.entries(made).filter(([field]) => !once.includes(field)))
      assert.deepEqual(await ok(call('GET', at(list, name))), kept)

      if (taken !== undefined) {
        const refused = await ok(call('POST', at(list), taken.fields), 409)
        assert.deepEqual([refused.code, refused.existing], ['conflict', { [taken.existing]: name }])
      }
      const changed = await ok(call(method, at(list, name), change))
      assert.partialDeepStrictEqual(changed, change)
      const read = await ok(call('GET', at(list, name)))
      assert.deepEqual(read, changed)
      // Fields that the change does not name stay unchanged.
      const unchanged = shown(
        Object.fromEntries(Object.entries(fields).filter(([field]) => !(field in change))),
      )
      assert.partialDeepStrictEqual(read, unchanged)
      // The same change once more changes nothing but the time of the change and the version.
      const {
        updated_at: _,
        changed_at: __,
        version: ___,
        ...again
      } = await ok(call(method, at(list, name), change))
      assert.partialDeepStrictEqual(read, again)

      const query = find ?? `name=${encodeURIComponent(read.name)}`
      const { data } = await ok(call('GET', at(list, '', query)))
      assert.deepEqual(
        data.map((one: Body) => one[id]),
        [name],
      )
      if (!resource.hasSummary) {
        const present = await ok(call('GET', at(list, name)))
        assert.partialDeepStrictEqual(data[0], present)
      }
      assert.deepEqual((await ok(call('GET', at(list, '', 'name=nobody.example')))).data, [])

      const gone = await call('DELETE', at(list, name, remove))
      assert.equal(gone.status, 204, JSON.stringify(gone.body))
      if (resource.isRevoked) {
        const revoked = await ok(call('GET', at(list, name)))
        assert.ok(revoked.revoked_at !== null)
        assert.deepEqual((await ok(call('GET', at(list, '', `${query}&status=active`)))).data, [])
        return
      }
      assert.deepEqual((await ok(call('GET', at(list, '', query)))).data, [])
      for (const late of [
        call('GET', at(list, name)),
        call(method, at(list, name), change),
        call('DELETE', at(list, name, remove)),
      ]) {
        assert.equal((await ok(late, 404)).code, 'not_found')
      }
      // The name is free again.
      if (taken === undefined) return
      const next = await ok(call('POST', at(list), fields), 201)
      assert.partialDeepStrictEqual(next, shown(fields))
    })
  }

  test('reads what it wrote: suppression', async () => {
    const email = 'Walk@Receiver.example'
    const list = '/v1/suppressions?domain=example.test'
    const made = await ok(call('POST', list, { email, stream: 'broadcast' }), 201)
    const found = async () => (await ok(call('GET', `${list}&email=${encodeURIComponent(email)}`))).data
    assert.deepEqual(await found(), [made])
    // A second creation keeps the first one.
    assert.deepEqual(await ok(call('POST', list, { email, stream: 'broadcast' })), made)
    const path = `/v1/suppressions/${encodeURIComponent(email)}?domain=example.test&stream=broadcast`
    assert.equal((await call('DELETE', path)).status, 204)
    assert.deepEqual(await found(), [])
    assert.equal((await ok(call('DELETE', path), 404)).code, 'not_found')
  })
})
