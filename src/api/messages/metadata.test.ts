// Tests finding messages and events by their metadata, and the limits of metadata.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { settled } from '../../../test/support/store.ts'

describe('metadata', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start()
  })
  after(() => app.stop())

  const found = async (path: string, query: string): Promise<string[]> => {
    const { status, body } = await app.call('GET', `${path}?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return [...new Set<string>(body.data.map((one: { message_id: string }) => one.message_id))]
  }
  const refused = async (path: string, query: string): Promise<string[]> => {
    const { status, body } = await app.call('GET', `${path}?${query}`)
    assert.equal(status, 422, JSON.stringify(body))
    return body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
  }

  test('finds messages at once, and their events, by the values of the first ten keys', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, `v ${index}`]))
    const id = await app.send({ metadata: { ...metadata, k0: 'größe, 50%_ "x"' } })
    const other = await app.send({ metadata: { k1: 'v 1', plan: 'x'.repeat(16_000) } })
    await app.send()
    const first = `metadata.k0=${encodeURIComponent('größe, 50%_ "x"')}`
    const cases: [query: string, ids: string[]][] = [
      [first, [id]],
      [`${first}&metadata.k9=v+9`, [id]],
      [`${first}&metadata.k9=v+8`, []],
      ['metadata.k1=v+1', [other, id]],
      ['metadata.k1=v+1&recipient=you%40receiver.example', [other, id]],
      ['metadata.k1=V+1', []],
      ['metadata.k1=v', []],
      ['metadata.K1=v+1', []],
      ['metadata.k10=v+10', []],
    ]
    for (const [query, ids] of cases) assert.deepEqual(await found('/v1/messages', query), ids, query)
    await app.messageIn(id, 'delivered')
    await app.messageIn(other, 'delivered')
    await settled(app.store)
    for (const [query, ids] of cases) {
      assert.deepEqual(await found('/v1/messages', query), ids, query)
      assert.deepEqual((await found('/v1/events', query)).sort(), ids.toSorted(), query)
      assert.deepEqual((await found('/v1/events', `order=asc&${query}`)).sort(), ids.toSorted(), query)
    }
    const pages: Answer['body'][] = []
    for (let cursor = ''; ; ) {
      const { body } = await app.call('GET', `/v1/events?limit=1&${first}${cursor}`)
      pages.push(...body.data)
      if (body.next_cursor === null) break
      cursor = `&cursor=${body.next_cursor}`
    }
    assert.deepEqual(
      pages.map(({ type, message_id }) => [type, message_id]),
      ['delivered', 'sending', 'accepted'].map((type) => [type, id]),
    )
    assert.equal(Object.keys(pages[0].metadata).length, 50)
  })

  test('refuses an empty, repeated or nameless filter, and more values than can be searched', async () => {
    for (const path of ['/v1/messages', '/v1/events']) {
      assert.deepEqual(await refused(path, 'metadata.a='), ['metadata.a too_short'])
      assert.deepEqual(await refused(path, 'metadata.a=1&metadata.a=2'), ['metadata.a duplicate_field'])
      assert.deepEqual(await refused(path, 'metadata.=1'), ['metadata. unknown_field'])
      assert.deepEqual(await refused(path, 'metadata=1'), ['metadata unknown_field'])
      assert.deepEqual(await refused(path, 'metadata.a=%00'), ['metadata.a invalid_characters'])
      const many = Array.from({ length: 11 }, (_, index) => `metadata.k${index}=v`).join('&')
      assert.deepEqual(await refused(path, many), ['metadata too_many'])
    }
  })
})
