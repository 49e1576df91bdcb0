// The audit log contains every change with its author and origin, and contains no secret.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { run } from '../../src/cli/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { ok } from '../support/answers.ts'
import { type Answer, TestApp } from '../support/app.ts'
import { Authenticator } from '../support/browser/authenticator.ts'
import { Person } from '../support/person.ts'
import { createTenant } from '../support/tenant.ts'
import { until } from '../support/test-clock.ts'
import { addUser } from '../support/users.ts'

const PASSWORD = 'a long password'

describe('the audit log', () => {
  let app: TestApp
  let owner: Person
  let domain: string
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } })
    owner = await Person.loggedIn(app)
    domain = (await app.store.read.selectFrom('domains').select('id').executeTakeFirstOrThrow()).id
  })
  after(() => app.stop())

  const entries = async (query = ''): Promise<Answer['body'][]> =>
    (await ok(owner.call('GET', `/api/audit${query}`), 200)).data
  const newest = async (): Promise<Answer['body']> => (await entries('?limit=1'))[0]

  test('has author, action, object, time and origin', async () => {
    const [login] = await entries()
    assert.deepEqual(
      [login.action, login.actor, login.address],
      ['session.open', app.playground.dashboard_login.email, '127.0.0.1'],
    )
    const made = await ok(
      owner.call('POST', '/api/keys', { kind: 'sending', domains: [domain], name: 'Shop' }),
      201,
    )
    const { audit_id, at, user_id, ...entry } = await newest()
    assert.match(audit_id, /^aud_/)
    assert.match(user_id, /^usr_/)
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
    assert.deepEqual(entry, {
      actor: app.playground.dashboard_login.email,
      action: 'key.create',
      target: made.key_id,
      target_name: 'Shop',
      address: '127.0.0.1',
      detail: { kind: 'sending', name: 'Shop', domain: app.playground.domain },
    })
    await ok(owner.call('DELETE', `/api/keys/${made.key_id}`), 204)
    const revoked = await newest()
    assert.deepEqual([revoked.action, revoked.target], ['key.revoke', made.key_id])
  })

  test('has changes of the workspace too, by users and by keys', async () => {
    const template = { alias: 'hello', name: 'Hello', subject: 'Hi', text: 'Hi' }
    const { template_id } = await ok(owner.call('POST', `/api/domains/${domain}/templates`, template), 201)
    const byPerson = await newest()
    assert.deepEqual([byPerson.action, byPerson.target], ['template.create', template_id])
    await ok(app.call('PUT', '/v1/templates/hello', { ...template, text: 'Hello' }), 200)
    const byKey = await newest()
    assert.deepEqual([byKey.action, byKey.target, byKey.user_id], ['template.save', 'hello', null])
    assert.match(byKey.actor, /^key Playground \(….{4}\)$/)
    assert.equal((await entries('?actor=Playground'))[0].audit_id, byKey.audit_id)
    const nameOf = async (action: string) => (await entries(`?action=${action}&limit=1`))[0].target_name
    assert.equal(await nameOf('template.create'), 'Hello')
    await ok(owner.call('DELETE', `/api/domains/${domain}/templates/${template_id}`), 204)
    const gone = await newest()
    assert.deepEqual([gone.target, gone.target_name, gone.detail.name], [template_id, null, 'Hello'])
    assert.equal(await nameOf('template.create'), null)
    await ok(owner.call('POST', `/api/domains/${domain}/templates`, template), 201)
    const send = {
      from: `a@${app.playground.domain}`,
      to: [{ email: 'b@c.example' }],
      subject: 's',
      text: 't',
    }
    const { message_id } = await ok(owner.call('POST', `/api/domains/${domain}/messages`, send), 202)
    const sent = await newest()
    assert.equal(sent.action, 'message.create')
    assert.equal(sent.target, message_id)
    await ok(app.call('POST', '/v1/messages', send), 202)
    assert.equal((await newest()).audit_id, sent.audit_id)
  })

  test('has no refused changes and no reads', async () => {
    const api = `/api/domains/${domain}`
    const addresses = [`in@${app.playground.domain}`]
    const inbound = { alias: 'in', name: 'In', kind: 'inbound', addresses }
    await ok(owner.call('POST', `${api}/streams`, inbound), 201)
    await ok(owner.call('POST', `${api}/streams`, { ...inbound, alias: 'more', addresses: [] }), 201)
    await ok(owner.call('POST', `${api}/suppressions`, { email: 'left@c.example' }), 201)
    const { target, detail } = await newest()
    assert.equal(target, 'left@c.example')
    assert.deepEqual(detail, { domain: app.playground.domain, stream: 'transactional', reason: 'manual' })
    const send = { from: `a@${app.playground.domain}`, subject: 's', text: 't' }
    const suppressed = { ...send, to: [{ email: 'left@c.example' }] }
    const { message_id } = await ok(owner.call('POST', `${api}/messages`, suppressed), 202)
    const before = await newest()
    await ok(owner.call('POST', `${api}/streams`, { ...inbound, alias: 'other' }), 409)
    await ok(owner.call('PATCH', `${api}/streams/more`, { addresses }), 409)
    await ok(owner.call('POST', `${api}/messages/${message_id}/cancel`), 409)
    await ok(owner.call('POST', '/api/keys', { kind: 'sending', domains: [domain], name: '' }), 422)
    await ok(owner.call('DELETE', '/api/keys/key_nothing'), 404)
    await ok(
      owner.call('POST', `/api/domains/${domain}/templates`, {
        name: 'x',
        alias: 'hello',
        text: 'x',
        subject: 's',
      }),
      409,
    )
    await ok(owner.call('POST', '/api/me/password', { current: 'wrong', password: 'another password' }), 422)
    await ok(owner.call('GET', `/api/domains/${domain}/templates`), 200)
    await ok(owner.call('POST', `/api/domains/${domain}/templates/hello/render`, {}), 200)
    assert.equal((await newest()).audit_id, before.audit_id)
  })

  test('has refused logins', async () => {
    const { email } = app.playground.dashboard_login
    await ok(new Person(app).call('POST', '/api/session', { email, password: 'wrong' }), 401)
    await until(
      'the audit log has the refused login',
      async () => (await newest()).action === 'session.refuse',
    )
    assert.deepEqual((await newest()).detail, { wrong: 'password' })
  })

  test('is filtered by actor, action and noun, and comes in pages', async () => {
    const all = await entries('?limit=200')
    const keys = await entries('?action=key')
    assert.deepEqual(
      keys.map((one) => one.action),
      ['key.revoke', 'key.create'],
    )
    assert.deepEqual((await entries('?action=key.create')).length, 1)
    const own = await entries(`?actor=${encodeURIComponent(app.playground.dashboard_login.email)}&limit=200`)
    assert.ok(own.length > 3 && own.length < all.length)
    assert.deepEqual(await entries(`?actor=${own[0].user_id}&limit=200`), own)
    const pages: unknown[] = []
    let query = '?limit=2'
    for (;;) {
      const { data, next_cursor } = await ok(owner.call('GET', `/api/audit${query}`), 200)
      pages.push(...data)
      if (next_cursor === null) break
      query = `?limit=2&cursor=${next_cursor}`
    }
    assert.deepEqual(pages, all)
    await ok(owner.call('GET', '/api/audit?cursor=x'), 400)
  })

  test('is filtered by time, and exported as one file', async () => {
    const all = await entries('?limit=200')
    const { at } = all[1]
    const [later, earlier] = [
      await entries(`?limit=200&after=${at}`),
      await entries(`?limit=200&before=${at}`),
    ]
    assert.deepEqual([...later, ...earlier], all)
    assert.ok(later.every((one) => one.at >= at) && earlier.every((one) => one.at < at))
    await ok(owner.call('GET', '/api/audit?after=yesterday'), 422)
    const file = await owner.call('GET', '/api/audit?action=key&format=csv')
    assert.match(file.headers.get('content-disposition') ?? '', /audit-log\.csv/)
    const [head, ...lines] = file.body.trim().split(/\r?\n/)
    assert.equal(head, 'at,actor,action,target,target_name,address,detail,audit_id')
    assert.deepEqual(
      lines.map((line: string) => line.split(',')[2]),
      ['key.revoke', 'key.create'],
    )
  })

  test('is neither readable nor writable by another account', async () => {
    const other = await createTenant(app.store)
    const headers = { authorization: `Bearer ${other.sendingKey}` }
    await ok(
      app.call('POST', '/v1/streams', { alias: 'news', name: 'News', kind: 'broadcast' }, headers),
      201,
    )
    assert.ok((await entries('?limit=200')).every((one) => one.target !== 'news'))
    const rows = await app.store.read.selectFrom('audit_log').selectAll().execute()
    assert.equal(rows.find((row) => row.target === 'news')?.account_id, other.account.id)
  })

  test('has a login under the user who logs in, whoever was logged in before', async () => {
    const browser = await Person.loggedIn(app)
    const tenant = await createTenant(app.store)
    const user = {
      account_id: tenant.account.id,
      email: 'other@example.com',
      name: null,
      role: 'viewer' as const,
    }
    await addUser(app.store, { ...user, password: PASSWORD })
    const before = await newest()
    await ok(browser.call('POST', '/api/session', { email: user.email, password: PASSWORD }), 200)
    assert.equal((await newest()).audit_id, before.audit_id)
    const theirs = app.store.read
      .selectFrom('audit_log')
      .selectAll()
      .where('account_id', '=', tenant.account.id)
    const [entry] = await theirs.execute()
    assert.deepEqual([entry?.action, entry?.actor], ['session.open', user.email])
    assert.deepEqual(JSON.parse(entry?.detail ?? ''), { method: 'password' })
  })

  test('has a login by passkey in the same way', async () => {
    const { id: account_id } = (await createTenant(app.store)).account
    const local = `http://localhost:${new URL(app.app.url).port}`
    const user = { account_id, email: 'key@example.com', name: null, role: 'viewer' as const }
    await addUser(app.store, { ...user, password: PASSWORD })
    const post = (person: Person, path: string, body?: object) => person.callAt(local, 'POST', path, body)
    const theirs = await Person.loggedIn(app, { email: user.email, password: PASSWORD })
    const authenticator = new Authenticator()
    const making = await ok(post(theirs, '/api/me/passkeys/options'), 200)
    const made = { response: authenticator.make(making, local), name: 'Laptop' }
    await ok(post(theirs, '/api/me/passkeys', made), 201)
    const browser = await Person.loggedIn(app)
    const asked = await ok(post(browser, '/api/session/passkey/options'), 200)
    const response = authenticator.sign(asked, local)
    await ok(post(browser, '/api/session/passkey', { response }), 200)
    const [entry] = await app.store.read
      .selectFrom('audit_log')
      .selectAll()
      .where('account_id', '=', account_id)
      .orderBy('id', 'desc')
      .execute()
    assert.deepEqual([entry?.action, entry?.actor], ['session.open', user.email])
    assert.match(entry?.target ?? '', /^ses_/)
    assert.deepEqual(JSON.parse(entry?.detail ?? ''), { method: 'passkey' })
  })

  test('has actions of the command line', async () => {
    const { dataDir, databaseUrl } = app.storage
    const env = { POSTRIDER_DATA_DIR: dataDir, ...(databaseUrl && { POSTRIDER_DATABASE_URL: databaseUrl }) }
    const cli = async (...words: string[]) => {
      const { code, stdout } = await run([...words, '--json'], {
        env,
        clock: systemClock,
        readInput: async () => PASSWORD,
      })
      return { code, json: JSON.parse(stdout) }
    }
    const account = ['--account', (await ok(owner.call('GET', '/api/account'), 200)).account_id]
    const made = await cli(
      'user',
      'create',
      'Ann@example.com',
      '--role',
      'viewer',
      '--password',
      '-',
      ...account,
    )
    assert.equal(made.code, 0)
    const entry = await newest()
    assert.deepEqual(
      [entry.action, entry.actor, entry.user_id, entry.address, entry.target],
      ['user.create', 'the command line', null, null, made.json.user_id],
    )
    const ann = { email: 'ann@example.com', password: PASSWORD }
    const person = await Person.loggedIn(app, ann)
    const reset = await cli('user', 'reset-password', 'ann@example.com')
    assert.equal((await newest()).action, 'user.reset-password')
    await ok(person.call('GET', '/api/session'), 401)
    await ok(person.call('POST', '/api/session', ann), 401)
    await ok(person.call('POST', '/api/session', { ...ann, password: reset.json.password }), 200)
    assert.equal((await cli('user', 'disable-totp', 'ann@example.com')).json.totp, false)
    const { json: list } = await cli('user', 'list', ...account)
    assert.deepEqual(
      list.data.map((one: { email: string; totp: boolean }) => [one.email, one.totp]),
      [
        [app.playground.dashboard_login.email, false],
        ['ann@example.com', false],
      ],
    )
    assert.equal((await cli('user', 'delete', 'ann@example.com')).code, 0)
    await ok(person.call('GET', '/api/session'), 401)
    assert.equal(
      (await cli('user', 'delete', app.playground.dashboard_login.email)).json.error.code,
      'conflict',
    )
    assert.equal((await cli('user', 'reset-password', 'nobody@example.com')).json.error.code, 'not_found')
  })

  test('contains no secret', async () => {
    const { key } = await ok(owner.call('POST', '/api/keys', { kind: 'verification', name: 'x' }), 201)
    const smtp = await ok(owner.call('POST', '/api/smtp-credentials', { domain, name: 'x' }), 201)
    const invited = await ok(
      owner.call('POST', '/api/invitations', { email: 'z@example.com', role: 'viewer' }),
      201,
    )
    const { current, password } = {
      current: app.playground.dashboard_login.password,
      password: 'another password',
    }
    await ok(owner.call('POST', '/api/me/password', { current, password }), 204)
    const log = JSON.stringify(await app.store.read.selectFrom('audit_log').selectAll().execute())
    const token = new URL(invited.url).searchParams.get('token')
    for (const secret of [key, smtp.password, token, current, password, owner.cookie.split('=')[1]]) {
      assert.ok(!log.includes(secret as string))
    }
  })

  test('names created objects even if no path names them', async () => {
    const at = `/api/domains/${domain}`
    const made = async (
      path: string,
      body: object,
      status: number,
      target: (answer: Answer['body']) => string,
    ) => {
      const answer = await ok(owner.call('POST', path, body), status)
      assert.equal((await newest()).target, target(answer), path)
    }
    await made(
      `${at}/streams`,
      { alias: 'offers', name: 'Offers', kind: 'broadcast' },
      201,
      (one) => one.alias,
    )
    const layout = {
      alias: 'frame',
      name: 'Frame',
      html: '<p>{{{ @content }}}</p>',
      text: '{{{ @content }}}',
    }
    await made(`${at}/layouts`, layout, 201, (one) => one.layout_id)
    await made('/api/keys', { kind: 'verification', name: 'Form' }, 201, (one) => one.key_id)
    await made('/api/verification/verifications', ['a@b.example'], 202, (one) => one.verification_id)
    await made('/api/domains', { domain: 'audited.example' }, 201, (one) => one.domain_id)
    await made(
      '/api/invitations',
      { email: 'new@audited.example', role: 'viewer' },
      201,
      (one) => one.invitation_id,
    )
    const account = { name: 'Another', owner_email: 'owner@another.example' }
    await made('/api/accounts', account, 201, (one) => one.account_id)
    await made(`${at}/suppressions`, { email: 'x@y.example' }, 201, () => 'x@y.example')
    await ok(owner.call('PATCH', '/api/account', { name: 'Renamed' }), 200)
    const renamed = await newest()
    assert.match(renamed.target, /^acc_/)
    await ok(owner.call('PATCH', '/api/me', { name: 'Somebody' }), 204)
    assert.equal((await newest()).target, renamed.user_id)
  })
})
