// Tests the status codes for the users of an account: invitations, roles, removal, forgotten passwords and the first
// user.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TOTP } from 'otpauth'
import PostalMime from 'postal-mime'
import { ok, refused } from '../../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../../test/support/app.ts'
import { Authenticator } from '../../../../test/support/browser/authenticator.ts'
import { Person } from '../../../../test/support/person.ts'
import { createTenant } from '../../../../test/support/tenant.ts'
import { stays, TestClock, until } from '../../../../test/support/test-clock.ts'
import { thorough } from '../../../../test/support/thorough.ts'
import { addUser } from '../../../../test/support/users.ts'
import { createAccount } from '../../../access/accounts.ts'
import { Invitations } from '../../../access/invitations.ts'
import { PasswordReset } from '../../../access/password-reset.ts'
import { run } from '../../../cli/run.ts'
import { systemClock } from '../../../lib/clock.ts'
import { silentLog } from '../../../lib/log.ts'
import { PublicUrl } from '../../../lib/public-url.ts'
import type { Role } from '../../../model/role.ts'
import { setAccountStatus } from '../../../store/access/accounts.ts'
import { suppress } from '../../../store/workspace/suppressions.ts'

const PASSWORD = 'a long password'
const DAY_MS = 86_400_000
const NOTICE_TO_OWNERS = /your account on Postrider/
const RATE = { POSTRIDER_AUTH_FAILURE_RATE: '10000/m' }

const tokenIn = (text: string): string => /\?token=([A-Za-z0-9]{43})\b/.exec(text)?.[1] ?? assert.fail(text)

