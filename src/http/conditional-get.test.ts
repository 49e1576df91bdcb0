// Tests that responses to the dashboard are compressed, and not sent again to a client that already has the response.

import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { TestApp } from '../../test/support/app.ts'
import { Person } from '../../test/support/person.ts'

describe('answers to the dashboard', () => {
  let app: TestApp
  let owner: Person
  let path: string
  before(async () => {
    app = await TestApp.start()
    owner = await Person.loggedIn(app)
    const { body } = await owner.call('GET', '/api/domains')
    path = `/api/domains/${body.data[0].domain_id}/messages`
    for (let i = 0; i < 5; i++) await app.messageIn(await app.send({ subject: `Message ${i}` }), 'delivered')
  })
  after(() => app.stop())

  /** Returns a response, and its bytes before decompression. */
  const ask = (headers: Record<string, string>): Promise<{ answer: IncomingMessage; bytes: Buffer }> =>
    new Promise((resolve, reject) => {
      const url = new URL(path, app.app.url)
      const request = get(url, { headers: { cookie: owner.cookie, origin: app.app.url, ...headers } })
      request.on('error', reject).on('response', async (answer) => {
        resolve({ answer, bytes: Buffer.concat(await answer.toArray()) })
      })
    })

  test('are compressed for clients that accept gzip', async () => {
    const plain = await ask({})
    assert.equal(plain.answer.headers['content-encoding'], undefined)
    const gzipped = await ask({ 'accept-encoding': 'br, gzip' })
    assert.equal(gzipped.answer.headers['content-encoding'], 'gzip')
    assert.deepEqual(JSON.parse(gunzipSync(gzipped.bytes).toString()), JSON.parse(plain.bytes.toString()))
    assert.ok(gzipped.bytes.length < plain.bytes.length / 2)
    const refused = await ask({ 'accept-encoding': 'gzip;q=0' })
    assert.equal(refused.answer.headers['content-encoding'], undefined)
  })

  test('are not sent again while they are unchanged, and never to another login', async () => {
    const first = await ask({})
    const etag = first.answer.headers.etag ?? ''
    const again = await ask({ 'if-none-match': etag })
    assert.deepEqual([again.answer.statusCode, again.bytes.length], [304, 0])
    await app.send({ subject: 'One more' })
    assert.equal((await ask({ 'if-none-match': etag })).answer.statusCode, 200)
    assert.equal((await ask({ 'if-none-match': etag, cookie: '' })).answer.statusCode, 401)
  })

  test('have no ETag if they are refusals', async () => {
    const refused = await owner.call('GET', `${path}?limit=x`)
    assert.deepEqual([refused.status, refused.headers.get('etag')], [422, null])
  })
})
