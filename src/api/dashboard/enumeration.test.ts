// Tests that no endpoint reveals by status, content or lists whether an address has a login in another account.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { Person } from '../../../test/support/person.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { addUser } from '../../../test/support/users.ts'
import { listAccounts, setAccountStatus } from '../../store/access/accounts.ts'
import { suppress } from '../../store/workspace/suppressions.ts'
import { dashboardRoutes, mountedRoutes } from './routes.ts'

const PASSWORD = 'a long password'

/** Number of attempts for each address, above the limit of ten after which a login is locked. */
const TRIES = 12

/** Body that names an address for each endpoint with an address, or the reason why the endpoint reveals nothing. */
const ASKS: Readonly<Record<string, string | ((email: string) => object)>> = {
  'POST /api/session': (email) => ({ email, password: 'a wrong password' }),
  'POST /api/password-reset': (email) => ({ email }),
  'POST /api/invitations': (email) => ({ email, role: 'viewer' }),
  'POST /api/first-run': (email) => ({
    ...{ email, token: 'x'.repeat(43), account_name: 'Example', name: 'Eve', password: PASSWORD },
  }),
  'POST /api/accounts': 'for operators, who see all accounts',
}

/** True if the schema of a request has a field for a person's address, at any depth. */
function takesAddress(shape: unknown): boolean {
  if (typeof shape !== 'object' || shape === null) return false
  const { properties, ...others } = shape as { properties?: object }
  const names = Object.keys(properties ?? {})
  return (
    names.some((name) => /e_?mail|login|user_?name|address/i.test(name)) ||
    [...Object.values(properties ?? {}), ...Object.values(others)].some(takesAddress)
  )
}

test('every endpoint that takes an address is tested below', () => {
  const ofAccount = mountedRoutes({} as never).filter(({ url }) =>
    /^\/api\/(people|invitations|accounts?)(\/|$)/.test(url),
  )
  const taking = [...dashboardRoutes({} as never), ...ofAccount].filter(
    ({ schema: { body, querystring, params } }) => [body, querystring, params].some(takesAddress),
  )
  assert.deepEqual(taking.map(({ method, url }) => `${method} ${url}`).sort(), Object.keys(ASKS).sort())
})

describe('asking about an address', () => {
  let app: TestApp
  let admin: Person
  let elsewhere: string
  let made = 0
  const newEmail = (): string => `person${++made}@people.example`
  const userOf = (account_id: string, email: string, role: 'owner' | 'viewer') =>
    addUser(app.store, { account_id, email, name: null, role, password: PASSWORD })
  /** Creates a login in another account; returns the email address of the login. */
  async function known(): Promise<string> {
    const email = newEmail()
    await userOf(elsewhere, email, 'viewer')
    return email
  }
  before(async () => {
    const env = { POSTRIDER_ROLES: 'api,delivery,dashboard', POSTRIDER_AUTH_FAILURE_RATE: '10000/m' }
    app = await TestApp.start({ env })
    elsewhere = (await createTenant(app.store)).account.id
    const tenant = await createTenant(app.store)
    const email = newEmail()
    await userOf(tenant.account.id, email, 'owner')
    admin = await Person.loggedIn(app, { email, password: PASSWORD })
  })
  after(() => app.stop())

  /** Returns the content of a response without the email address and without values that always differ. */
  function told({ status, headers, body }: Answer, email: string): object {
    const text = JSON.stringify(body)
      .replaceAll(email, 'ADDRESS')
      .replace(/"(?:request_id|invitation_id|created_at|expires_at)":"[^"]*"/g, '')
    return { status, text, headers: [...headers.keys()].sort() }
  }

  for (const [endpoint, ask] of Object.entries(ASKS)) {
    if (typeof ask === 'string') continue
    test(`reveals nothing: ${endpoint}`, async () => {
      const [method, url] = endpoint.split(' ') as [string, string]
      const addresses = [await known(), newEmail()]
      for (let time = 0; time < TRIES; time++) {
        const answers: object[] = []
        for (const email of addresses) answers.push(told(await admin.call(method, url, ask(email)), email))
        assert.deepEqual(answers[0], answers[1])
      }
    })
  }

  /** Returns the text of the next mail to an address. */
  async function mailTo(email: string): Promise<string> {
    for (;;) {
      const mail = await app.host.nextMail()
      if (mail.recipients.includes(email)) return (await PostalMime.parse(mail.data)).text ?? ''
    }
  }
  const invite = (email: string): Promise<Answer> =>
    admin.call('POST', '/api/invitations', { email, role: 'viewer' })
  const invited = async (): Promise<string[]> =>
    (await admin.call('GET', '/api/invitations')).body.data.map((one: { email: string }) => one.email)

  test('by an invitation reveals nothing; its mail informs the owner of the address', async () => {
    const [user, stranger] = [await known(), newEmail()]
    for (const email of [user, stranger]) {
      const { status, body } = await invite(email)
      assert.deepEqual([status, body.mailed, body.url], [201, true, undefined])
    }
    const text = await mailTo(user)
    assert.match(text, /already has a login to Postrider/)
    assert.doesNotMatch(text, /token=/)
    assert.match(await mailTo(stranger), /token=/)
    assert.deepEqual((await invited()).slice(0, 2), [stranger, user])
    // The audit log reveals nothing either, because both entries contain a target.
    const { data } = (await admin.call('GET', '/api/audit?action=invitation.create&limit=2')).body
    assert.deepEqual(
      data.map(({ target, detail }: { target: string; detail: { email: string } }) => [
        target.slice(0, 4),
        detail.email,
      ]),
      [stranger, user].map((email) => ['inv_', email]),
    )
  })

  test('by an invitation keeps it in the list when its address has got a login elsewhere', async () => {
    const email = newEmail()
    await invite(email)
    const token = /token=(\w+)/.exec(await mailTo(email))?.[1]
    await userOf(elsewhere, email, 'viewer')
    const accept = { token, name: 'Ann', password: PASSWORD }
    const { status } = await new Person(app).call('POST', '/api/invitations/accept', accept)
    assert.equal(status, 409, 'who has the mail has the address')
    assert.ok((await invited()).includes(email))
  })

  test('does not reveal that the address gets no mail, and is refused equally without a domain to send from', async () => {
    const [email, other] = [await known(), newEmail()]
    const [first] = await listAccounts(app.store.read)
    const domain = await app.store.read
      .selectFrom('domains')
      .select('id')
      .where('account_id', '=', first!.id)
      .executeTakeFirstOrThrow()
    const row = { account_id: 'installation', domain_id: domain.id, stream: '@service', message_id: null }
    await app.store.write(suppress, { ...row, email, reason: 'hard_bounce', created_at: Date.now() })
    assert.deepEqual(told(await invite(email), email), told(await invite(other), other))
    await app.store.write(setAccountStatus, { id: first!.id, status: 'suspended', now: Date.now() })
    const answers = [told(await invite(email), email), told(await invite(other), other)]
    assert.deepEqual(answers[0], answers[1])
    assert.match(JSON.stringify(answers[0]), /409.*no verified domain to send from/)
    await app.store.write(setAccountStatus, { id: first!.id, status: 'active', now: Date.now() })
  })

  test('as an operator, who sees all accounts, gives the answer at once with the link', async () => {
    const owner = await Person.loggedIn(app)
    const call = (email: string) => owner.call('POST', '/api/invitations', { email, role: 'viewer' })
    assert.equal((await call(await known())).status, 409)
    assert.match((await call(newEmail())).body.url, /token=/)
  })
})