describe('people', () => {
  let app: TestApp
  let owner: Person
  let made = 0
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,delivery,dashboard', ...RATE } })
    owner = await Person.loggedIn(app)
  })
  after(() => app.stop())

  const newEmail = (): string => `person${++made}@people.example`
  /** Returns the next mail that is not a notice to the owners of the account. */
  const mailText = async (): Promise<{ to: string; text: string; subject: string }> => {
    for (;;) {
      const mail = await app.host.nextMail()
      const { text = '', subject = '' } = await PostalMime.parse(mail.data)
      const to = mail.recipients.join()
      if (!NOTICE_TO_OWNERS.test(subject)) return { to, text, subject }
      notices.push({ to, text, subject })
    }
  }
  /** Returns the text of the next mail to an address; skips mail that other tests have left. */
  async function textTo(email: string): Promise<string> {
    for (;;) {
      const { to, text } = await mailText()
      if (to === email) return text
    }
  }
  const notices: { to: string; text: string; subject: string }[] = []
  const pick = ({ to, subject }: { to: string; subject: string }): string[] => [to, subject]
  /** Creates a user who accepts an invitation of the given user. */
  async function join(role: Role, by = owner): Promise<{ person: Person; id: string; email: string }> {
    const email = newEmail()
    await ok(by.call('POST', '/api/invitations', { email, role }), 201)
    const text = await textTo(email)
    const person = new Person(app)
    const body = await ok(
      person.call('POST', '/api/invitations/accept', {
        token: tokenIn(text),
        name: 'Ann',
        password: PASSWORD,
      }),
    )
    return { person, id: body.user.user_id, email }
  }

  test('an invitation goes by mail, and creates a user once', async () => {
    const email = newEmail()
    const made = await ok(
      owner.call('POST', '/api/invitations', { email: ` ${email} `, role: 'developer' }),
      201,
    )
    assert.equal(made.mailed, true)
    const { to, text, subject } = await mailText()
    assert.equal(to, email)
    assert.equal(subject, 'Join Playground on Postrider')
    const token = tokenIn(text)
    assert.ok(text.includes(made.url) && made.url.startsWith(`${app.app.url}/invitation?token=`))
    const lookup = await ok(new Person(app).call('GET', `/api/invitations/lookup?token=${token}`))
    assert.deepEqual(lookup, { email, account_name: 'Playground', role: 'developer' })
    const { data } = await ok(owner.call('GET', '/api/invitations'))
    assert.equal(data[0].email, email)
    assert.ok(!JSON.stringify(data).includes(token))

    const accept = (more: object = {}): Promise<Answer> =>
      new Person(app).call('POST', '/api/invitations/accept', {
        token,
        name: 'Ann',
        password: PASSWORD,
        ...more,
      })
    await refused(accept({ password: 'short' }), 422, 'validation_failed')
    await refused(accept({ name: 'a\nb' }), 422, 'validation_failed')
    await refused(accept({ token: 'x'.repeat(43) }), 404, 'not_found')
    const session = await ok(accept())
    assert.deepEqual(
      [session.user.email, session.user.role, session.user.operator],
      [email, 'developer', false],
    )
    await refused(accept(), 404, 'not_found')
    await refused(new Person(app).call('GET', `/api/invitations/lookup?token=${token}`), 404, 'not_found')
    assert.deepEqual((await ok(owner.call('GET', '/api/invitations'))).data, [])
    await refused(owner.call('POST', '/api/invitations', { email, role: 'viewer' }), 409, 'conflict')
  })

  test('a link that is meant for one person is in no list of messages', async () => {
    const [domain] = await app.store.read.selectFrom('domains').selectAll().execute()
    const messages = await ok(owner.call('GET', `/api/domains/${domain?.id}/messages`))
    assert.deepEqual(messages.data, [])
    assert.deepEqual((await ok(app.call('GET', '/v1/messages'))).data, [])
    const [hidden] = await app.store.read.selectFrom('messages').selectAll().execute()
    assert.ok(hidden)
    for (const more of ['', '?include=content', '/raw']) {
      const [path, query = ''] = more.startsWith('?') ? ['', more] : [more]
      await refused(app.call('GET', `/v1/messages/${hidden.id}${path}${query}`), 404, 'not_found')
      await refused(
        owner.call('GET', `/api/domains/${domain?.id}/messages/${hidden.id}${path}${query}`),
        404,
        'not_found',
      )
    }
  })

  test('a withdrawn or repeated invitation invalidates the old link', async () => {
    const email = newEmail()
    const invite = () => ok(owner.call('POST', '/api/invitations', { email, role: 'viewer' }), 201)
    const first = await invite()
    const second = await invite()
    await refused(
      new Person(app).call('GET', `/api/invitations/lookup?token=${tokenIn(first.url)}`),
      404,
      'not_found',
    )
    const path = `/api/invitations/${second.invitation_id}`
    assert.equal((await owner.call('DELETE', path)).status, 204)
    await refused(owner.call('DELETE', path), 404, 'not_found')
    await refused(
      new Person(app).call('GET', `/api/invitations/lookup?token=${tokenIn(second.url)}`),
      404,
      'not_found',
    )
    await mailText()
    await mailText()
  })

  test('an invalid address or role is refused', async () => {
    const invite = (body: object) => owner.call('POST', '/api/invitations', body)
    await refused(invite({ email: 'nonsense', role: 'viewer' }), 422, 'validation_failed')
    await refused(invite({ email: newEmail(), role: 'operator' }), 422, 'validation_failed')
    await refused(invite({ email: newEmail() }), 422, 'validation_failed')
  })

  test(
    'an account sends at most fifty invitations in an hour, and none while the account is suspended',
    thorough('1.1 CPU s: starts the command line, or a node from nothing'),
    async () => {
      const tenant = await createTenant(app.store)
      const user = { account_id: tenant.account.id, email: newEmail(), name: null, role: 'owner' as const }
      await addUser(app.store, { ...user, password: PASSWORD })
      const person = await Person.loggedIn(app, { email: user.email, password: PASSWORD })
      const email = newEmail()
      const invite = () => person.call('POST', '/api/invitations', { email, role: 'viewer' })
      const become = (status: 'active' | 'suspended') =>
        app.store.write(setAccountStatus, { id: tenant.account.id, status, now: Date.now() })
      // A suspended account must not invite, because the operator's domain would send the mail of the invitation.
      await become('suspended')
      await refused(invite(), 403, 'account_suspended')
      await become('active')
      const began = Date.now()
      for (let i = 0; i < 50; i++) await ok(invite(), 201)
      let late = await invite()
      // One more invitation is allowed every 72 seconds, and a slow machine may need that long for fifty invitations.
      let sent = 50
      for (; late.status === 201; late = await invite()) sent++
      assert.ok(sent <= 50 + Math.ceil((Date.now() - began) / 72_000), `${sent} were sent`)
      assert.deepEqual([late.status, late.body.code], [429, 'rate_limit_exceeded'])
      assert.ok(Number(late.headers.get('retry-after')) > 0)
      for (let i = 0; i < sent; i++) await mailText()
    },
  )

  test('an admin can neither change nor appoint owners', async () => {
    const admin = await join('admin')
    const other = await join('developer', admin.person)
    const second = await join('owner')
    const call = (method: string, id: string, body?: object) =>
      admin.person.call(method, `/api/people/${id}`, body)
    await refused(call('PATCH', second.id, { role: 'viewer' }), 403, 'role_not_permitted')
    await refused(call('DELETE', second.id), 403, 'role_not_permitted')
    await refused(call('PATCH', other.id, { role: 'owner' }), 403, 'role_not_permitted')
    await refused(call('PATCH', admin.id, { role: 'owner' }), 403, 'role_not_permitted')
    const invite = { email: newEmail(), role: 'owner' }
    await refused(admin.person.call('POST', '/api/invitations', invite), 403, 'role_not_permitted')
    // An admin cannot withdraw the invitation of an owner.
    const { invitation_id } = await ok(owner.call('POST', '/api/invitations', invite), 201)
    await mailText()
    const instead = { ...invite, role: 'viewer' }
    await refused(admin.person.call('POST', '/api/invitations', instead), 403, 'role_not_permitted')
    const path = `/api/invitations/${invitation_id}`
    await refused(admin.person.call('DELETE', path), 403, 'role_not_permitted')
    const invited = await ok(owner.call('GET', '/api/invitations'))
    assert.equal(invited.data.find((one: { email: string }) => one.email === invite.email)?.role, 'owner')
    assert.equal((await owner.call('DELETE', path)).status, 204)
    assert.equal((await ok(call('PATCH', other.id, { role: 'viewer' }))).role, 'viewer')
    // The change of the role applies at once, also to the open session.
    await refused(
      other.person.call('POST', '/api/keys', { kind: 'verification', name: 'x' }),
      403,
      'role_not_permitted',
    )
    assert.equal((await call('DELETE', other.id)).status, 204)
    await refused(other.person.call('GET', '/api/session'), 401, 'authentication_failed')
    await refused(
      new Person(app).call('POST', '/api/session', { email: other.email, password: PASSWORD }),
      401,
      'authentication_failed',
    )
    const { data } = await ok(admin.person.call('GET', '/api/people'))
    assert.ok(data.every((one: { user_id: string }) => one.user_id !== other.id))
    assert.ok(!JSON.stringify(data).includes('argon2'))
  })

  test('the last owner stays, and two owners cannot remove each other', async () => {
    const tenant = await createTenant(app.store)
    const account_id = tenant.account.id
    const people = []
    for (const email of [newEmail(), newEmail()]) {
      const user = { account_id, email, name: null, role: 'owner' as const, password: PASSWORD }
      const { id } = await addUser(app.store, user)
      people.push({ id, person: await Person.loggedIn(app, { email, password: PASSWORD }) })
    }
    const [a, b] = people as [(typeof people)[0], (typeof people)[0]]
    const answers = await Promise.all([
      a.person.call('DELETE', `/api/people/${b.id}`),
      b.person.call('DELETE', `/api/people/${a.id}`),
    ])
    const gone = answers.filter(({ status }) => status === 204).length
    assert.equal(gone, 1, JSON.stringify(answers.map(({ status }) => status)))
    const left = answers[0]?.status === 204 ? a : b
    await refused(left.person.call('DELETE', `/api/people/${left.id}`), 409, 'conflict')
    await refused(left.person.call('PATCH', `/api/people/${left.id}`, { role: 'admin' }), 409, 'conflict')
    // An owner of another account does not operate the installation.
    assert.equal((await ok(left.person.call('GET', '/api/session'))).user.operator, false)
  })

  test('a user changes their name', async () => {
    const { person } = await join('viewer')
    assert.equal((await person.call('PATCH', '/api/me', { name: ' Bea ' })).status, 204)
    assert.equal((await ok(person.call('GET', '/api/session'))).user.name, 'Bea')
    await refused(person.call('PATCH', '/api/me', { name: 'a\u0000b' }), 422, 'validation_failed')
    await refused(person.call('PATCH', '/api/me', { role: 'owner' }), 422, 'validation_failed')
    assert.equal((await person.call('PATCH', '/api/me', { name: null })).status, 204)
    assert.equal((await ok(person.call('GET', '/api/session'))).user.name, null)
  })

  test('a forgotten password: the same answer for everyone, and a link for a user', async () => {
    const { person, email } = await join('viewer')
    const ask = (who: string) => new Person(app).call('POST', '/api/password-reset', { email: who })
    const nobody = await ask('nobody@people.example')
    const known = await ask(email.toUpperCase())
    assert.deepEqual([nobody.status, nobody.body], [known.status, known.body])
    assert.equal(known.status, 202)
    const { to, text } = await mailText()
    assert.equal(to, email)
    const confirm = (token: string, password: string) =>
      new Person(app).call('POST', '/api/password-reset/confirm', { token, password })
    const token = tokenIn(text)
    const check = () => new Person(app).call('GET', `/api/password-reset/confirm?token=${token}`)
    await refused(confirm(token, 'short'), 422, 'validation_failed')
    assert.equal((await check()).status, 204)
    await refused(confirm('x'.repeat(43), 'another password'), 404, 'not_found')
    assert.equal((await confirm(token, 'another password')).status, 204)
    await refused(confirm(token, 'a third password'), 404, 'not_found')
    await refused(check(), 404, 'not_found')
    await refused(person.call('GET', '/api/session'), 401, 'authentication_failed')
    await ok(new Person(app).call('POST', '/api/session', { email, password: 'another password' }))
    assert.deepEqual(pick(await mailText()), [email, 'Your password for Postrider was changed'])
    assert.equal(app.host.mails.filter((mail) => mail.recipients.includes('nobody@people.example')).length, 0)
  })

  test(
    'a mail reports each change of a login to its user',
    thorough('0.7 CPU s: starts the command line, or a node from nothing'),
    async () => {
      const { person, email } = await join('viewer')
      const { secret } = await ok(person.call('POST', '/api/me/totp'))
      await ok(person.call('POST', '/api/me/totp/confirm', { code: new TOTP({ secret }).generate() }))
      const { to, subject, text } = await mailText()
      assert.deepEqual([to, subject], [email, 'An authenticator app was set up for your login to Postrider'])
      assert.match(text, /\nTime: \d{4}-\d\d-\d\d \d\d:\d\d UTC\r?\nFrom: 127\.0\.0\.1\r?\n/)
      assert.ok(text.includes(`${app.app.url}/forgotten-password`))
      const { recovery_codes } = await ok(person.call('POST', '/api/me/recovery-codes'))
      assert.deepEqual(pick(await mailText()), [
        email,
        'New recovery codes were created for your login to Postrider',
      ])
      const login = { email, password: PASSWORD, code: recovery_codes[0] }
      await ok(new Person(app).call('POST', '/api/session', login))
      assert.deepEqual(pick(await mailText()), [
        email,
        'A recovery code was used for your login to Postrider',
      ])
      assert.equal((await person.call('DELETE', '/api/me/totp')).status, 204)
      assert.deepEqual(pick(await mailText()), [
        email,
        'The authenticator app was removed from your login to Postrider',
      ])
      // Passkeys require a page with a host name.
      const local = app.app.url.replace('127.0.0.1', 'localhost')
      const call = (method: string, path: string, body?: object) => person.callAt(local, method, path, body)
      const response = new Authenticator().make(await ok(call('POST', '/api/me/passkeys/options')), local)
      const { passkey_id } = await ok(call('POST', '/api/me/passkeys', { response, name: 'Laptop' }), 201)
      assert.deepEqual(pick(await mailText()), [email, 'A passkey was added to your login to Postrider'])
      assert.equal((await call('DELETE', `/api/me/passkeys/${passkey_id}`)).status, 204)
      assert.deepEqual(pick(await mailText()), [email, 'A passkey was removed from your login to Postrider'])
      const wrong = { current: 'wrong', password: 'another password' }
      await refused(person.call('POST', '/api/me/password', wrong), 422, 'validation_failed')
      assert.equal(
        (await person.call('POST', '/api/me/password', { ...wrong, current: PASSWORD })).status,
        204,
      )
      assert.deepEqual(pick(await mailText()), [email, 'Your password for Postrider was changed'])
    },
  )

  test('a reset link is sent whatever the domain’s own lists and allowances, but not where it bounced or was complained about', async () => {
    const { email } = await join('viewer')
    const ask = async () =>
      assert.equal((await new Person(app).call('POST', '/api/password-reset', { email })).status, 202)
    for (const stream of ['transactional', '*'])
      assert.equal((await app.call('POST', '/v1/suppressions', { email, stream })).status, 201)
    const limited = await app.call('PATCH', '/v1/streams/transactional', { sending_allowance: 0 })
    assert.equal(limited.status, 200)
    await ask()
    assert.equal((await mailText()).to, email)
    await app.call('PATCH', '/v1/streams/transactional', { sending_allowance: null })

    const { id: domain_id } = await app.store.read
      .selectFrom('domains')
      .select('id')
      .executeTakeFirstOrThrow()
    const invitedAfter = async (reason: 'hard_bounce' | 'complaint', days: number): Promise<boolean> => {
      const invited = { email: newEmail(), role: 'viewer' }
      const row = { account_id: 'installation', domain_id, stream: '@service', message_id: null }
      const created_at = Date.now() - days * DAY_MS
      await app.store.write(suppress, { ...row, email: invited.email, reason, created_at })
      const { mailed } = await ok(owner.call('POST', '/api/invitations', invited), 201)
      if (mailed) assert.equal((await mailText()).to, invited.email)
      return mailed
    }
    assert.equal(await invitedAfter('hard_bounce', 6), false, 'whoever invites passes the link on')
    assert.equal(await invitedAfter('hard_bounce', 8), true)
    assert.equal(await invitedAfter('complaint', 800), false)
  })

  test(
    'a mail reports changes by the command line as well',
    thorough('0.9 CPU s: starts the command line, or a node from nothing'),
    async () => {
      const { person, email } = await join('viewer')
      const { secret } = await ok(person.call('POST', '/api/me/totp'))
      await ok(person.call('POST', '/api/me/totp/confirm', { code: new TOTP({ secret }).generate() }))
      await mailText()
      const { dataDir, databaseUrl } = app.storage
      const env = { POSTRIDER_DATA_DIR: dataDir, ...(databaseUrl && { POSTRIDER_DATABASE_URL: databaseUrl }) }
      const cli = (...words: string[]) =>
        run([...words, '--json'], { env, clock: systemClock, readInput: async () => '' })
      assert.equal((await cli('user', 'reset-password', email)).code, 0)
      const { to, subject, text } = await mailText()
      assert.deepEqual([to, subject], [email, 'Your password for Postrider was changed'])
      assert.match(text, /^From: the command line\r?$/m)
      assert.equal((await cli('user', 'disable-totp', email)).code, 0)
      assert.deepEqual(pick(await mailText()), [
        email,
        'The authenticator app was removed from your login to Postrider',
      ])
    },
  )

  test('a link that cannot be mailed is written nowhere, not even to the log', async () => {
    const { email } = await join('viewer')
    const lines: string[] = []
    const warn = (fields: object, message: string): void => {
      lines.push(JSON.stringify(fields), message)
    }
    const log = { ...silentLog, warn, error: warn }
    const texts: string[] = []
    const send = async ({ text }: { text: string }) => texts.push(text) < 0
    const publicUrl = new PublicUrl(app.app.url)
    const reset = new PasswordReset({ store: app.store, clock: systemClock, log, send, publicUrl })
    reset.request(email, '127.0.0.1')
    await reset.stop()
    const token = tokenIn(texts[0] ?? '')
    assert.match(lines.join('\n'), /postrider user reset-password/)
    assert.ok(!lines.join('\n').includes(token) && !lines.join('\n').includes('reset-password?'))
  })

  test('one address gets three reset links in an hour', async () => {
    const { email } = await join('viewer')
    const mailed = (): number => app.host.mails.filter(({ recipients }) => recipients.includes(email)).length
    const before = mailed()
    for (let i = 0; i < 5; i++) {
      assert.equal((await new Person(app).call('POST', '/api/password-reset', { email })).status, 202)
    }
    await until('three mails', () => mailed() === before + 3)
    await stays('no more', () => mailed() === before + 3, 100)
  })

  test('invitations end with the user who made them, and with a lower role', async () => {
    for (const end of ['DELETE', 'PATCH'] as const) {
      const admin = await join('admin')
      const email = newEmail()
      await ok(admin.person.call('POST', '/api/invitations', { email, role: 'admin' }), 201)
      const text = await textTo(email)
      const body = end === 'PATCH' ? { role: 'developer' } : undefined
      assert.equal(
        (await owner.call(end, `/api/people/${admin.id}`, body)).status,
        end === 'PATCH' ? 200 : 204,
      )
      const accept = { token: tokenIn(text), name: 'Eve', password: PASSWORD }
      await refused(new Person(app).call('POST', '/api/invitations/accept', accept), 404, 'not_found')
    }
  })

  test('owners are notified of changes of rights, and so is the affected user', async () => {
    const second = await join('owner')
    const person = await join('viewer')
    const told = (to: string, subject: RegExp, text: string): Promise<unknown> =>
      until(`${to}: ${subject}`, async () => {
        for (;;) {
          const next = notices.findIndex(
            (one) => one.to === to && subject.test(one.subject) && one.text.includes(text),
          )
          if (next >= 0) return notices.splice(next, 1).length === 1
          const mail = await app.host.nextMail()
          const { text: body = '', subject: head = '' } = await PostalMime.parse(mail.data)
          notices.push({ to: mail.recipients.join(), text: body, subject: head })
        }
      })
    await told(second.email, /^A user was invited/, `${person.email} as viewer`)
    await told(second.email, /^A user has joined/, `${person.email} as viewer`)
    await owner.call('PATCH', `/api/people/${person.id}`, { role: 'developer' })
    await told(second.email, /^The role of a user/, `${person.email} from viewer to developer`)
    await told(person.email, /^The role of a user/, 'By: owner@example.test')
    await ok(owner.call('POST', '/api/keys', { kind: 'verification', name: 'For the shop' }), 201)
    await told(second.email, /^A key was created/, 'key For the shop of the account')
    await owner.call('DELETE', `/api/people/${person.id}`)
    await told(second.email, /^A user was removed/, person.email)
    await told(person.email, /^A user was removed/, person.email)
  })
})

