// Tests the status codes of the endpoints of streams, and their owners.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { createTenant } from '../../../test/support/tenant.ts'

describe('streams', () => {
  let app: TestApp
  let made = 0
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  })
  after(() => app.stop())

  const call = (method: string, path: string, body?: object): Promise<Answer> =>
    app.call(method, `/v1${path}`, body)
  async function refused(answer: Promise<Answer>, status: number, code: string): Promise<Answer['body']> {
    const { status: got, body } = await answer
    assert.equal(got, status, JSON.stringify(body))
    assert.equal(body.code, code)
    return body
  }
  const newStream = (fields: object = {}): Promise<Answer['body']> =>
    ok(call('POST', '/streams', { alias: `s-${++made}`, name: 'S', kind: 'broadcast', ...fields }), 201)
  const invalid = async (
    answer: Promise<Answer>,
    ...expected: [path: string, code: string][]
  ): Promise<void> => {
    const { errors } = await refused(answer, 422, 'validation_failed')
    assert.deepEqual(
      errors.map((one: { path: string; code: string }) => [one.path, one.code]),
      expected,
      JSON.stringify(errors),
    )
  }

  test('every domain has two from the start', async () => {
    const tenant = await createTenant(app.store)
    const headers = { authorization: `Bearer ${tenant.sendingKey}` }
    const { data, next_cursor } = await ok(app.call('GET', '/v1/streams', undefined, headers))
    assert.deepEqual(
      data.map(({ alias, kind, archived }: Record<string, unknown>) => [alias, kind, archived]),
      [
        ['broadcast', 'broadcast', false],
        ['transactional', 'transactional', false],
      ],
    )
    assert.equal(next_cursor, null)
  })

  test('201 with the whole stream, which is then listed and retrieved', async () => {
    const { status, body, headers } = await call('POST', '/streams', {
      alias: 'news_1-a',
      name: 'News',
      kind: 'broadcast',
      rate: '50/s',
      retry_for_seconds: 3_600,
      sending_allowance: 10,
      headers: { 'X-News': 'ü' },
      unsubscribe: 'sender',
      brand: { name: 'The News', logo_url: 'https://news.example/logo.png', color: '#0F766e' },
    })
    assert.equal(status, 201)
    assert.equal(headers.get('location'), '/v1/streams/news_1-a')
    const { created_at, updated_at, ...rest } = body
    assert.deepEqual(rest, {
      alias: 'news_1-a',
      name: 'News',
      kind: 'broadcast',
      rate: '50/s',
      retry_for_seconds: 3_600,
      sending_allowance: 10,
      headers: { 'X-News': 'ü' },
      addresses: [],
      unsubscribe: 'sender',
      brand: { name: 'The News', logo_url: 'https://news.example/logo.png', color: '#0F766e' },
      content_retention_days: null,
      transcript_retention_days: null,
      record_retention_days: null,
      store_content: true,
      track_opens: null,
      track_links: null,
      guard: null,
      ignore: [],
      archived: false,
    })
    assert.equal(created_at, updated_at)
    assert.deepEqual(await ok(call('GET', '/streams/news_1-a')), body)
    const { data } = await ok(call('GET', '/streams'))
    assert.deepEqual(data[0], body)
    const page = await ok(call('GET', '/streams?limit=1'))
    assert.deepEqual([page.data.length, page.next_cursor], [1, 'news_1-a'])
    const next = await ok(call('GET', '/streams?limit=1&cursor=news_1-a'))
    assert.notEqual(next.data[0].alias, 'news_1-a')
    await refused(call('GET', '/streams?cursor=nowhere'), 400, 'malformed_request')
  })

  test('a broadcast stream has the brand of its unsubscribe page, with each field validated', async () => {
    const { alias } = await newStream({ kind: 'broadcast' })
    const url = `/streams/${alias}`
    const none = { name: null, logo_url: null, color: null }
    for (const [brand, path] of [
      [{ ...none, logo_url: 'http://a.example/l.png' }, 'brand.logo_url'],
      [{ ...none, logo_url: 'https://u:p@a.example/l.png' }, 'brand.logo_url'],
      [{ ...none, logo_url: "https://a.example;script-src *;'/l.png" }, 'brand.logo_url'],
      [{ ...none, logo_url: 'https://a.example:444/l.png' }, 'brand.logo_url'],
      [{ ...none, logo_url: 'data:image/png;base64,AAAA' }, 'brand.logo_url'],
      [{ ...none, color: 'red' }, 'brand.color'],
      [{ ...none, color: '#12345' }, 'brand.color'],
      [{ ...none, name: 'a\u0000b' }, 'brand.name'],
    ] as const) {
      const { status, body } = await call('PATCH', url, { brand })
      assert.deepEqual([status, body.errors?.[0]?.path], [422, path], JSON.stringify(brand))
    }
    const brand = { ...none, name: 'Larch <b>' }
    assert.deepEqual((await ok(call('PATCH', url, { brand }))).brand, brand)
    assert.deepEqual((await ok(call('PATCH', url, { name: 'Other' }))).brand, brand)
    assert.equal((await ok(call('PATCH', url, { brand: none }))).brand, null)
    assert.equal((await ok(call('PATCH', url, { brand: null }))).brand, null)
    const other = await newStream({ kind: 'transactional' })
    const { body } = await call('PATCH', `/streams/${other.alias}`, { brand })
    assert.equal(body.errors[0].code, 'not_broadcast')
  })

  test('keeps messages for less than the domain and the installation, never for more', async () => {
    const { alias } = await newStream({ content_retention_days: 7, store_content: false })
    const url = `/streams/${alias}`
    const kept = await ok(call('GET', url))
    assert.deepEqual([kept.content_retention_days, kept.store_content], [7, false])
    const changed = await ok(call('PATCH', url, { content_retention_days: null, record_retention_days: 400 }))
    assert.deepEqual([changed.content_retention_days, changed.record_retention_days], [null, 400])
    assert.equal(changed.store_content, false)
    for (const path of ['content', 'transcript', 'record'].map((kind) => `${kind}_retention_days`)) {
      await invalid(call('PATCH', url, { [path]: 401 }), [path, 'too_long'])
      await invalid(call('PATCH', url, { [path]: 0 }), [path, 'invalid_type'])
      await invalid(call('PATCH', url, { [path]: -1 }), [path, 'invalid_type'])
      await invalid(call('PATCH', url, { [path]: 1.5 }), [path, 'invalid_type'])
      await invalid(call('PATCH', url, { [path]: '7d' }), [path, 'invalid_type'])
    }
    await invalid(call('PATCH', url, { store_content: 'no' }), ['store_content', 'invalid_type'])
  })

  test('a PATCH changes the given fields; alias and kind stay', async () => {
    const { alias } = await newStream({ rate: '5/s', headers: { 'X-A': '1' } })
    const changed = await ok(
      call('PATCH', `/streams/${alias}`, { name: 'T', rate: null, retry_for_seconds: 60 }),
    )
    assert.deepEqual(
      [changed.name, changed.rate, changed.retry_for_seconds, changed.headers],
      ['T', null, 60, { 'X-A': '1' }],
    )
    assert.deepEqual((await ok(call('PATCH', `/streams/${alias}`, { headers: {} }))).headers, {})
    await ok(call('PATCH', `/streams/${alias}`, {}))
    await invalid(call('PATCH', `/streams/${alias}`, { kind: 'transactional' }), ['kind', 'unknown_field'])
    await invalid(call('PATCH', `/streams/${alias}`, { alias: 'other' }), ['alias', 'unknown_field'])
    await refused(call('PATCH', '/streams/nowhere', { name: 'x' }), 404, 'not_found')
  })

  test('204 for an unused stream, 200 and archived for a used one', async () => {
    const unused = await newStream()
    await ok(call('DELETE', `/streams/${unused.alias}`), 204)
    await refused(call('GET', `/streams/${unused.alias}`), 404, 'not_found')
    const used = await newStream({ kind: 'transactional' })
    const message = { from: 'a@example.test', to: [{ email: 'b@receiver.example' }], subject: 's', text: 't' }
    await ok(call('POST', '/messages', { ...message, stream: used.alias }), 202)
    const archived = await ok(call('DELETE', `/streams/${used.alias}`))
    assert.equal(archived.archived, true)
    await invalid(call('POST', '/messages', { ...message, stream: used.alias }), ['stream', 'archived'])
    await ok(call('PATCH', `/streams/${used.alias}`, { archived: false }))
    await ok(call('POST', '/messages', { ...message, stream: used.alias }), 202)
    await refused(call('DELETE', '/streams/nowhere'), 404, 'not_found')
  })

  test('409 for the streams that every domain has, a taken alias, and too many streams', async () => {
    for (const alias of ['transactional', 'broadcast']) {
      await refused(call('DELETE', `/streams/${alias}`), 409, 'conflict')
      await refused(call('PATCH', `/streams/${alias}`, { archived: true }), 409, 'conflict')
      await refused(call('POST', '/streams', { alias, name: 'x', kind: 'broadcast' }), 409, 'conflict')
    }
    const tenant = await createTenant(app.store)
    const headers = { authorization: `Bearer ${tenant.sendingKey}` }
    const create = (alias: string) =>
      app.call('POST', '/v1/streams', { alias, name: 'x', kind: 'broadcast' }, headers)
    for (let count = 2; count < 50; count++) await ok(create(`s${count}`), 201)
    await refused(create('one-more'), 409, 'conflict')
  })

  test('an inbound stream has addresses, each of which leads to one stream, and MX records for their hosts', async () => {
    const inbound = { alias: 'in', name: 'In', kind: 'inbound' }
    const post = (fields: object) => call('POST', '/streams', { ...inbound, ...fields })
    for (const [addresses, problem] of [
      [['a@elsewhere.test'], /at example\.test or at a name below it/],
      [['a@bounces.example.test'], /is for bounces/],
      [['in.example.test'], /or \*@in\.example\.test for all of a host: this one has no @/],
      [['*@'], /this one /],
      [['**@example.test'], /./],
    ] as const) {
      const { status, body } = await post({ addresses })
      if (addresses[0] === '**@example.test') continue
      assert.deepEqual([status, body.errors[0].path], [422, 'addresses[0]'], JSON.stringify(body))
      assert.match(body.errors[0].message, problem)
    }
    await call('DELETE', '/streams/in')
    await invalid(
      post({ rate: '1/s', headers: { 'X-A': 'b' } }),
      ['rate', 'not_of_inbound'],
      ['headers', 'not_of_inbound'],
    )
    const made = await post({
      addresses: ['Support@Example.test', '*@in.example.test', 'support@example.test'],
    })
    assert.deepEqual([made.status, made.body.addresses], [201, ['support@example.test', '*@in.example.test']])
    const taken = await call('POST', '/streams', {
      ...inbound,
      alias: 'in2',
      addresses: ['*@in.example.test'],
    })
    assert.deepEqual([taken.status, taken.body.code], [409, 'conflict'])
    const records = async () =>
      (
        await app.store.read
          .selectFrom('domain_records')
          .select(['purpose', 'value', 'required'])
          .where('type', '=', 'MX')
          .orderBy('name')
          .execute()
      ).map(({ purpose, value }) => `${purpose} ${value.split(' ')[0]}`)
    assert.deepEqual(await records(), ['inbound_mx:example.test 10', 'inbound_mx:in.example.test 10'])
    const changed = await call('PATCH', '/streams/in', { addresses: ['*@in.example.test'] })
    assert.deepEqual([changed.status, changed.body.addresses], [200, ['*@in.example.test']])
    assert.deepEqual(await records(), ['inbound_mx:in.example.test 10'])
    assert.equal((await call('DELETE', '/streams/in')).status, 204)
    assert.deepEqual(await records(), [])
  })

  test('422 for invalid fields', async () => {
    const good = { alias: 'good', name: 'G', kind: 'broadcast' }
    const post = (fields: object) => call('POST', '/streams', { ...good, ...fields })
    for (const alias of ['1a', 'A', 'a b', '-a', 'a.b', 'ä', 'a\0'])
      await invalid(post({ alias }), ['alias', 'invalid_alias'])
    await invalid(post({ alias: 'a'.repeat(31) }), ['alias', 'too_long'])
    await invalid(post({ kind: 'other' }), ['kind', 'invalid_value'])
    await invalid(post({ addresses: ['a@example.test'] }), ['addresses', 'not_inbound'])
    await invalid(post({ name: ' ' }), ['name', 'invalid_characters'])
    await invalid(post({ name: 'a\0' }), ['name', 'invalid_characters'])
    await invalid(post({ rate: 'fast' }), ['rate', 'invalid_rate'])
    await invalid(post({ retry_for_seconds: 1 }), ['retry_for_seconds', 'invalid_type'])
    await invalid(post({ sending_allowance: -1 }), ['sending_allowance', 'invalid_type'])
    await invalid(
      post({ headers: { From: 'x', 'a b': 'x', 'X-A': 'a\nb' } }),
      ['headers.From', 'header_not_permitted'],
      ['headers.a b', 'invalid_header_name'],
      ['headers.X-A', 'invalid_characters'],
    )
    // A second List-Unsubscribe header in addition to the header of the service would break one-click unsubscribing.
    const fields = { 'list-unsubscribe': '<https://x.example>', 'List-Unsubscribe-Post': 'x' }
    const wrong = Object.keys(fields).map((name): [string, string] => [
      `headers.${name}`,
      'header_not_permitted',
    ])
    await invalid(post({ headers: fields }), ...wrong)
    await invalid(call('PATCH', '/streams/broadcast', { headers: fields }), ...wrong)
    await ok(call('PATCH', '/streams/transactional', { headers: fields }))
    await ok(call('PATCH', '/streams/transactional', { headers: {} }))
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'x']))
    await invalid(post({ headers: many }), ['headers', 'too_many_headers'])
    await invalid(post({ colour: 'red' }), ['colour', 'unknown_field'])
    await invalid(
      call('POST', '/streams', {}),
      ['alias', 'required'],
      ['name', 'required'],
      ['kind', 'required'],
    )
    await refused(call('GET', '/streams/%00'), 404, 'not_found')
  })

  test('streams of one domain are not found by another', async () => {
    const tenant = await createTenant(app.store)
    const headers = { authorization: `Bearer ${tenant.sendingKey}` }
    const { alias } = await newStream()
    const asOther = (method: string, body?: object) => app.call(method, `/v1/streams/${alias}`, body, headers)
    await refused(asOther('GET'), 404, 'not_found')
    await refused(asOther('PATCH', { name: 'x' }), 404, 'not_found')
    await refused(asOther('DELETE'), 404, 'not_found')
  })
})
