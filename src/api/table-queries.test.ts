// Tests that the query of a request with a table or JSON lines is validated and converted like the query of any other
// request.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../test/support/app.ts'
import { ROUTES_WITH_BODY } from '../../test/support/routes-with-body.ts'

const CSV = 'text/csv'
const LINES = 'application/x-ndjson'

interface Sent {
  readonly type: string
  readonly body: string
  /** Query parameters without which the request would be invalid. */
  readonly query?: string
}

const table: Sent = { type: CSV, body: 'email\na@receiver.example\n' }
const MESSAGE = 'from=hello@example.test&subject=s&text=t'

/**
 * For each route: accepted bodies, the name of a text field in the query, and invalid queries with the expected
 * problems.
 */
const ROUTES: Readonly<
  Record<string, { sent: readonly Sent[]; text: string; wrong: Record<string, string> }>
> = {
  'POST /v1/bulk': {
    sent: [
      { ...table, query: MESSAGE },
      {
        type: LINES,
        body: '{"from":"hello@example.test","subject":"s","text":"t"}\n{"to":"b@receiver.example"}\n',
      },
    ],
    text: 'name',
    wrong: {
      'track_opens=maybe': 'track_opens invalid_type',
      'require_tls=2': 'require_tls invalid_type',
      [`name=${'n'.repeat(3_000)}`]: 'name too_long',
      'name=': 'name too_short',
    },
  },
  'POST /v1/verifications': {
    sent: [table],
    text: 'name',
    wrong: { [`name=${'n'.repeat(201)}`]: 'name too_long', 'column=': 'column too_short' },
  },
  'POST /v1/suppressions': { sent: [table], text: 'column', wrong: { 'column=': 'column too_short' } },
  'POST /v1/suppressions/remove': {
    sent: [table],
    text: 'column',
    wrong: { 'force=perhaps': 'force invalid_type', 'column=': 'column too_short' },
  },
}

describe('the query of a table', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
  })
  after(() => app.stop())

  const post = (path: string, { type, body, query = '' }: Sent, more = ''): Promise<Answer> => {
    const { sending_key, verification_key } = app.playground
    const key = path.endsWith('verifications') ? verification_key : sending_key
    const search = [query, more].filter((one) => one !== '').join('&')
    return app.callWith('POST', search === '' ? path : `${path}?${search}`, body, {
      authorization: `Bearer ${key}`,
      'content-type': type,
    })
  }
  const toldBy = ({ status, body }: Answer): string[] => {
    assert.equal(status, 422, JSON.stringify(body))
    return body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
  }

  test('every route that takes tables and has a query is listed here', () => {
    const names = ROUTES_WITH_BODY.filter(
      ({ schema, body }) => schema.querystring !== undefined && body?.kinds?.includes('csv'),
    ).map(({ method, url }) => `${method} ${url}`)
    assert.deepEqual(names.sort(), Object.keys(ROUTES).sort())
  })

  for (const [name, { sent, text, wrong }] of Object.entries(ROUTES)) {
    const path = name.replace('POST ', '')
    for (const one of sent) {
      test(`${name}, ${one.type}: given twice, unknown, of a wrong shape, or all of these`, async () => {
        assert.deepEqual(toldBy(await post(path, one, `${text}=a&${text}=b`)), [`${text} duplicate_field`])
        assert.deepEqual(toldBy(await post(path, one, 'nonesuch=1')), ['nonesuch unknown_field'])
        for (const [given, problem] of Object.entries(wrong)) {
          assert.deepEqual(toldBy(await post(path, one, given)), [problem])
        }
        const all = toldBy(await post(path, one, `nonesuch=1&${text}=a&${text}=b`))
        assert.deepEqual(all.sort(), [`${text} duplicate_field`, 'nonesuch unknown_field'].sort())
        const { status, body } = await post(path, one)
        assert.ok(status === 200 || status === 202, JSON.stringify(body))
      })
    }
  }

  test('with a body of another shape: both are reported', async () => {
    const remove = { type: 'application/json', body: '{"suppressions":5}' }
    assert.deepEqual(toldBy(await post('/v1/suppressions/remove', remove, 'nonesuch=1')), [
      'nonesuch unknown_field',
      'suppressions invalid_type',
    ])
  })

  test('its values take effect: the message of a bulk, and the removal of complaints', async () => {
    const query = 'require_tls=true&track_opens=false&track_links=false&html=%3Cp%3Ex%3C/p%3E'
    const bulk = { type: CSV, body: 'email\nc@receiver.example\n', query: MESSAGE }
    const answer = await post('/v1/bulk', bulk, query)
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    const complaint = { type: CSV, body: 'email,reason\nx@receiver.example,complaint\n' }
    assert.equal((await post('/v1/suppressions', complaint)).body.added, 1)
    const outcome = async (force: string) => {
      const { removed, complaints_kept } = (await post('/v1/suppressions/remove', complaint, force)).body
      return [removed, complaints_kept]
    }
    assert.deepEqual(await outcome(''), [0, 1])
    assert.deepEqual(await outcome('force=false'), [0, 1])
    assert.deepEqual(await outcome('force=true'), [1, 0])
  })
})