describe('the first user', () => {
  const env = { POSTRIDER_MODE: 'production', POSTRIDER_ROLES: 'api,dashboard', ...RATE }

  test(
    'is created by the link in the log, once',
    thorough('0.7 CPU s: starts the command line, or a node from nothing'),
    async () => {
      const app = await TestApp.start({ env })
      try {
        const { status, body } = await new Person(app).call('GET', '/api/session')
        assert.deepEqual([status, body.first_run], [401, true])
        const link = app.app.firstRunUrl as string
        assert.ok(link.startsWith(`${app.app.url}/first-run?token=`))
        const token = tokenIn(link)
        const fields = { account_name: 'Example', name: 'Ann', email: 'ann@example.com', password: PASSWORD }
        const begin = (more: object): Promise<Answer> =>
          new Person(app).call('POST', '/api/first-run', { token, ...fields, ...more })
        const check = (one: string) => new Person(app).call('GET', `/api/first-run?token=${one}`)
        const known = await check(token)
        assert.deepEqual([known.status, known.body], [200, { account_name: null }])
        await refused(check('x'.repeat(43)), 404, 'not_found')
        await refused(begin({ token: 'x'.repeat(43) }), 404, 'not_found')
        const { errors } = await refused(begin({ email: 'x', password: 'short' }), 422, 'validation_failed')
        assert.deepEqual(
          errors.map((one: { path: string }) => one.path),
          ['email', 'password'],
        )
        const answers = await Promise.all([begin({}), begin({ email: 'bob@example.com' })])
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
        const first = answers.find((answer) => answer.status === 200)?.body
        assert.deepEqual(
          [first.user.role, first.user.operator, first.account.name],
          ['owner', true, 'Example'],
        )
        await refused(begin({ email: 'eve@example.com' }), 404, 'not_found')
        await refused(check(token), 404, 'not_found')
        assert.equal(first.mode, 'production')
        await app.stopNode()
        await app.startNode()
        assert.equal(app.app.firstRunUrl, undefined)
        assert.equal((await new Person(app).call('GET', '/api/session')).body.first_run, false)

        // The invitation is refused, because its link would lead the invited user to their own machine.
        const owner = await Person.loggedIn(app, { email: first.user.email, password: PASSWORD })
        const invite = { email: 'c@example.com', role: 'viewer' }
        const { detail } = await refused(owner.call('POST', '/api/invitations', invite), 409, 'conflict')
        assert.match(detail, /would not work: POSTRIDER_PUBLIC_URL is not set/)
        assert.deepEqual((await ok(owner.call('GET', '/api/invitations'))).data, [])
        // No account is created if its owner cannot be invited, even after repeated requests.
        const other = { name: 'Other', owner_email: 'd@example.com' }
        for (const _ of ['asked', 'asked again']) {
          const made = owner.call('POST', '/api/accounts', other, { 'idempotency-key': 'other' })
          assert.match((await refused(made, 409, 'conflict')).detail, /POSTRIDER_PUBLIC_URL is not set/)
        }
        assert.equal((await ok(owner.call('GET', '/api/accounts'))).data.length, 1)
      } finally {
        await app.stop()
      }
    },
  )

  test(
    'links expire: in the log after a day, in an invitation after a week, in a reset after an hour',
    thorough('0.7 CPU s: starts the command line, or a node from nothing'),
    async () => {
      const clock = new TestClock()
      const app = await TestApp.start({ env, clock })
      try {
        const name = 'Ann'
        const fields = { name, email: 'ann@example.com', password: PASSWORD }
        const begin = () =>
          new Person(app).call('POST', '/api/first-run', {
            token: tokenIn(app.app.firstRunUrl ?? ''),
            ...fields,
          })
        clock.advance(DAY_MS)
        await refused(begin(), 404, 'not_found')
        await app.stopNode()
        await app.startNode()
        clock.advance(DAY_MS - 1)
        await refused(begin(), 422, 'validation_failed')
        // With an account from the command line, the form asks for no name of an account, and a given name is ignored.
        await createAccount({ store: app.store, clock }, 'Larch Inc.')
        const link = `/api/first-run?token=${tokenIn(app.app.firstRunUrl ?? '')}`
        assert.equal((await ok(new Person(app).call('GET', link))).account_name, 'Larch Inc.')
        const session = await ok(begin())
        assert.equal(session.account.name, 'Larch Inc.')

        const { user, account } = await ok((await Person.loggedIn(app, fields)).call('GET', '/api/session'))
        const invitations = new Invitations({
          ...{ store: app.store, clock, send: async () => false, publicUrl: new PublicUrl(app.app.url) },
          ...{ unreachable: undefined, canSend: async () => false },
        })
        const by = {
          ...{ id: user.user_id, accountId: account.account_id, accountName: account.name },
          ...{ accountStatus: 'active' as const, email: user.email, role: 'owner' as const },
          seesAccounts: true,
        }
        const invited = await invitations.invite(by, { email: 'bob@example.com', role: 'viewer' })
        assert.equal(invited.mailed, false)
        const token = tokenIn(invited.url ?? '')
        const lookUp = () => new Person(app).call('GET', `/api/invitations/lookup?token=${token}`)
        clock.advance(7 * DAY_MS - 1)
        await ok(lookUp())
        clock.advance(1)
        await refused(lookUp(), 404, 'not_found')
        const accept = { token, name, password: PASSWORD }
        await refused(new Person(app).call('POST', '/api/invitations/accept', accept), 404, 'not_found')

        for (const [after, status] of [
          [3_600_000, 404],
          [3_599_999, 204],
        ] as const) {
          const texts: string[] = []
          const send = async ({ text }: { text: string }) => texts.push(text) > 0
          const { store } = app
          const reset = new PasswordReset({
            store,
            clock,
            log: silentLog,
            send,
            publicUrl: new PublicUrl(app.app.url),
          })
          reset.request(fields.email, '127.0.0.1')
          await reset.stop()
          clock.advance(after)
          const given = { token: tokenIn(texts[0] ?? ''), password: PASSWORD }
          const answer = await new Person(app).call('POST', '/api/password-reset/confirm', given)
          assert.equal(answer.status, status)
        }
      } finally {
        await app.stop()
      }
    },
  )
})
