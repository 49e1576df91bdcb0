// The preview of a draft by status code: a form of our own pages gets a document that does nothing.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../../test/support/app.ts'
import { Person } from '../../../../test/support/person.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('the preview', () => {
  let app: TestApp
  let owner: Person
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } })
    owner = await Person.loggedIn(app)
  })
  after(() => app.stop())

  const post = (html: string, headers: Record<string, string> = {}, person = owner) =>
    person.call('POST', '/api/preview', new URLSearchParams({ html }).toString(), { ...FORM, ...headers })

  test('200 with the document and a policy that lets nothing happen', async () => {
    const { status, body, headers } = await post(
      '<p>ü & <b>1+1</b></p><link rel=preconnect href=//x.example>',
    )
    assert.equal(status, 200)
    assert.ok(body.endsWith('<p>ü & <b>1+1</b></p><x-link rel=preconnect href=//x.example>'), body)
    assert.match(
      headers.get('content-security-policy') ?? '',
      /^sandbox; default-src 'none'; .*frame-ancestors 'self'$/,
    )
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(headers.get('cache-control') ?? '', /no-store/)
  })

  test('refused for strangers, other sites, and what is no form of ours', async () => {
    assert.equal((await post('x', {}, new Person(app))).status, 401)
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: '' }]) {
      assert.equal((await post('x', headers)).body.code, 'origin_not_permitted')
    }
    assert.equal((await owner.call('POST', '/api/preview', 'htm=x', FORM)).status, 422)
    assert.equal(
      (await owner.call('POST', '/api/preview', 'x', { 'content-type': 'text/plain' })).status,
      400,
    )
  })
})
