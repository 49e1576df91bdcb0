// Tests the status codes of address lists: accepted lists, refused lists and reading results.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { Person } from '../../../test/support/person.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { callAsVerifier, onlyMailboxes } from '../../../test/support/verification.ts'
import { workbookWith } from '../../../test/support/workbook.ts'
import { workbookAsCsv } from '../../tables/workbook-reader.ts'

const URL = '/v1/verifications'

describe('lists of addresses', () => {
  let app: TestApp
  before(async () => {
    app = await TestApp.start({
      host: { script: onlyMailboxes('a', 'b', '=cmd', '+x', '-y', 'somebody') },
      env: { POSTRIDER_VERIFICATION_RATE: '10000/s' },
    })
  })
  after(() => app.stop())

  const post = (
    body: object | string | Buffer,
    { path = '', ...headers }: Record<string, string> = {},
  ): Promise<Answer> => callAsVerifier(app, 'POST', `${URL}${path}`, body, headers)
  const postCsv = (csv: string): Promise<Answer> => post(csv, { 'content-type': 'text/csv; charset=utf-8' })
  const get = (path: string, headers?: Record<string, string>): Promise<Answer> =>
    callAsVerifier(app, 'GET', path, undefined, headers)

  async function done(answer: Promise<Answer>): Promise<{ id: string; view: Answer['body'] }> {
    const { status, body, headers } = await answer
    assert.equal(status, 202, JSON.stringify(body))
    assert.match(body.verification_id, /^ver_[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.equal(headers.get('location'), `${URL}/${body.verification_id}`)
    let view: Answer['body']
    await until('the list is done', async () => {
      view = (await get(`${URL}/${body.verification_id}`)).body
      return view.status === 'done'
    })
    return { id: body.verification_id, view }
  }

  test('no cell of a table is lost: a line with more cells than the first makes the table invalid, and takes no credit', async () => {
    const credits = async (): Promise<string | null> =>
      (await get('/v1/verifyEmail?email=nonsense')).headers.get('x-verification-credits-remaining')
    const before = Number(await credits())
    const more = async (csv: string): Promise<string[]> => {
      const { status, body } = await postCsv(csv)
      assert.equal(status, 422, JSON.stringify(body))
      return body.errors.map((one: { code: string; line: number }) => `${one.line} ${one.code}`)
    }
    const named = 'email,name\na@one.example,A\nb@two.example,Doe, J\n\nc@two.example,,,x\nd@two.example,D,\n'
    assert.deepEqual(await more(named), ['3 too_many_cells', '5 too_many_cells'])
    assert.deepEqual(await more('a@one.example\nb@one.example,x\n'), ['2 too_many_cells'])
    const { body } = await postCsv(named)
    assert.match(body.errors[0].message, /^Line 3 has 3 cells, and the first one 2; /)
    assert.equal(Number(await credits()), before - 1)
    await done(postCsv('email,name\na@one.example,A,\nb@two.example,"Doe, J", ,\n'))
  })

  test('a table is read before it is verified, and its other cells are shown with its results', async () => {
    const owner = await Person.loggedIn(app)
    const check = (csv: string, query = ''): Promise<Answer> =>
      owner.call('POST', `/api/verification/verifications/check${query}`, csv, { 'content-type': 'text/csv' })
    const csv = 'Name,E-Mail\nAnn,a@one.example\nAnn,A@one.example\nBob,nonsense\n'
    const { status, body } = await check(csv)
    assert.equal(status, 200, JSON.stringify(body))
    const read = {
      total: 3,
      duplicates: 0,
      invalid: 1,
      first: ['a@one.example', 'A@one.example', 'nonsense'],
    }
    assert.deepEqual(body, { ...read, column: 'E-Mail', columns: ['Name'] })
    assert.equal((await check(csv, '?column=Name')).body.invalid, 2)
    const list = await check('a@one.example,x\na@ONE.example,y\n')
    assert.deepEqual([list.body.column, list.body.total, list.body.duplicates], [null, 1, 1])
    const wrong = await check('first,second\na,b\n')
    assert.deepEqual([wrong.status, wrong.body.errors[0].choices], [422, ['first', 'second']])
    assert.equal((await check('email\n')).status, 422)
    const { id } = await done(postCsv(csv))
    const results = async (query: string): Promise<Answer['body'][]> =>
      (await get(`${URL}/${id}/results${query}`)).body.data
    assert.deepEqual(
      (await results('?include=cells')).map(({ cells }) => cells),
      [['Ann'], ['Ann'], ['Bob']],
    )
    assert.ok((await results('')).every((one) => !('cells' in one)))
  })

  test('an array of addresses, each once', async () => {
    const { id, view } = await done(
      post(['a@one.example', ' a@ONE.example ', 'x@one.example', 'nonsense', 'nonsense', 'b@two.example']),
    )
    const { created_at, finished_at, ...rest } = view
    assert.deepEqual(rest, {
      verification_id: id,
      name: null,
      columns: [],
      status: 'done',
      total: 4,
      duplicates: 2,
      done: 4,
      seconds_left: null,
      waiting_for: null,
      results: { deliverable: 2, undeliverable: 2, risky: 0, unknown: 0 },
    })
    assert.ok(Date.parse(created_at) <= Date.parse(finished_at))
    const { body } = await get(`${URL}/${id}/results`)
    assert.equal(body.next_cursor, null)
    assert.deepEqual(
      body.data.map((one: Answer['body']) => `${one.email} ${one.internalResult}`),
      [
        'a@one.example mailbox_exists',
        'x@one.example mailbox_not_found',
        'nonsense invalid_syntax',
        'b@two.example mailbox_exists',
      ],
    )
    assert.equal(body.data[0].mxServer, 'mx.test')
  })

  test('a CSV with a column email, wherever it is', async () => {
    const bodies = [
      'name,Email,note\r\n"Doe, John",a@three.example,"x\ny"\r\nEmpty,,\r\nB,b@three.example\r\n',
      '\ufeffemail;name\na@three.example;A\nb@three.example;B\n',
      'id\t email \n1\ta@three.example\n\n2\tb@three.example',
      'name,email\r\nDoe; John,a@three.example\nB,b@three.example\r\n',
    ]
    for (const csv of bodies) {
      const { view } = await done(postCsv(csv))
      assert.deepEqual([view.total, view.results.deliverable], [2, 2], csv)
    }
  })

  test('the column of addresses by its usual names, or without a header', async () => {
    const two = 'a@three.example,A\nb@three.example,B\n'
    for (const header of ['E-Mail,n', 'Email Address,n', '"E-Mail-Adresse",n', 'Mail,n', '']) {
      const { view } = await done(postCsv(header === '' ? two : `${header}\n${two}`))
      assert.deepEqual([view.total, view.results.deliverable], [2, 2], header)
    }
    const { view } = await done(postCsv('a@three.example\nb@three.example'))
    assert.deepEqual([view.total, view.columns], [2, []])
    const named = post('email,Contact\nno@three.example,a@three.example', {
      'content-type': 'text/csv',
      path: '?column=contact',
    })
    assert.equal((await done(named)).view.results.deliverable, 1)
    const refused = await post('first,second\na,b', { 'content-type': 'text/csv', path: '?column=third' })
    assert.match(refused.body.errors[0].message, /no column named third; it has "first", "second"/)
  })

  test('name and own columns are kept, and are in the CSV, complete or by result', async () => {
    const csv =
      'Name,email,result,Note\nAnn,a@three.example,x,=1+1\nX,x@three.example,y\nAgain,a@three.example,,\n'
    const headers = {
      'content-type': 'text/csv',
      path: `?name=${encodeURIComponent("Kund:innen 'Mai'.csv")}`,
    }
    const { id, view } = await done(post(csv, headers))
    assert.deepEqual([view.name, view.columns], ["Kund:innen 'Mai'.csv", ['Name', 'result', 'Note']])
    const all = await get(`${URL}/${id}/results?format=csv`)
    assert.match(
      all.headers.get('content-disposition') ?? '',
      /filename\*=UTF-8''Kund%3Ainnen%20%27Mai%27\.csv$/,
    )
    const lines = (all.body as string).trimEnd().split('\n')
    assert.match(lines[0] ?? '', /^email,result,.*,didYouMean,Name,result,Note$/)
    assert.match(lines[1] ?? '', /^a@three\.example,deliverable,.*,Ann,x,'=1\+1$/)
    assert.match(lines[2] ?? '', /^x@three\.example,undeliverable,.*,X,y,$/)
    assert.equal(lines.length, 3)
    const some = await get(`${URL}/${id}/results?format=csv&result=deliverable`)
    assert.deepEqual((some.body as string).trimEnd().split('\n'), lines.slice(0, 2))
    const page = await get(`${URL}/${id}/results?result=undeliverable`)
    assert.deepEqual(
      page.body.data.map((one: { email: string }) => one.email),
      ['x@three.example'],
    )
  })

  test(
    'a result is an XLSX workbook on request, with the columns of the list, for any kind of list',
    thorough('1.3 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
      const rows = [
        ['Customer', 'E-Mail', 'Note'],
        ['007', 'a@three.example', '=1+1'],
        ['8', 'x@three.example', ''],
      ]
      const { id, view } = await done(
        post(await workbookWith(rows), { 'content-type': type, path: '?name=people.xlsx' }),
      )
      assert.deepEqual([view.name, view.columns, view.total], ['people.xlsx', ['Customer', 'Note'], 2])
      const response = await fetch(
        new globalThis.URL(`${URL}/${id}/results?result=deliverable`, app.app.url),
        {
          headers: { accept: type, authorization: `Bearer ${app.playground.verification_key}` },
        },
      )
      assert.equal(response.headers.get('content-type'), type)
      assert.match(
        response.headers.get('content-disposition') ?? '',
        /filename\*=UTF-8''people-deliverable\.xlsx$/,
      )
      const csv = await workbookAsCsv(Buffer.from(await response.arrayBuffer()), 10_000)
      assert.match(
        csv,
        /^email,result,.*,didYouMean,Customer,Note\na@three\.example,deliverable,.*,007,=1\+1$/,
      )
      const other = await get(`${URL}/${id}/results?format=csv`)
      assert.match(other.headers.get('content-disposition') ?? '', /people\.csv$/)
      // A file that is not a workbook, or that unpacks to more than a CSV may contain, is refused before a list is
      // created.
      const wide = Array.from({ length: 11 }, () => ['x'.repeat(1_000_000)])
      for (const [body, status, code] of [
        ['email\na@three.example\n', 400, 'malformed_request'],
        [await workbookWith(wide), 400, 'malformed_request'],
        [
          await workbookWith([
            ['first', 'second'],
            ['a', 'b'],
          ]),
          422,
          'validation_failed',
        ],
      ] as const) {
        await refused(post(body, { 'content-type': type }), status, code)
      }
      const unclear = await post(
        await workbookWith([
          ['first', 'second', ''],
          ['a', 'b'],
        ]),
        { 'content-type': type },
      )
      assert.deepEqual(unclear.body.errors[0].choices, ['first', 'second'])
      const double = await post('E-Mail,name,email\na@b.test,x,b@b.test\n', { 'content-type': 'text/csv' })
      assert.deepEqual(double.body.errors[0].choices, ['E-Mail', 'email'])
      const elsewhere = await app.call('POST', '/v1/messages', 'x', { 'content-type': type })
      assert.match(elsewhere.body.detail, /^Send JSON, with the header/)
    },
  )

  test('a cancelled list keeps verified results, and the rest takes no credits', async () => {
    const { id } = await done(post(['a@one.example']))
    const cancel = (one: string) => callAsVerifier(app, 'POST', `${URL}/${one}/cancel`)
    assert.equal((await cancel(id)).status, 409)
    assert.equal((await cancel('ver_nonsense')).status, 404)
    app.host.script = (command) => (command.verb === 'RCPT' ? new Promise(() => {}) : undefined)
    const { body } = await post(Array.from({ length: 300 }, (_, index) => `x${index}@slow.example`))
    const cancelled = await cancel(body.verification_id)
    assert.deepEqual([cancelled.status, cancelled.body.status, cancelled.body.done], [200, 'cancelled', 0])
    assert.ok(Date.parse(cancelled.body.finished_at) > 0)
    app.host.script = onlyMailboxes('a', 'b', '=cmd', '+x', '-y', 'somebody')
    await done(post(['a@one.example']))
    assert.equal((await get(`${URL}/${body.verification_id}`)).body.done, 0)
  })

  test('results come in pages', async () => {
    const emails = Array.from({ length: 25 }, (_, index) => `x${index}@pages.example`)
    const { id } = await done(post(emails))
    const found: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 3; pages++) {
      const { body } = await get(`${URL}/${id}/results?limit=10${cursor}`)
      found.push(...body.data.map((one: { email: string }) => one.email))
      cursor = `&cursor=${body.next_cursor}`
      assert.equal(body.next_cursor === null, pages === 2)
    }
    assert.deepEqual(found, emails)
  })

  test('results as a CSV, in which no cell is a formula', async () => {
    const { id } = await done(post(['=cmd@a.example', '+x@a.example', '-y@a.example', '@nonsense', 'a"b,c']))
    for (const answer of [
      await get(`${URL}/${id}/results?format=csv`),
      await get(`${URL}/${id}/results`, { accept: 'text/csv' }),
    ]) {
      assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/)
      assert.match(
        answer.headers.get('content-disposition') ?? '',
        /^attachment; filename="(ver_.*\.csv)"; filename\*=UTF-8''\1$/,
      )
      const lines = (answer.body as string).trimEnd().split('\n')
      assert.match(lines[0] ?? '', /^email,result,internalResult,mxServer,/)
      assert.deepEqual(
        lines.slice(1).map((line) => line.split(',')[0]),
        ["'=cmd@a.example", "'+x@a.example", "'-y@a.example", "'@nonsense", '"a""b'],
      )
      assert.ok((answer.body as string).split(/[,\n]/).every((cell) => !/^[=+\-@]/.test(cell)))
    }
    const json = await get(`${URL}/${id}/results?format=json`, { accept: 'text/csv' })
    assert.equal(json.body.data[0].email, '=cmd@a.example')
  })

  async function refused(
    answer: Promise<Answer>,
    status: number,
    code: string,
    path?: string,
  ): Promise<void> {
    const before = await app.store.read.selectFrom('verifications').select('id').execute()
    const { status: got, body } = await answer
    assert.deepEqual([got, body.code], [status, code], JSON.stringify(body))
    if (path !== undefined) assert.equal(body.errors[0].path, path)
    const after = await app.store.read.selectFrom('verifications').select('id').execute()
    assert.equal(after.length, before.length)
  }

  test('an invalid list is refused', async () => {
    await refused(post('{"emails":[]}'), 400, 'malformed_request')
    await refused(post('["a@b.example"'), 400, 'malformed_request')
    await refused(post('"a@b.example"'), 400, 'malformed_request')
    await refused(callAsVerifier(app, 'POST', URL), 400, 'malformed_request')
    await refused(post('a', { 'content-type': 'text/plain' }), 400, 'malformed_request')
    await refused(post([]), 422, 'validation_failed')
    await refused(post(['a@b.example', 7]), 422, 'validation_failed', '[1]')
    await refused(post([['a@b.example']]), 422, 'validation_failed', '[0]')
    await refused(post([...Array.from({ length: 500 }, () => 'x'), 7]), 422, 'validation_failed', '[500]')
    await refused(post(['a@b.example', 'a\0b']), 422, 'validation_failed', '[1]')
    const long = ['a@b.example', randomBytes(4_000).toString('hex')]
    await refused(post(long), 422, 'validation_failed', '[1]')
    await refused(post(Array.from({ length: 100_001 }, () => 'x')), 422, 'validation_failed')
    await refused(post(`["${'x'.repeat(11_000_000)}"]`), 413, 'body_too_large')
  })

  test('a missing body or one of another kind is refused with the allowed kinds', async () => {
    for (const type of ['text/csv', 'text/plain', 'application/x-www-form-urlencoded']) {
      const isMissing = type === 'text/csv'
      const { body } = await post(isMissing ? '' : 'a@b.example', { 'content-type': type })
      const [detail, none] = body.detail.split('The request has no body. ').reverse()
      assert.equal(none, isMissing ? '' : undefined, type)
      assert.match(detail, /^Send JSON, CSV or XLSX, .* application\/json, text\/csv or /, type)
    }
  })

  test(
    'a list that is no CSV of addresses is refused',
    thorough('1.1 CPU s; the other tests of the file cover the common cases'),
    async () => {
      await refused(postCsv('email\n"a@b.example'), 400, 'malformed_request')
      await refused(postCsv('name,contact\na,b\n'), 422, 'validation_failed', 'email')
      await refused(postCsv('email\n\n\n'), 422, 'validation_failed', 'email')
      await refused(postCsv(`email\n${'x@y.example\n'.repeat(100_001)}`), 422, 'validation_failed', 'email')
      await refused(postCsv(`email${','.repeat(500)}\nx@y.example\n`), 422, 'validation_failed', 'email')
    },
  )

  test('other keys are refused before the body is read', async () => {
    const headers = { authorization: `Bearer ${app.playground.sending_key}` }
    await refused(post(['a@b.example'], { authorization: 'Bearer x' }), 401, 'authentication_failed')
    await refused(post(['a@b.example'], headers), 403, 'key_kind_not_permitted')
    await refused(post([], headers), 403, 'key_kind_not_permitted')
    const csv = { ...headers, 'content-type': 'text/csv' }
    await refused(post('name\na\n', csv), 403, 'key_kind_not_permitted')
    await refused(
      app.call('POST', '/v1/messages', 'a,b', { 'content-type': 'text/csv' }),
      400,
      'malformed_request',
    )
    await refused(app.call('POST', '/v1/messages', []), 400, 'malformed_request')
  })

  test('a list of another account is not found', async () => {
    const { id } = await done(post(['a@one.example']))
    const other = await createTenant(app.store)
    const headers = { authorization: `Bearer ${other.verificationKey}` }
    for (const path of [`${URL}/${id}`, `${URL}/${id}/results`, `${URL}/${id}/results?format=csv`]) {
      const { status, body } = await get(path, headers)
      assert.deepEqual([status, body.code], [404, 'not_found'])
      assert.equal((await app.call('GET', path)).status, 403)
    }
    assert.equal((await get(`${URL}/ver_nonsense`)).status, 404)
    const refusal = await post(['a@one.example'], headers)
    assert.deepEqual([refusal.status, refusal.body.code], [403, 'verification_credits_exhausted'])
  })

  test('an invalid query is refused', async () => {
    const { id } = await done(post(['a@one.example']))
    for (const [query, status] of [
      ['cursor=x', 400],
      ['cursor=-1', 400],
      ['limit=0', 422],
      ['limit=201', 422],
      ['format=xml', 422],
      ['page=2', 422],
    ]) {
      assert.equal((await get(`${URL}/${id}/results?${query}`)).status, status, String(query))
    }
  })
})
