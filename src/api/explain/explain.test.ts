// Tests the explanation of mail that did not arrive: prepared cases, the rights of keys and users, and hostile input.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { CASES } from '../../../test/support/explained/cases.ts'
import { Scene } from '../../../test/support/explained/scene.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { Person } from '../../../test/support/person.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { createKey } from '../../access/keys.ts'
import { addDomain } from '../../domains/domains.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { setAccountStatus } from '../../store/access/accounts.ts'
import { setDomainPaused } from '../../store/domains/domains.ts'
import { resumeQueue } from '../../store/queue/queue-control.ts'
import { suppress } from '../../store/workspace/suppressions.ts'

describe('an explanation', () => {
  let app: TestApp
  let tenant: Tenant
  let operations: ReadonlySet<string>
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard,smtp' } })
    tenant = await createTenant(app.store)
    const { paths } = (await app.call('GET', '/v1/openapi.json')).body
    const all = Object.values<Record<string, { operationId: string }>>(paths).flatMap((one) =>
      Object.values(one).map(({ operationId }) => operationId),
    )
    operations = new Set(all)
  })
  after(() => app.stop())

  /** Returns an address that resembles the address of no other test. */
  function somebody(): string {
    const word = newId('msg').slice(-12).toLowerCase()
    return `${word}.person@${word}.example`
  }
  const sceneOf = (email = somebody(), who = tenant): Scene => new Scene(app, who, email)

  function assertOk({ status, body }: Answer, what = ''): Answer['body'] {
    assert.equal(status, 200, `${what} ${JSON.stringify(body)}`)
    if (body.next_step !== null) assert.ok(operations.has(body.next_step.operation), body.next_step.operation)
    assert.ok(body.summary.endsWith('.') && body.because.length > 0 && body.because.length <= 20, what)
    for (const { text } of body.because) {
      assert.ok(text !== '' && !/undefined|null|\[object/.test(text), `${what}: ${text}`)
    }
    assert.ok(body.messages.length <= 10)
    return body
  }
  const factsOf = ({ because }: Answer['body']): string[] => because.map(({ fact }: { fact: string }) => fact)

  test('gives the verdict, the first fact and the next step of sixty cases', async () => {
    assert.equal(CASES.length, 60)
    for (const { name, verdict, given, first, step, sure } of CASES) {
      const scene = sceneOf()
      const conditions = (await given(scene)) as Readonly<Record<string, string>> | undefined
      const body = assertOk(await scene.ask(conditions), name)
      assert.deepEqual([body.verdict, factsOf(body)[0]], [verdict, first], name)
      if (step !== undefined) assert.equal(body.next_step?.code ?? null, step, name)
      if (sure !== undefined) assert.equal(body.sure, sure, name)
      assert.equal(body.email, scene.email)
      const destination = scene.email.slice(scene.email.indexOf('@') + 1)
      await app.store.write(resumeQueue, { kind: 'destination', value: destination })
    }
  })

  test('names the cause, the reply and the host, and refers to the message', async () => {
    const scene = sceneOf()
    const id = await scene.message({ subject: 'Order 7' })
    await scene.refuse(id)
    const body = assertOk(await scene.ask())
    const { values, refers_to, text } = body.because[0]
    assert.deepEqual(values, {
      ...{ host: 'mx.receiver.example', reply: '550 5.1.1 No such user', category: 'mailbox_not_found' },
      ...{ reason: 'The receiving host answered.', fault: 'recipient' },
    })
    assert.equal(refers_to, `/v1/messages/${id}`)
    assert.match(text, /550 5\.1\.1 No such user/)
    assert.deepEqual(factsOf(body), ['refused', 'suppression', 'dialog', 'accepted'])
    const [message] = body.messages
    assert.deepEqual(
      [message.message_id, message.domain, message.subject, message.status, message.verdict],
      [id, tenant.domain.name, 'Order 7', 'bounced', 'refused'],
    )
    assert.equal(body.next_step.args.email, scene.email)
    assert.ok(body.looked_at.includes('messages') && !body.looked_at.includes('verification'))
  })

  test('says what a holder or an owner has stopped', async () => {
    const who = await createTenant(app.store)
    const scene = sceneOf(undefined, who)
    await scene.message()
    const key = who.sendingKey
    await app.store.write(setDomainPaused, { domain: who.domain, paused: true, now: Date.now() })
    const paused = assertOk(await scene.ask({}, key))
    assert.deepEqual([paused.verdict, paused.because[0].values.cause], ['held', 'domain_paused'])
    const { code, args } = paused.next_step
    assert.deepEqual([code, args], ['resume_domain', { domain: who.domain.name }])
    await app.store.write(setDomainPaused, { domain: who.domain, paused: false, now: Date.now() })
    await app.store.write(setAccountStatus, { id: who.account.id, status: 'suspended', now: Date.now() })
    const suspended = assertOk(await scene.ask({}, key))
    assert.deepEqual([suspended.verdict, suspended.because[0].values.by], ['held', 'account'])
  })

  test('knows the suppressions of the whole account', async () => {
    const scene = sceneOf()
    const { accountId } = tenant.owner
    await app.store.write(suppress, {
      ...{ account_id: accountId, domain_id: accountId, stream: '*', email: scene.email, reason: 'manual' },
      ...{ message_id: null, created_at: Date.now() },
    })
    await scene.message()
    const body = assertOk(await scene.ask())
    assert.deepEqual([body.verdict, body.because[1].values.list], ['suppressed', 'account'])
    assert.deepEqual(
      [body.next_step.operation, body.next_step.args],
      ['account.deleteSuppression', { email: scene.email }],
    )
  })

  /** Asks about mail that was refused at the door, and returns the values of the refusal. */
  async function refusalTo(scene: Scene, what: string): Promise<Answer['body']> {
    const body = assertOk(await scene.ask(), what)
    assert.deepEqual([body.verdict, factsOf(body)[0]], ['refused_at_the_door', 'request_refused'], what)
    const { request_log_id: _, ...values } = body.because[0].values
    return { ...values, step: body.next_step?.code ?? null }
  }

  test('knows the recipients that SMTP refused, and the refused command', async () => {
    const { name } = tenant.domain
    const dialogs: readonly [what: string, (scene: Scene) => Promise<string>, expected: object][] = [
      [
        'a recipient with a parameter',
        async (scene) => {
          const client = await scene.smtp()
          await client.ask(`MAIL FROM:<a@${name}>`)
          return client.ask(`RCPT TO:<${scene.email}> NOTIFY=NEVER`)
        },
        { status: '555', code: '5.5.4', request: 'SMTP RCPT', step: 'correct_request' },
      ],
      [
        'a sender of another domain, with pipelining',
        async (scene) => {
          const client = await scene.smtp()
          client.send(`MAIL FROM:<a@foreign.example>\r\nRCPT TO:<${scene.email}>\r\n`)
          const refusal = await client.reply()
          assert.match(await client.reply(), /^503 /)
          return refusal
        },
        { status: '550', code: 'domain_not_permitted', request: 'SMTP MAIL', step: 'correct_request' },
      ],
      [
        'a message from another domain',
        async (scene) => {
          const client = await scene.smtp()
          return client.deliver(`a@${name}`, [scene.email], 'From: a@foreign.example\r\n\r\nText')
        },
        { status: '550', code: '5.7.1', request: 'SMTP DATA', step: 'correct_request' },
      ],
      [
        'a message with a wrong field, to several recipients',
        async (scene) => {
          const client = await scene.smtp()
          const message = `From: a@${name}\r\nSubject: S\r\nX-Metadata: ${'x'.repeat(2_000)}\r\nX-Stream: none\r\n\r\nText`
          return client.deliver(`a@${name}`, ['first@elsewhere.example', scene.email.toUpperCase()], message)
        },
        { request: 'SMTP DATA', step: 'correct_request' },
      ],
    ]
    for (const [what, dialog, expected] of dialogs) {
      const scene = sceneOf()
      assert.match(await scene.refusing(() => dialog(scene)), /^[45]\d\d /, what)
      assert.partialDeepStrictEqual(await refusalTo(scene, what), expected, what)
    }
  })

  test('keeps no recipient that SMTP accepted, and shows a refusal to its own domain and account only', async () => {
    const { name } = tenant.domain
    const [taken, refused] = [sceneOf(), sceneOf()]
    const client = await taken.smtp()
    await taken.refusing(async () => {
      await client.ask(`MAIL FROM:<a@${name}>`)
      await client.ask(`RCPT TO:<${taken.email}>`)
      assert.match(await client.ask(`RCPT TO:<${refused.email}> ORCPT=x`), /^555 /)
      await client.ask('DATA')
      assert.match(await client.ask(`From: a@${name}\r\nSubject: S\r\n\r\nText\r\n.`), /^250 /)
    })
    assert.equal(assertOk(await taken.ask()).verdict, 'waiting')
    assert.equal(assertOk(await refused.ask()).verdict, 'refused_at_the_door')
    const stranger = await createTenant(app.store)
    assert.equal(assertOk(await refused.ask({}, stranger.sendingKey)).verdict, 'never_asked')
    const log = await app.store.read
      .selectFrom('request_log')
      .selectAll()
      .where('method', '=', 'SMTP')
      .execute()
    assert.ok(log.length > 0 && log.every(({ key_id }) => key_id === tenant.smtp.username))
    assert.doesNotMatch(JSON.stringify(log), /@|person/)
    const manager = await managementKey(app, { accountId: tenant.account.id })
    for (const [outcome, count] of [
      ['refused', log.length],
      ['failed', 0],
      ['answered', 0],
    ] as const) {
      const { body } = await refused.call(
        'GET',
        `/v1/requests?method=SMTP&outcome=${outcome}`,
        undefined,
        manager,
      )
      assert.equal(body.data.length, count, outcome)
    }
  })

  test('knows the refused messages of accepted batches', async () => {
    const [taken, without, foreign] = [sceneOf(), sceneOf(), sceneOf()]
    const requests = [
      taken.request(),
      without.request({ subject: undefined }),
      foreign.request({ from: 'a@foreign.example' }),
    ]
    const { status, body } = await taken.refusing(() => taken.call('POST', '/v1/messages/batch', requests))
    assert.equal(status, 200)
    assert.deepEqual(
      body.data.map(({ error }: { error?: { code: string } }) => error?.code),
      [undefined, 'validation_failed', 'domain_not_permitted'],
    )
    assert.equal(assertOk(await taken.ask()).verdict, 'waiting')
    const refusal = { status: '422', code: 'validation_failed', request: 'POST /v1/messages/batch' }
    assert.deepEqual(await refusalTo(without, 'no subject'), {
      ...refusal,
      ...{ fields: 'subject required', step: 'correct_request' },
    })
    assert.partialDeepStrictEqual(await refusalTo(foreign, 'a foreign sender'), {
      ...{ status: '403', code: 'domain_not_permitted' },
    })
  })

  test('quotes dialogs only for a key that may read contents', async () => {
    const { secret } = await createKey(
      { store: app.store, clock: systemClock },
      {
        ...{ accountId: tenant.account.id, name: 'Plain', kind: 'sending', domainId: tenant.domain.id },
        scopes: ['messages:read'],
      },
    )
    const scene = sceneOf()
    await scene.end(await scene.message(), 'delivered', { transcript: 'the whole dialog' })
    const plain = assertOk(await scene.ask({}, secret))
    assert.ok(!factsOf(plain).includes('dialog') && !JSON.stringify(plain).includes('the whole dialog'))
    const all = assertOk(await scene.ask())
    assert.match(
      all.because.find(({ fact }: { fact: string }) => fact === 'dialog').values.lines,
      /the whole dialog/,
    )
  })

  test('covers the domains that the caller may read, and no others', async () => {
    const named = `second.${tenant.domain.name}`
    const { domain: second } = await addDomain({
      ...{ store: app.store, clock: systemClock, accountId: tenant.account.id, name: named, verified: true },
      ...{ returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test' },
    })
    const owner = { ...tenant.owner, domainId: second.id }
    const elsewhere = sceneOf(undefined, { ...tenant, domain: second, owner })
    const id = await elsewhere.message()
    const { email } = elsewhere
    const here = sceneOf(email)
    // The Sending key of the first domain learns nothing about the second domain.
    const own = assertOk(await here.ask())
    assert.deepEqual([own.verdict, factsOf(own), own.messages], ['never_asked', ['no_message'], []])
    assert.equal(assertOk(await here.ask({ message_id: id })).because[0].fact, 'unknown_message')
    const refused = await here.ask({ domain: named })
    assert.deepEqual([refused.status, refused.body.code], [403, 'domain_not_permitted'])
    const manager = await managementKey(app, { accountId: tenant.account.id })
    const both = assertOk(await here.ask({}, manager))
    assert.deepEqual([both.verdict, both.messages[0].domain], ['waiting', named])
    assert.ok(both.looked_at.includes('verification'))
    assert.equal(assertOk(await here.ask({ domain: second.id }, manager)).verdict, 'waiting')
    const first = assertOk(await here.ask({ domain: tenant.domain.name }, manager))
    assert.deepEqual([first.verdict, first.because[1].values], ['never_asked', { domain: named }])
    assert.deepEqual(first.next_step.args, { email, domain: named })
    const narrow = await managementKey(app, { accountId: tenant.account.id, domainIds: [tenant.domain.id] })
    assert.deepEqual(factsOf(assertOk(await here.ask({}, narrow))), ['no_message'])
    // Another tenant learns nothing, neither by the address nor by the message.
    const stranger = await createTenant(app.store)
    for (const query of [{}, { message_id: id }] as const) {
      const told = assertOk(await here.ask(query, stranger.sendingKey))
      assert.deepEqual([told.verdict, told.because.length, told.messages], ['never_asked', 1, []])
    }
  })

  test('is for users as well, over all domains of the account', async () => {
    const person = await Person.loggedIn(app)
    const email = somebody()
    const id = await app.send({ to: [{ email }] })
    const ask = (query: string): Promise<Answer> => person.call('GET', `/api/explain?email=${email}${query}`)
    const body = assertOk(await ask(''))
    assert.deepEqual([body.verdict, body.messages[0].message_id], ['waiting', id])
    assert.equal((await ask('&domain=nowhere.example')).status, 404)
    assert.equal(assertOk(await ask(`&domain=${app.playground.domain}`)).verdict, 'waiting')
  })

  test('takes odd addresses, and refuses texts that are none', async () => {
    const odd = [
      '"quoted local"@receiver.example',
      'o\'brien"@receiver.example',
      "o'brien+tag%25@receiver.example",
      'пётр@receiver.example',
      'anna@münchen.example',
      `${'l'.repeat(64)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(59)}.example`.slice(0, 254),
      "x'); drop table messages; --@receiver.example",
    ]
    for (const email of odd) {
      const scene = sceneOf(email)
      const { status, body } = await scene.ask()
      if (status === 422)
        assert.deepEqual([body.code, body.errors[0].path], ['validation_failed', 'email'], email)
      else
        assert.equal(assertOk({ status, body, headers: new Headers() }, email).verdict, 'never_asked', email)
    }
    const idn = sceneOf('anna@xn--mnchen-3ya.example')
    await idn.deliver(await idn.message())
    const asked = sceneOf('Anna@MÜNCHEN.example')
    const body = assertOk(await asked.ask())
    assert.deepEqual([body.email, body.verdict], ['Anna@xn--mnchen-3ya.example', 'delivered_by_receiver'])
    const long = sceneOf(`${'l'.repeat(64)}@${`${'d'.repeat(45)}.`.repeat(4)}example`.slice(0, 254))
    await long.refuse(await long.message(), false)
    assert.equal(assertOk(await long.ask()).verdict, 'refused')
    for (const [query, path] of [
      ['email=nobody', 'email'],
      ['email=a%00b@c.example', 'email'],
      [`email=${'a'.repeat(500)}`, 'email'],
      ['email=a@b.example&after=yesterday', 'after'],
      ['email=a@b.example&message_id=msg_1', 'message_id'],
      ['email=a@b.example&subject=', 'subject'],
      ['email=a@b.example&subject=%00', 'subject'],
      ['email=a@b.example&limit=5', 'limit'],
      ['', 'email'],
    ] as const) {
      const { status, body } = await long.call('GET', `/v1/explain?${query}`)
      assert.equal(status, 422, query)
      assert.ok(
        body.errors.some((one: { path: string }) => one.path === path),
        `${query}: ${JSON.stringify(body.errors)}`,
      )
    }
  })

  test('bounds every list, however much mail an address has had', async () => {
    const scene = sceneOf()
    for (let index = 0; index < 25; index++) await scene.message({ subject: `Number ${index}` })
    for (let index = 0; index < 25; index++) await scene.bulk('running')
    const body = assertOk(await scene.ask())
    assert.equal(body.messages.length, 10)
    assert.equal(body.messages[0].subject, 'Number 24')
    const [only] = assertOk(await scene.ask({ subject: 'number 3' })).messages
    assert.equal(only.subject, 'Number 3')
  })
})
