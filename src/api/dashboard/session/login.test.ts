// Tests the status codes of logging in: passwords, codes, passkeys and the limits of guessing.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TOTP } from 'otpauth'
import { ok, refused } from '../../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../../test/support/app.ts'
import { Authenticator } from '../../../../test/support/browser/authenticator.ts'
import { cpuWatch } from '../../../../test/support/cpu-time.ts'
import { Person } from '../../../../test/support/person.ts'
import { TestClock } from '../../../../test/support/test-clock.ts'
import { thorough } from '../../../../test/support/thorough.ts'
import { addUser } from '../../../../test/support/users.ts'
import { createUser } from '../../../access/accounts.ts'
import { listAccounts } from '../../../store/access/accounts.ts'

const PASSWORD = 'a long password'
const MINUTE_MS = 60_000

describe('logging in', () => {
  const clock = new TestClock()
  let app: TestApp
  let made = 0
  before(async () => {
    app = await TestApp.start({
      env: { POSTRIDER_ROLES: 'api,dashboard', POSTRIDER_AUTH_FAILURE_RATE: '10000/m' },
      clock,
    })
  })
  after(() => app.stop())

  /** Creates a user; `add` creates the password hash at the usual cost or at a low cost. */
  async function newUser(
    add: (user: Parameters<typeof addUser>[1]) => Promise<unknown> = (user) =>
      addUser(app.store, user, clock),
  ): Promise<{ email: string; password: string }> {
    const [account] = await listAccounts(app.store.read)
    const email = `person${++made}@example.com`
    const user = { account_id: account?.id as string, email, name: 'Ann', role: 'viewer' as const }
    await add({ ...user, password: PASSWORD })
    return { email, password: PASSWORD }
  }
  const logIn = (given: object): Promise<Answer> => new Person(app).call('POST', '/api/session', given)
  /** Sets up an authenticator app; returns a function for its codes by time, and the recovery codes. */
  async function withTotp(person: Person): Promise<{ code: (at?: number) => string; recovery: string[] }> {
    const { secret, url } = await ok(person.call('POST', '/api/me/totp'))
    assert.match(url, /^otpauth:\/\/totp\/Postrider:person\d+%40example.com\?issuer=Postrider&secret=/)
    const totp = new TOTP({ secret })
    const code = (at = clock.now()): string => totp.generate({ timestamp: at })
    const wrong = code() === '000000' ? '000001' : '000000'
    await refused(person.call('POST', '/api/me/totp/confirm', { code: wrong }), 422, 'validation_failed')
    const body = await ok(person.call('POST', '/api/me/totp/confirm', { code: code() }))
    return { code, recovery: body.recovery_codes }
  }

  test("an address matches the user's, even if its domain is in Unicode", async () => {
    const [account] = await listAccounts(app.store.read)
    const user = { account_id: account?.id as string, name: 'Ann', role: 'viewer' as const }
    const email = 'Ann@Bücher.example'
    const made = await createUser({ store: app.store, clock }, { ...user, email, password: PASSWORD })
    assert.equal(made.email, 'ann@xn--bcher-kva.example')
    for (const written of [email, ` ${made.email} `]) await ok(logIn({ email: written, password: PASSWORD }))
  })

  test(
    'answers do not reveal whether a user exists',
    thorough('1.5 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const { email } = await newUser((user) => createUser({ store: app.store, clock }, user))
      const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
      const answers = new Set<string>()
      for (let i = 0; i < 9; i++) {
        for (const kind of ['known', 'unknown'] as const) {
          const used = cpuWatch()
          const who = kind === 'known' ? email : `nobody${made}@example.com`
          const body = await refused(
            logIn({ email: who, password: `wrong ${i}` }),
            401,
            'authentication_failed',
          )
          times[kind].push(used())
          const { request_id: _, ...same } = body
          answers.add(JSON.stringify(same))
        }
      }
      assert.equal(answers.size, 1)
      const median = (all: number[]): number => all.sort((a, b) => a - b)[4] as number
      const [known, unknown] = [median(times.known), median(times.unknown)]
      assert.ok(Math.abs(known - unknown) < Math.max(known, unknown) / 2, `${known} ms and ${unknown} ms`)
    },
  )

  test(
    'an address has ten attempts in a quarter of an hour, with or without a user',
    thorough('0.9 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const { email, password } = await newUser()
      for (const who of [email, 'nobody@example.com']) {
        for (let i = 0; i < 10; i++) {
          await refused(logIn({ email: who, password: `guess ${i}` }), 401, 'authentication_failed')
        }
        const late = await logIn({ email: who.toUpperCase(), password })
        assert.deepEqual([late.status, late.body.code], [429, 'rate_limit_exceeded'])
        assert.ok(Number(late.headers.get('retry-after')) > 800)
      }
      clock.advance(15 * MINUTE_MS)
      await ok(logIn({ email, password }))
    },
  )

  test('guesses of strangers do not lock users out on a device that they have logged in from', async () => {
    const { email, password } = await newUser()
    const known = await Person.loggedIn(app, { email, password })
    const anew = new Person(app)
    anew.device = known.device
    for (let i = 0; i < 10; i++) {
      await refused(logIn({ email, password: `guess ${i}` }), 401, 'authentication_failed')
    }
    await refused(logIn({ email, password }), 429, 'rate_limit_exceeded')
    await ok(anew.call('POST', '/api/session', { email, password }))
    // A known device has ten attempts of its own for its login, and none for another login.
    const { email: other } = await newUser()
    const stolen = new Person(app)
    stolen.device = known.device
    for (let i = 0; i < 10; i++) {
      await refused(
        stolen.call('POST', '/api/session', { email, password: 'x' }),
        401,
        'authentication_failed',
      )
      await refused(
        stolen.call('POST', '/api/session', { email: other, password: 'x' }),
        401,
        'authentication_failed',
      )
    }
    await refused(stolen.call('POST', '/api/session', { email, password }), 429, 'rate_limit_exceeded')
    await refused(stolen.call('POST', '/api/session', { email: other, password }), 429, 'rate_limit_exceeded')
  })

  test('options for a passkey are given without limit and without a row', async () => {
    const rows = async (): Promise<number> =>
      (await app.store.read.selectFrom('one_time_tokens').select('hash').execute()).length
    const before = await rows()
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => new Person(app).call('POST', '/api/session/passkey/options')),
    )
    assert.equal(await rows(), before)
    assert.equal(answers.filter(({ status }) => status === 429).length, 80)
    clock.advance(MINUTE_MS)
  })

  test('many tries at once count like tries one after the other', async () => {
    const { email, password } = await newUser()
    const tries = Array.from({ length: 30 }, (_, i) => logIn({ email, password: `guess ${i}` }))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 401).length, 10)
    assert.equal(statuses.filter((status) => status === 429).length, 20)
    await refused(logIn({ email, password }), 429, 'rate_limit_exceeded')
  })

  test('a success clears the tries before it', async () => {
    const { email, password } = await newUser()
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 9; i++) await refused(logIn({ email, password: 'x' }), 401, 'authentication_failed')
      await ok(logIn({ email: ` ${email.toUpperCase()} `, password }))
    }
  })

  test("a client address is limited by the installation's setting", async () => {
    const other = await TestApp.start({
      env: { POSTRIDER_ROLES: 'dashboard', POSTRIDER_AUTH_FAILURE_RATE: '3/h' },
    })
    try {
      const call = (email: string) => new Person(other).call('POST', '/api/session', { email, password: 'x' })
      for (let i = 0; i < 3; i++)
        await refused(call(`somebody${i}@example.com`), 401, 'authentication_failed')
      await refused(call('another@example.com'), 429, 'rate_limit_exceeded')
    } finally {
      await other.stop()
    }
  })

  test('a code is required as well, and accepted once', async () => {
    const user = await newUser()
    const person = await Person.loggedIn(app, user)
    const { code } = await withTotp(person)
    assert.equal((await ok(person.call('GET', '/api/session'))).user.totp, true)
    await refused(logIn(user), 401, 'second_factor_required')
    await refused(logIn({ ...user, code: '' }), 401, 'second_factor_required')
    await refused(logIn({ ...user, password: 'wrong', code: code() }), 401, 'authentication_failed')
    // The code that confirmed the secret cannot be used again.
    await refused(logIn({ ...user, code: code() }), 401, 'authentication_failed')
    clock.advance(30_000)
    const now = code()
    await ok(logIn({ ...user, code: ` ${now.slice(0, 3)} ${now.slice(3)} ` }))
    await refused(logIn({ ...user, code: now }), 401, 'authentication_failed')
    // A code of an earlier time step is refused too, although the tolerance would allow the code.
    await refused(logIn({ ...user, code: code(clock.now() - 30_000) }), 401, 'authentication_failed')
    // The clock of the app may be up to half a minute ahead.
    await ok(logIn({ ...user, code: code(clock.now() + 30_000) }))
    await refused(logIn({ ...user, code: code(clock.now() + 90_000) }), 401, 'authentication_failed')
  })

  test('the same code at the same time logs in once', async () => {
    const user = await newUser()
    const { code } = await withTotp(await Person.loggedIn(app, user))
    clock.advance(30_000)
    const answers = await Promise.all(Array.from({ length: 5 }, () => logIn({ ...user, code: code() })))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test('a recovery code replaces the second factor once', async () => {
    const user = await newUser()
    const person = await Person.loggedIn(app, user)
    const { recovery } = await withTotp(person)
    assert.equal(new Set(recovery).size, 10)
    const [first = '', second = ''] = recovery
    assert.match(first, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
    await ok(logIn({ ...user, code: first }))
    await refused(logIn({ ...user, code: first }), 401, 'authentication_failed')
    await ok(logIn({ ...user, code: second.toUpperCase().replaceAll('-', ' ') }))
    assert.equal((await ok(person.call('GET', '/api/session'))).user.recovery_codes_left, 8)
    const renewed = await ok(person.call('POST', '/api/me/recovery-codes'))
    await refused(logIn({ ...user, code: recovery[2] }), 401, 'authentication_failed')
    await ok(logIn({ ...user, code: renewed.recovery_codes[0] }))
  })

  test('a second factor is removed again, and nothing of it is stored in plain text', async () => {
    const user = await newUser()
    const person = await Person.loggedIn(app, user)
    const begun = await ok(person.call('POST', '/api/me/totp'))
    // The setup starts again before the first secret is confirmed, which invalidates the first secret.
    const { code, recovery } = await withTotp(person)
    await refused(person.call('POST', '/api/me/totp'), 409, 'conflict')
    const { secret } = begun
    const tables = ['user_totp', 'recovery_codes', 'sessions', 'users', 'audit_log'] as const
    const rows = await Promise.all(
      tables.map((table) => app.store.read.selectFrom(table).selectAll().execute()),
    )
    const stored = JSON.stringify(rows)
    for (const plain of [secret, PASSWORD, ...recovery, ...recovery.map((one) => one.replaceAll('-', ''))]) {
      assert.ok(!stored.includes(plain), plain)
    }
    assert.equal((await person.call('DELETE', '/api/me/totp')).status, 204)
    await refused(person.call('DELETE', '/api/me/totp'), 404, 'not_found')
    await ok(logIn(user))
    await refused(logIn({ ...user, password: 'wrong', code: code() }), 401, 'authentication_failed')
  })

  test('a new password ends the other sessions', async () => {
    const user = await newUser()
    const person = await Person.loggedIn(app, user)
    const other = await Person.loggedIn(app, user)
    const change = (current: string, password: string) =>
      person.call('POST', '/api/me/password', { current, password })
    const { errors } = await refused(change('wrong', 'another password'), 422, 'validation_failed')
    assert.deepEqual([errors[0].path, errors[0].code], ['current', 'wrong_password'])
    await refused(change(PASSWORD, 'short'), 422, 'validation_failed')
    assert.equal((await change(PASSWORD, 'another password')).status, 204)
    await ok(person.call('GET', '/api/session'))
    await refused(other.call('GET', '/api/session'), 401, 'authentication_failed')
    await refused(logIn(user), 401, 'authentication_failed')
    await ok(logIn({ ...user, password: 'another password' }))
  })

  test('sessions are listed and ended, one or all others', async () => {
    const user = await newUser()
    const person = await Person.loggedIn(app, user)
    const others = [await Person.loggedIn(app, user), await Person.loggedIn(app, user)]
    const { data } = await ok(person.call('GET', '/api/sessions'))
    assert.equal(data.length, 3)
    assert.deepEqual(
      data.map((one: { current: boolean }) => one.current),
      [false, false, true],
    )
    assert.equal(data[0].address, '127.0.0.1')
    assert.equal((await person.call('DELETE', `/api/sessions/${data[0].session_id}`)).status, 204)
    await refused(others[1]?.call('GET', '/api/session') as Promise<Answer>, 401, 'authentication_failed')
    await refused(person.call('DELETE', `/api/sessions/${data[0].session_id}`), 404, 'not_found')
    const stranger = await Person.loggedIn(app)
    await refused(stranger.call('DELETE', `/api/sessions/${data[1].session_id}`), 404, 'not_found')
    assert.equal((await person.call('DELETE', '/api/sessions')).status, 204)
    await refused(others[0]?.call('GET', '/api/session') as Promise<Answer>, 401, 'authentication_failed')
    await ok(person.call('GET', '/api/session'))
  })

  test('a change of a login requires a login within the last ten minutes', async () => {
    const user = await newUser()
    const person = await Person.loggedIn(app, user)
    const other = await Person.loggedIn(app, user)
    clock.advance(10 * MINUTE_MS - 1)
    await ok(person.call('POST', '/api/me/totp'))
    clock.advance(1)
    await refused(person.call('POST', '/api/me/totp'), 403, 'recent_login_required')
    await ok(other.call('GET', '/api/session'))
    // A new login proves the identity of the user, and a copy of the earlier session gains nothing.
    const copy = new Person(app)
    copy.cookie = person.cookie
    await ok(person.call('POST', '/api/session', user))
    await ok(person.call('POST', '/api/me/totp'))
    await refused(copy.call('POST', '/api/me/totp'), 401, 'authentication_failed')
  })

  describe('with a passkey', () => {
    const local = () => app.app.url.replace('127.0.0.1', 'localhost')
    /** Calls the API from a page whose host name is localhost, as in the Host header field. */
    const call = (person: Person, path: string, body?: object): Promise<Answer> =>
      person.callAt(local(), 'POST', path, body)

    async function withPasskey(): Promise<{ person: Person; authenticator: Authenticator; email: string }> {
      const user = await newUser()
      const person = await Person.loggedIn(app, user)
      const authenticator = new Authenticator()
      const options = await ok(call(person, '/api/me/passkeys/options'))
      assert.equal(options.rp.id, 'localhost')
      assert.equal(options.authenticatorSelection.residentKey, 'required')
      const response = authenticator.make(options, local())
      const { passkey_id } = await ok(call(person, '/api/me/passkeys', { response, name: 'Laptop' }), 201)
      assert.match(passkey_id, /^pky_/)
      return { person, authenticator, email: user.email }
    }
    const optionsFor = (): Promise<Answer['body']> =>
      ok(call(new Person(app), '/api/session/passkey/options'))
    const enter = (response: object): Promise<Answer> =>
      call(new Person(app), '/api/session/passkey', { response })

    test('a passkey suffices by itself, once for each challenge', async () => {
      const { person, authenticator, email } = await withPasskey()
      const signed = authenticator.sign(await optionsFor(), local())
      assert.equal((await ok(enter(signed))).user.email, email)
      await refused(enter(signed), 401, 'authentication_failed')
      const { data } = await ok(person.call('GET', '/api/me/passkeys'))
      assert.equal(data[0].name, 'Laptop')
      assert.ok(data[0].last_used_at)
    })

    test('a passkey suffices for changes of a login', async () => {
      const { person, authenticator } = await withPasskey()
      clock.advance(10 * MINUTE_MS)
      await refused(person.call('POST', '/api/me/totp'), 403, 'recent_login_required')
      const response = authenticator.sign(await optionsFor(), local())
      await ok(call(person, '/api/session/passkey', { response }))
      await ok(person.call('POST', '/api/me/totp'))
    })

    test('a copied passkey with a lower counter is refused', async () => {
      const { authenticator } = await withPasskey()
      authenticator.counter = 5
      await ok(enter(authenticator.sign(await optionsFor(), local())))
      authenticator.counter = 4
      await refused(enter(authenticator.sign(await optionsFor(), local())), 401, 'authentication_failed')
    })

    test('a passkey for another page, without a user or with a foreign challenge is refused', async () => {
      const { authenticator } = await withPasskey()
      const options = await optionsFor()
      const bad = [
        authenticator.sign(options, 'http://localhost:1'),
        authenticator.sign({ challenge: Buffer.alloc(32).toString('base64url') }, local()),
      ]
      for (const response of bad) await refused(enter(response), 401, 'authentication_failed')
      authenticator.verifiesUser = false
      await refused(enter(authenticator.sign(await optionsFor(), local())), 401, 'authentication_failed')
      authenticator.verifiesUser = true
      const late = authenticator.sign(await optionsFor(), local())
      clock.advance(6 * MINUTE_MS)
      await refused(enter(late), 401, 'authentication_failed')
      await refused(
        enter({ id: 'x', rawId: 'x', type: 'public-key', response: {} }),
        401,
        'authentication_failed',
      )
    })

    test('a challenge for creating a passkey cannot be used to log in, nor by another user', async () => {
      const { person, authenticator } = await withPasskey()
      const making = await ok(call(person, '/api/me/passkeys/options'))
      await refused(enter(authenticator.sign(making, local())), 401, 'authentication_failed')
      const stranger = await Person.loggedIn(app, await newUser())
      const theirs = await ok(call(stranger, '/api/me/passkeys/options'))
      const response = new Authenticator().make(theirs, local())
      await refused(call(person, '/api/me/passkeys', { response, name: 'x' }), 422, 'validation_failed')
    })

    test('a removed passkey is refused', async () => {
      const { person, authenticator } = await withPasskey()
      const { data } = await ok(person.call('GET', '/api/me/passkeys'))
      const stranger = await Person.loggedIn(app, await newUser())
      await refused(stranger.call('DELETE', `/api/me/passkeys/${data[0].passkey_id}`), 404, 'not_found')
      assert.equal((await person.call('DELETE', `/api/me/passkeys/${data[0].passkey_id}`)).status, 204)
      await refused(enter(authenticator.sign(await optionsFor(), local())), 401, 'authentication_failed')
    })

    test('a page without a host name cannot have passkeys, and says so', async () => {
      const person = await Person.loggedIn(app, await newUser())
      const { detail } = await refused(person.call('POST', '/api/me/passkeys/options'), 409, 'conflict')
      assert.match(detail, /http:\/\/localhost:\d+/)
    })
  })
})
