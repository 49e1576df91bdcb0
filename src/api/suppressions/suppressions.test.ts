// Tests the suppression lists over HTTP: adding, reading, exporting and removing addresses, and the effects on sending.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ok } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { suppress } from '../../store/workspace/suppressions.ts'

describe('suppressions', () => {
  let app: TestApp
  let tenant: Tenant
  let made = 0
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api' } })
    tenant = await createTenant(app.store)
  })
  after(() => app.stop())

  /** Returns a function that calls the API as a given tenant, so that tests do not share lists. */
  const as =
    (who: Tenant) =>
    (method: string, path: string, body?: object | string, headers = {}) =>
      app.call(method, `/v1${path}`, body, { authorization: `Bearer ${who.sendingKey}`, ...headers })
  const call = (method: string, path: string, body?: object | string, headers = {}): Promise<Answer> =>
    as(tenant)(method, path, body, headers)
  async function refused(answer: Promise<Answer>, status: number, code: string): Promise<Answer['body']> {
    const { status: got, body } = await answer
    assert.equal(got, status, JSON.stringify(body))
    assert.equal(body.code, code)
    return body
  }
  const somebody = (): string => `r${++made}@receiver.example`
  /** Sends a message to an address, and returns the status of the recipient. */
  async function sent(email: string, stream = 'transactional'): Promise<string> {
    const from = `a@${tenant.domain.name}`
    const request = { from, to: [{ email }], subject: 's', text: 't', stream }
    const { message_id } = await ok(call('POST', '/messages', request), 202)
    return (await ok(call('GET', `/messages/${message_id}`))).to[0].status
  }

  test('201 for one, which is shown, found and obeyed; 200 when it existed', async () => {
    const email = somebody()
    const before = await sent(email)
    const added = await ok(
      call('POST', '/suppressions', { email: email.toUpperCase().replace('R', 'r') }),
      201,
    )
    const { created_at, suppression_id, ...rest } = added
    assert.match(suppression_id, /^sup_/)
    assert.equal(rest.email.split('@')[1], 'receiver.example')
    assert.deepEqual(
      { ...rest, email: '' },
      { email: '', stream: 'transactional', reason: 'manual', origin: 'customer', message_id: null },
    )
    assert.match(created_at, /^\d{4}-\d\d-\d\dT/)
    assert.deepEqual(
      await ok(call('POST', '/suppressions', { email: added.email, reason: 'unsubscribe' })),
      added,
    )
    const { data } = await ok(call('GET', `/suppressions?email=${encodeURIComponent(added.email)}`))
    assert.deepEqual(data, [added])
    for (const part of [added.email.toUpperCase(), 'R1@RECEIVER']) {
      const found = await ok(call('GET', `/suppressions?email=${encodeURIComponent(part)}`))
      assert.deepEqual(found.data, data, part)
    }
    assert.deepEqual((await ok(call('GET', '/suppressions?email=nobody%25'))).data, [])
    assert.deepEqual([before, await sent(added.email)], ['queued', 'suppressed'])
    assert.equal(await sent(added.email, 'broadcast'), 'queued', 'another stream')
  })

  test('a complaint replaces any other reason, and nothing replaces a complaint', async () => {
    const email = somebody()
    const add = async (reason: string) => (await call('POST', '/suppressions', { email, reason })).body.reason
    for (const first of ['manual', 'hard_bounce', 'unsubscribe']) {
      assert.equal(await add(first), first)
      assert.equal(await add('complaint'), 'complaint')
      assert.equal(await add(first), 'complaint')
      await ok(call('DELETE', `/suppressions/${email}?force=true`), 204)
    }
    const entry = (reason: string) => ({ email, reason })
    const suppressions = [entry('complaint'), entry('manual')]
    const counted = async () => {
      const { added, existing } = await ok(call('POST', '/suppressions', { suppressions }))
      return [added, existing]
    }
    assert.equal(await add('manual'), 'manual')
    assert.deepEqual(await counted(), [0, 1])
    const { data } = await ok(call('GET', `/suppressions?email=${email}`))
    assert.deepEqual(
      data.map(({ reason }: { reason: string }) => reason),
      ['complaint'],
    )
  })

  test('an address counts in its canonical spelling', async () => {
    await ok(call('POST', '/suppressions', { email: 'spelled@RECEIVER.Example' }), 201)
    assert.equal(await sent('spelled@receiver.example'), 'suppressed')
    await ok(call('POST', '/suppressions', { email: 'idn@bücher.example' }), 201)
    assert.equal(await sent('idn@xn--bcher-kva.example'), 'suppressed')
    await ok(call('DELETE', `/suppressions/${encodeURIComponent('idn@BÜCHER.example')}`), 204)
    assert.equal(await sent('idn@bücher.example'), 'queued')
  })

  test('for the whole domain, it counts in every stream, including later ones', async () => {
    const email = somebody()
    await ok(call('POST', '/suppressions', { email, stream: '*' }), 201)
    await ok(call('POST', '/streams', { alias: `late-${made}`, name: 'L', kind: 'transactional' }), 201)
    for (const stream of ['transactional', 'broadcast', `late-${made}`]) {
      assert.equal(await sent(email, stream), 'suppressed')
    }
    const { data } = await ok(call('GET', '/suppressions?stream=*'))
    assert.deepEqual(
      data.map((one: { email: string }) => one.email),
      [email],
    )
    await refused(call('DELETE', `/suppressions/${email}`), 404, 'not_found')
    await ok(call('DELETE', `/suppressions/${email}?stream=*`), 204)
    assert.equal(await sent(email), 'queued')
  })

  test('in any case: listed once, obeyed, and removed', async () => {
    const email = somebody()
    const other = email.replace(/^./, (letter) => letter.toUpperCase())
    assert.equal((await ok(call('POST', '/suppressions', { email: other }), 201)).email, email)
    await ok(call('POST', '/suppressions', { email }), 200)
    const suppressions = [{ email }, { email: other }, { email: somebody() }]
    const { added, existing } = await ok(call('POST', '/suppressions', { suppressions }))
    assert.deepEqual([added, existing], [1, 1])
    assert.deepEqual([await sent(email), await sent(other)], ['suppressed', 'suppressed'])
    await ok(call('DELETE', `/suppressions/${other}`), 204)
    await refused(call('DELETE', `/suppressions/${email}`), 404, 'not_found')
  })

  test('204 for a removal, 404 for a missing one, with its actual place', async () => {
    const email = somebody()
    await ok(call('POST', '/suppressions', { email, stream: 'broadcast' }), 201)
    const { detail } = await refused(call('DELETE', `/suppressions/${email}`), 404, 'not_found')
    assert.match(detail, /is suppressed: broadcast/)
    await ok(call('DELETE', `/suppressions/${encodeURIComponent(email)}?stream=broadcast`), 204)
    await refused(call('DELETE', `/suppressions/${email}?stream=broadcast`), 404, 'not_found')
    assert.equal(await sent(email, 'broadcast'), 'queued')
  })

  test('409 for a complaint, unless forced', async () => {
    const email = somebody()
    await ok(call('POST', '/suppressions', { email, reason: 'complaint' }), 201)
    await refused(call('DELETE', `/suppressions/${email}`), 409, 'conflict')
    await refused(call('DELETE', `/suppressions/${email}?force=false`), 409, 'conflict')
    assert.equal(await sent(email), 'suppressed')
    await ok(call('DELETE', `/suppressions/${email}?force=true`), 204)
    assert.equal(await sent(email), 'queued')
  })

  test('many at once: wrong ones are reported, the others are added', async () => {
    const suppressions = [
      { email: 'many1@receiver.example' },
      { email: 'many1@receiver.example', stream: 'broadcast', reason: 'hard_bounce' },
      { email: 'many1@RECEIVER.example' },
      { email: 'nobody' },
      { email: 'many2@receiver.example', stream: 'nowhere' },
    ]
    const body = await ok(call('POST', '/suppressions', { suppressions }))
    const { problems, ...counts } = body
    assert.deepEqual(counts, { added: 2, existing: 0, rejected: 2 })
    assert.deepEqual(
      problems.map((one: { path: string; code: string }) => `${one.path} ${one.code}`),
      ['suppressions[3].email invalid_email', 'suppressions[4].stream not_found'],
    )
    assert.deepEqual(
      { ...(await ok(call('POST', '/suppressions', { suppressions }))), problems: [] },
      { added: 0, existing: 2, rejected: 2, problems: [] },
    )
    const removed = await ok(
      call('POST', '/suppressions/remove', {
        suppressions: suppressions.map(({ email, stream }) => ({ email, stream })),
      }),
    )
    assert.deepEqual(
      { ...removed, problems: [] },
      { removed: 2, complaints_kept: 0, missing: 0, rejected: 2, problems: [] },
    )
  })

  test(
    'a list is imported, exported as CSV and imported again; a list has at most a hundred thousand addresses',
    thorough('1.1 CPU s: a hundred thousand entries'),
    async () => {
      const many = 10_000
      const own = await createTenant(app.store)
      const ask = as(own)
      const csv = { 'content-type': 'text/csv' }
      const rows = Array.from(
        { length: many },
        (_, index) => `r${index}@receiver${index % 97}.example,broadcast,hard_bounce`,
      )
      const { added } = await ok(
        ask('POST', '/suppressions', `email,stream,reason\n${rows.join('\n')}\n`, csv),
      )
      assert.equal(added, many)
      const { status, body, headers } = await ask('GET', '/suppressions?format=csv')
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^text\/csv/)
      const lines = body.trimEnd().split('\n')
      assert.equal(lines.length, many + 1)
      assert.equal(lines[0], 'email,stream,reason,origin,created_at')
      assert.match(lines[1], /^r\d+@receiver\d+\.example,broadcast,hard_bounce,customer,\d{4}-/)
      const again = await ok(ask('POST', '/suppressions', body, csv))
      assert.deepEqual([again.added, again.existing, again.rejected], [0, many, 0])
      const removed = await ok(ask('POST', '/suppressions/remove', body, csv))
      assert.equal(removed.removed, many)
      assert.deepEqual((await ok(ask('GET', '/suppressions'))).data, [])
      // The maximum number of rows is accepted even if all rows are equal, because rows are counted before anything is
      // stored.
      const repeated = (count: number): string => `email\n${'a@b.example\n'.repeat(count)}`
      assert.equal((await ok(ask('POST', '/suppressions', repeated(100_000), csv))).added, 1)
      await refused(ask('POST', '/suppressions', repeated(100_001), csv), 422, 'validation_failed')
    },
  )

  test('CSV in the forms of several services; formulas stay text', async () => {
    const own = await createTenant(app.store)
    const ask = as(own)
    const csv = { 'content-type': 'text/csv' }
    const texts = [
      '\ufeffEmail;Reason\r\nsemi@receiver.example;complaint\r\n',
      'created,EMAIL\n2020-01-01,"quoted@receiver.example"\n\n',
      'email\n=1+1@receiver.example\n+plus@receiver.example\n',
      'Name,E-Mail\nA,hyphen@receiver.example\n',
      'Email Address;n\nspace@receiver.example;x\n',
      'bare1@receiver.example,complaint\nbare2@receiver.example,x\n',
    ]
    for (const text of texts) assert.ok((await ok(ask('POST', '/suppressions', text, csv))).added > 0)
    const unclear = 'Customer,Contact\nnot@this.example,chosen@receiver.example\n'
    const asked = await ask('POST', '/suppressions', unclear, csv)
    assert.deepEqual([asked.status, asked.body.errors[0].choices], [422, ['Customer', 'Contact']])
    for (const names of ['email,email', 'E-Mail,email', 'email,stream,stream', 'email,Reason,reason']) {
      const double = await ask('POST', '/suppressions', `${names}\na@b.test,b@b.test,x\n`, csv)
      assert.deepEqual([double.status, double.body.errors[0].code], [422, 'duplicate_column'], names)
      assert.match(double.body.errors[0].message, /^There are two columns/)
    }
    assert.equal((await ok(ask('POST', '/suppressions?column=contact', unclear, csv))).added, 1)
    const removed = await ok(ask('POST', '/suppressions/remove?column=contact', unclear, csv))
    assert.deepEqual([removed.removed, removed.missing], [1, 0])
    await ok(ask('POST', '/suppressions', 'email\nback@receiver.example\n', csv))
    const words = 'email,reason\nback@receiver.example,Mailbox unavailable\n'
    const back = await ok(ask('POST', '/suppressions/remove', words, csv))
    assert.deepEqual([back.removed, back.rejected], [1, 0])
    const { data } = await ok(ask('GET', '/suppressions'))
    for (const name of ['hyphen', 'space', 'bare1', 'bare2']) {
      const found = data.find(({ email }: { email: string }) => email === `${name}@receiver.example`)
      assert.deepEqual([found?.stream, found?.reason], ['transactional', 'manual'], name)
    }
    const { body } = await ask('GET', '/suppressions?format=csv')
    assert.ok(!/^[=+]/m.test(body))
    assert.equal((await ask('GET', '/suppressions', undefined, { accept: 'text/csv' })).body, body)
    assert.equal((await ok(ask('POST', '/suppressions', body, csv))).added, 0)
    for (const bad of ['name\nx\n', 'email\n', 'email\n"unclosed\n']) {
      assert.ok([400, 422].includes((await ask('POST', '/suppressions', bad, csv)).status), bad)
    }
  })

  test('problems in a table are reported with their line, with or without a header and whatever is in between', async () => {
    const ask = as(await createTenant(app.store))
    const csv = { 'content-type': 'text/csv' }
    const named = 'sep=,\nemail,note\n,no address\n\na@one.example,"two\nlines"\nnobody,x\n'
    for (const [text, line] of [
      [named, 5],
      ['b@one.example\nnobody\n', 2],
    ] as const) {
      const { problems } = await ok(ask('POST', '/suppressions', text, csv))
      assert.deepEqual(
        [problems.length, problems[0].code, problems[0].line],
        [1, 'invalid_email', line],
        text,
      )
    }
    const removed = await ok(ask('POST', '/suppressions/remove', named, csv))
    assert.equal(removed.problems[0].line, 5)
  })

  test('no address of a CSV is lost, whatever its names and line endings', async () => {
    const ask = as(await createTenant(app.store))
    const text =
      'email,name,stream\r\na@one.example,"Doe; J",broadcast\nb@one.example,Doe; J,broadcast\rc@one.example,,*\n'
    const added = await ok(ask('POST', '/suppressions', text, { 'content-type': 'text/csv' }))
    assert.deepEqual([added.added, added.rejected], [3, 0])
    const { data } = await ok(ask('GET', '/suppressions'))
    assert.deepEqual(
      data.map(({ email, stream }: { email: string; stream: string }) => `${email} ${stream}`).sort(),
      ['a@one.example broadcast', 'b@one.example broadcast', 'c@one.example *'],
    )
  })

  test('lists are newest first, filtered, page by page', async () => {
    const own = await createTenant(app.store)
    const ask = as(own)
    const all = ['a', 'b', 'c'].map((name, index) => ({
      email: `${name}@receiver.example`,
      stream: index === 1 ? 'broadcast' : 'transactional',
      reason: index === 2 ? 'unsubscribe' : 'manual',
    }))
    for (const one of all) await ok(ask('POST', '/suppressions', one), 201)
    await app.store.write(suppress, {
      account_id: own.owner.accountId,
      domain_id: own.owner.domainId,
      stream: 'transactional',
      email: 'd@receiver.example',
      reason: 'hard_bounce',
      message_id: 'msg_x',
      created_at: Date.UTC(2020, 0, 1),
    })
    const names = async (query: string): Promise<string> =>
      (await ok(ask('GET', `/suppressions?${query}`))).data
        .map((one: { email: string }) => one.email[0])
        .join('')
    assert.equal([...(await names(''))].sort().join(''), 'abcd')
    assert.equal(await names('stream=broadcast'), 'b')
    assert.equal(await names('reason=unsubscribe'), 'c')
    assert.equal(await names('origin=recipient'), 'd')
    assert.equal(await names('before=2021-01-01T00:00:00Z'), 'd')
    assert.equal(await names('after=2021-01-01T00:00:00Z'), 'cba')
    const first = await ok(ask('GET', '/suppressions?limit=2'))
    const second = await ok(ask('GET', `/suppressions?limit=2&cursor=${first.next_cursor}`))
    assert.deepEqual([first.data.length, second.data.length, second.next_cursor], [2, 2, null])
    for (const query of ['cursor=x', 'cursor=msg_00000000000000000000000000']) {
      await refused(ask('GET', `/suppressions?${query}`), 400, 'malformed_request')
    }
    for (const query of [
      'reason=x',
      'after=yesterday',
      'stream=%00',
      'format=xml',
      'limit=0',
      'colour=red',
    ]) {
      await refused(ask('GET', `/suppressions?${query}`), 422, 'validation_failed')
    }
  })

  test('422 for invalid requests', async () => {
    const invalid = async (body: object, ...expected: string[]): Promise<void> => {
      const { errors } = await refused(call('POST', '/suppressions', body), 422, 'validation_failed')
      assert.deepEqual(
        errors.map((one: { path: string; code: string }) => `${one.path} ${one.code}`),
        expected,
      )
    }
    await invalid({}, 'email required')
    await invalid({ email: 'x' }, 'email invalid_email')
    await invalid({ email: 'a@b.example', stream: 'nowhere' }, 'stream not_found')
    await invalid({ email: 'a@b.example', reason: 'whim' }, 'reason invalid_value')
    await invalid({ email: 'a@b.example', suppressions: [{ email: 'a@b.example' }] }, 'email required')
    await invalid({ suppressions: [] }, 'email required')
    const list = [{ email: 'a@b.example' }]
    await invalid({ suppressions: list, stream: 'broadcast' }, 'stream not_together')
    await invalid({ suppressions: list, reason: 'manual' }, 'reason not_together')
    await invalid({ email: 5 }, 'email invalid_type')
    await invalid({ mail: 'a@b.example' }, 'mail unknown_field', 'email required')
    await invalid(
      { email: 'x', stream: 'nowhere', reason: 'whim', colour: 'red' },
      'colour unknown_field',
      'reason invalid_value',
      'email invalid_email',
      'stream not_found',
    )
    await refused(call('DELETE', '/suppressions/nobody'), 422, 'validation_failed')
    await refused(call('DELETE', '/suppressions/a@b.example?stream=nowhere'), 422, 'validation_failed')
    await refused(call('POST', '/suppressions/remove', { force: true }), 422, 'validation_failed')
  })

  test('suppressions of one domain are not found by another', async () => {
    const email = somebody()
    await ok(call('POST', '/suppressions', { email }), 201)
    const other = as(await createTenant(app.store))
    assert.deepEqual((await ok(other('GET', '/suppressions'))).data, [])
    await refused(other('DELETE', `/suppressions/${email}?force=true`), 404, 'not_found')
    assert.equal(
      (await ok(other('POST', '/suppressions/remove', { suppressions: [{ email }], force: true }))).removed,
      0,
    )
    assert.equal(await sent(email), 'suppressed')
  })
})
