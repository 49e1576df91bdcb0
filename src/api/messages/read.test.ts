// Tests GET /v1/messages and GET /v1/messages/{id}: fields, access and refusals.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../test/support/app.ts'
import { settled } from '../../../test/support/store.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { thorough } from '../../../test/support/thorough.ts'

describe('reading messages', () => {
  let app: TestApp
  let stranger: Tenant
  let id: string
  before(async () => {
    app = await TestApp.start()
    stranger = await createTenant(app.store, { domain: 'stranger.test' })
    id = await app.send({ tag: 'one', subject: 'Needle in 100%' })
    await app.messageIn(id, 'delivered')
  })
  after(() => app.stop())

  test('404, the same for a message of another domain and for one that does not exist', async () => {
    const authorization = `Bearer ${stranger.sendingKey}`
    const missing = 'msg_00000000000000000000000000'
    for (const suffix of ['', '?include=content', '/raw']) {
      const foreign = await app.call('GET', `/v1/messages/${id}${suffix}`, undefined, { authorization })
      const none = await app.call('GET', `/v1/messages/${missing}${suffix}`, undefined, { authorization })
      assert.equal(foreign.status, 404)
      assert.deepEqual({ ...foreign.body, request_id: '' }, { ...none.body, request_id: '' })
    }
    const list = await app.call('GET', '/v1/messages', undefined, { authorization })
    assert.deepEqual(list.body, { data: [], next_cursor: null })
  })

  test(
    'what is too long to be shown says so, and is whole at its raw_url',
    thorough('0.6 CPU s: large contents and complete documents'),
    async () => {
      const html = `<p>begin</p>${`<p>${'x'.repeat(60)}</p>\n`.repeat(32_000)}<p>the end</p>`
      for (const [body, incomplete] of [
        [html, true],
        ['<p>short</p>', false],
      ] as const) {
        const long = await app.send({ html: body, text: 'In short.' })
        const { body: shown } = await app.call('GET', `/v1/messages/${long}?include=content`)
        assert.equal(shown.content_incomplete, incomplete)
        assert.equal(shown.text.trim(), 'In short.')
        assert.ok(shown.html.startsWith(body.slice(0, 12)))
        if (!incomplete) continue
        assert.ok(!shown.html.includes('the end'))
        const { body: raw } = await app.call('GET', shown.raw_url)
        assert.ok(raw.includes('the end'))
      }
    },
  )

  test('a message names its key, its template, its layout and its reply addresses', async () => {
    const record = async (message: string) => (await app.call('GET', `/v1/messages/${message}`)).body
    const plain = await record(id)
    assert.match(plain.key.key_id, /^key_/)
    assert.deepEqual([plain.key.kind, plain.key.name], ['sending', 'Playground'])
    assert.deepEqual(
      ['template_id', 'template_alias', 'layout', 'reply_to'].filter((name) => name in plain),
      [],
    )
    const around = { alias: 'frame', name: 'Frame', html: '<p>{{{ @content }}}</p>' }
    const { body: layout } = await app.call('POST', '/v1/layouts', around)
    const shape = { alias: 'hello', name: 'Hello', subject: 'Hello', html: 'Hello', layout: 'frame' }
    const { body: template } = await app.call('POST', '/v1/templates', shape)
    const { template_id } = template
    assert.ok(layout.layout_id && template_id, JSON.stringify([layout, template]))
    const mail = { from: 'hello@example.test', to: [{ email: 'ann@receiver.example' }] }
    const reply_to = [{ email: 'help@example.test', name: 'Help' }, { email: 'two@example.test' }]
    const { body } = await app.call('POST', '/v1/messages', { ...mail, template_id, reply_to })
    const found = await record(body.message_id)
    const { key: _, ...names } = found
    assert.deepEqual([names.template_id, names.template_alias, names.layout], [template_id, 'hello', 'frame'])
    assert.deepEqual(names.reply_to, [reply_to[0], { email: 'two@example.test', name: null }])
    // The record keeps the names at the time of the acceptance.
    await app.call('DELETE', `/v1/templates/${template_id}`)
    assert.equal((await record(body.message_id)).template_alias, 'hello')
  })

  test('403 for a Verification key, 401 without one', async () => {
    for (const path of ['/v1/messages', `/v1/messages/${id}`, `/v1/messages/${id}/raw`]) {
      const authorization = `Bearer ${app.playground.verification_key}`
      assert.equal((await app.call('GET', path, undefined, { authorization })).status, 403)
      assert.equal((await app.call('GET', path, undefined, { authorization: '' })).status, 401)
    }
  })

  test('a list is narrowed by each filter', async () => {
    const list = async (query: string): Promise<string[]> => {
      const { status, body } = await app.call('GET', `/v1/messages?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.data.map((message: { message_id: string }) => message.message_id)
    }
    await app.send({ subject: 'Other' })
    const jane = await app.send({
      to: [{ email: 'Jane.Doe+150@receiver.example' }],
      subject: 'Grüße, Müller',
    })
    await settled(app.store)
    for (const hit of [
      'recipient=jane.doe%2B150%40receiver.example',
      'recipient=JANE.DOE%2B150%40RECEIVER.EXAMPLE',
      'recipient=jane',
      'subject=muller',
      'subject=GRUSSE+MULLER',
      'subject=gr%C3%BC',
    ]) {
      assert.deepEqual(await list(hit), [jane], hit)
    }
    for (const hit of [
      'tag=one',
      'status=delivered&tag=one',
      'recipient=you%40receiver.example&tag=one',
      'subject=needle',
      'subject=100%25',
      'subject=NEED+10',
      'recipient=you%40&tag=one',
      'recipient=you%40RECEIVER.ex&tag=one',
      'stream=transactional&tag=one&subject=needle&recipient=you',
      'stream=transactional&tag=one',
      'after=2020-01-01T00:00:00Z&tag=one',
      'after=2020-01-01T00:00:00+01:00&tag=one',
      'before=2100-01-01T00:00:00%2B02:00&tag=one',
    ]) {
      assert.deepEqual(await list(hit), [id], hit)
    }
    for (const miss of [
      'tag=two',
      'recipient=a%40b.example',
      'subject=n_edle',
      'subject=eedle',
      'subject=%21%21',
      'subject=needle+haystack',
      'recipient=y%25',
      'stream=broadcast',
      'status=bounced',
      'before=2020-01-01T00:00:00Z',
    ]) {
      assert.deepEqual(await list(miss), [], miss)
    }
  })

  test('a list comes in pages, newest first', async () => {
    for (let count = 0; count < 5; count++) await app.send({ tag: 'page' })
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`
      const { body } = await app.call('GET', `/v1/messages?tag=page&limit=2${next}`)
      seen.push(...body.data.map((message: { message_id: string }) => message.message_id))
      cursor = body.next_cursor
    } while (cursor !== null)
    assert.equal(seen.length, 5)
    assert.deepEqual(seen, [...seen].sort().reverse())
  })

  test('400 for a cursor that is none, 422 for filters that are none', async () => {
    for (const cursor of ['x', '%00zz', 'x'.repeat(1_000)]) {
      const { status, body } = await app.call('GET', `/v1/messages?cursor=${cursor}`)
      assert.equal(status, 400, cursor)
      assert.equal(body.code, 'malformed_request')
    }
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=x',
      'limit=1.5',
      'limit=true',
      'status=x',
      'after=x',
      'colour=red',
      'tag=a&tag=b',
    ]) {
      const { status, body } = await app.call('GET', `/v1/messages?${query}`)
      assert.equal(status, 422, query)
      assert.equal(body.errors.length, 1, JSON.stringify(body.errors))
    }
  })

  test('the raw form is a file, never a page', async () => {
    const { headers } = await app.call('GET', `/v1/messages/${id}/raw`)
    assert.equal(headers.get('content-type'), 'message/rfc822')
    assert.match(headers.get('content-disposition') ?? '', /^attachment/)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })
})

describe('the operator’s endpoints', () => {
  test(
    'say that the node is alive and ready, its figures, and its API',
    thorough('0.7 CPU s: large contents and complete documents'),
    async () => {
      const app = await TestApp.start()
      try {
        assert.deepEqual((await app.call('GET', '/healthz')).body, { status: 'alive' })
        assert.equal((await app.call('GET', '/readyz')).body.status, 'ready')
        assert.match((await app.call('GET', '/metrics')).body, /postrider_attempts_in_flight 0/)
        const { body } = await app.call('GET', '/v1/openapi.json')
        assert.equal(body.openapi, '3.1.0')
        for (const path of ['/v1/messages', '/v1/messages/{message_id}', '/v1/messages/{message_id}/raw']) {
          assert.ok(body.paths[path], path)
        }
        assert.match((await app.call('GET', '/docs')).body, /<title>Postrider API/)
        assert.equal((await app.call('GET', '/nowhere')).body.code, 'not_found')
      } finally {
        await app.stop()
      }
    },
  )
})
