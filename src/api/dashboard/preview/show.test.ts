// Tests the status codes of previews: a draft as an inert document, and a table as the CSV that the service reads.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestApp } from '../../../../test/support/app.ts'
import { Person } from '../../../../test/support/person.ts'
import { workbookWith } from '../../../../test/support/workbook.ts'
import { WORKBOOK_TYPE } from '../../../tables/workbook-writer.ts'

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

  test('200 with the document and a policy that allows nothing', async () => {
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

  test('is refused for strangers, other sites, and other forms', async () => {
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
  test('of a table is the part that the service reads: the first sheet of a workbook as CSV', async () => {
    const table = (body: Buffer | string, type: string, person = owner) =>
      person.call('POST', '/api/preview/table', body, { 'content-type': type })
    const rows = [
      ['Name', 'E-Mail'],
      ['Zoë, of the shop', 'zoe@receiver.example'],
    ]
    const { status, body, headers } = await table(await workbookWith(rows), WORKBOOK_TYPE)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(body, 'Name,E-Mail\n"Zoë, of the shop",zoe@receiver.example')
    assert.equal((await table('a;b\n', 'text/csv')).body, 'a;b\n')
    assert.equal((await table('no workbook', WORKBOOK_TYPE)).body.code, 'malformed_request')
    assert.equal((await table('{}', 'application/json')).status, 400)
    assert.equal((await table('a', 'text/csv', new Person(app))).status, 401)
  })
})
