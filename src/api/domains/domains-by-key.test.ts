// Tests the endpoints of domains by management keys: the same answers as by a user, names in the path, own DKIM keys,
// versions, and keys of listed domains.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { ok, refused } from '../../../test/support/answers.ts'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { managementKey } from '../../../test/support/keys.ts'
import { Person } from '../../../test/support/person.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { addDomain } from '../../domains/domains.ts'
import { systemClock } from '../../lib/clock.ts'
import { setAccountStatus } from '../../store/access/accounts.ts'
import type { Domain } from '../../store/domains/domain-rows.ts'
import type { DomainRecordView } from '../contract/domain.ts'

type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>

describe('domains by keys', () => {
  let app: TestApp
  let owner: Person
  let first: Domain
  let other: Tenant
  let call: Call
  let count = 0
  before(async () => {
    app = await TestApp.start({ env: { POSTRIDER_ROLES: 'api,dashboard' } })
    owner = await Person.loggedIn(app)
    first = await app.store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
    other = await createTenant(app.store)
    call = by(await managementKey(app))
  })
  after(() => app.stop())

  const by =
    (key: string): Call =>
    (method, path, body, headers = {}) =>
      app.callWith(method, path, body, { authorization: `Bearer ${key}`, ...headers })
  const told = (body: Answer['body']): string[] =>
    body.errors.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`)
  const add = (fields: object = {}, name = `k${++count}.example`): Promise<Answer['body']> =>
    ok(call('POST', '/v1/domains', { domain: name, ...fields }), 201)
  const publish = (records: readonly DomainRecordView[]): void => app.dns.publish(records)

  /** Returns a response without IDs, times and keys. */
  const bare = (body: unknown): string =>
    JSON.stringify(body)
      .replaceAll(/\b[a-z]{3}_[0-9A-Z]{26}\b/g, '<id>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/p=[\w+/=]+(?:\W+ \W+[\w+/=]{40,})?/g, 'p=<key>')
      .replaceAll(/pr\d{8}[re]\d*/g, '<selector>')
      .replaceAll(/token=[^"]+/g, 'token=<token>')
      .replaceAll(/dmarc\+\w+@/g, 'dmarc+<token>@')

  test('are added, shown, changed and deleted the same way as by a user', async () => {
    const asPerson: Call = (method, path, body, headers) => owner.call(method, path, body, headers)
    const seen: string[][] = []
    for (const [door, ask] of [
      ['/v1', call],
      ['/api', asPerson],
    ] as const) {
      const all: unknown[] = []
      const say = async (answer: Promise<Answer>, status = 200): Promise<Answer['body']> => {
        const body = await ok(answer, status)
        all.push(bare(body))
        return body
      }
      const wanted = { domain: ' Bücher.Example ', content_retention_days: 7, track_opens: null }
      const made = await ask('POST', `${door}/domains`, wanted)
      assert.equal(made.headers.get('location'), `/v1/domains/${made.body.domain_id}`)
      const added = await say(Promise.resolve(made), 201)
      assert.deepEqual(
        [added.domain, added.content_retention_days, added.track_opens, added.records.length],
        ['xn--bcher-kva.example', 7, false, 5],
      )
      assert.deepEqual(
        [added.ready.transactional, added.ready.broadcast, added.ready.reasons.length],
        [false, false, 2],
      )
      for (const named of [
        added.domain_id,
        'xn--bcher-kva.example',
        'b%C3%BCcher.example',
        'BÜCHER.example.',
      ]) {
        assert.deepEqual(await ok(ask('GET', `${door}/domains/${named}`)), added)
      }
      const at = `${door}/domains/${added.domain_id}`
      const listed = await say(ask('GET', `${door}/domains?name=B%C3%BCcher.example&status=pending`))
      assert.deepEqual([listed.data.length, listed.next_cursor], [1, null])
      assert.equal((await ok(ask('GET', `${door}/domains?name=nothing.example`))).data.length, 0)
      const { data } = await say(ask('GET', `${at}/records`))
      assert.deepEqual(data, added.records)
      all.push(bare(await ok(ask('GET', `${at}/zone`))))
      await say(ask('GET', `${at}/dns-hosting`))
      await say(ask('POST', `${at}/record-links`), 201)
      await say(ask('PATCH', at, { content_retention_days: null, track_links: false }))
      await say(ask('POST', `${at}/dkim/rotate`))
      await say(ask('POST', `${at}/dkim/discard`))
      await say(ask('POST', `${at}/pause`))
      await say(ask('POST', `${at}/resume`))
      publish(added.records)
      const verified = await say(ask('POST', `${at}/verify`))
      assert.deepEqual(verified.ready, { transactional: true, broadcast: true, reasons: [] })
      assert.equal((await ask('DELETE', `${at}/record-links`)).status, 204)
      all.push((await refused(ask('DELETE', at), 422, 'validation_failed')).errors)
      assert.equal((await ask('DELETE', `${at}?confirm=b%C3%BCcher.example`)).status, 204)
      await refused(ask('GET', at), 404, 'not_found')
      for (const { name } of added.records) app.dns.set(name, 'NXDOMAIN')
      seen.push(all.map((one) => JSON.stringify(one)))
    }
    assert.deepEqual(seen[0], seen[1])
    const entries = await app.store.read
      .selectFrom('audit_log')
      .selectAll()
      .where('action', 'not like', 'session%')
      .orderBy('id')
      .execute()
    const logged = entries.map(({ action, detail, target }) => bare([action, detail, target]))
    assert.equal(logged.length, 18)
    assert.deepEqual(logged.slice(0, 9), logged.slice(9))
    assert.match(entries[0]?.actor ?? '', /^key Management \(…/)
    assert.match(entries[9]?.actor ?? '', /@/)
  })

  test('are listed by pages in the order of their names', async () => {
    for (const name of ['p3.example', 'p1.example', 'p2.example']) await add({}, name)
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { data, next_cursor } = await ok(call('GET', `/v1/domains?limit=1${cursor}`))
      seen.push(...data.map((one: { domain: string }) => one.domain))
      if (next_cursor === null) break
      cursor = `&cursor=${next_cursor}`
    }
    assert.deepEqual(seen, (await ok(call('GET', '/v1/domains?limit=200'))).data.map(nameOf))
    assert.deepEqual(seen, seen.toSorted())
    for (const cursor of ['X', 'a b', first.id]) {
      await refused(call('GET', `/v1/domains?cursor=${cursor}`), 400, 'malformed_request')
    }
    await refused(call('GET', '/v1/domains?status=gone'), 422, 'validation_failed')
  })
  const nameOf = ({ domain }: { readonly domain: string }): string => domain

  test('are known to a key that lists them, and domains of other accounts are absent', async () => {
    const mine = await add()
    const narrow = by(await managementKey(app, { domainIds: [mine.domain_id] }))
    assert.deepEqual((await ok(narrow('GET', '/v1/domains'))).data.map(nameOf), [mine.domain])
    assert.deepEqual((await ok(narrow('GET', `/v1/domains?name=${first.name}`))).data, [])
    await ok(narrow('GET', `/v1/domains/${mine.domain}`))
    const answers: unknown[] = []
    for (const [named, status, code] of [
      [first.id, 403, 'domain_not_permitted'],
      [first.name, 403, 'domain_not_permitted'],
      [other.domain.id, 404, 'not_found'],
      [other.domain.name, 404, 'not_found'],
      ['nothing.example', 404, 'not_found'],
      ['%00', 404, 'not_found'],
    ] as const) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { content_retention_days: 1 }],
        ['DELETE', `?confirm=${named}`, undefined],
        ['POST', '/verify', undefined],
        ['GET', '/zone', undefined],
      ] as const) {
        const { request_id: _, ...refusal } = await refused(
          narrow(method, `/v1/domains/${named}${path}`, body),
          status,
          code,
        )
        if (status === 404) answers.push(refusal)
      }
    }
    for (const one of answers.slice(0, -5)) assert.deepEqual(one, answers[0])
    const limited = await refused(
      narrow('POST', '/v1/domains', { domain: 'co.uk' }),
      422,
      'validation_failed',
    )
    assert.deepEqual(told(limited), ['beyond_own_rights domain', 'public_suffix domain'])
    const nothing = by(await managementKey(app, { domainIds: [] }))
    assert.deepEqual((await ok(nothing('GET', '/v1/domains'))).data, [])
    await refused(by(app.playground.sending_key)('GET', '/v1/domains'), 403, 'key_kind_not_permitted')
    const reader = by(await managementKey(app, { scopes: ['domains:read'], grants: [] }))
    await refused(reader('POST', `/v1/domains/${mine.domain}/verify`), 403, 'scope_not_permitted')
  })

  test('of this account are named by the refusal, and those of another account need a proof', async () => {
    const { domain, domain_id } = await add()
    for (const fields of [{}, { dkim: { selector: 'own' } }]) {
      const known = await refused(call('POST', '/v1/domains', { domain, ...fields }), 409, 'conflict')
      assert.deepEqual(known.existing, { domain_id })
    }
    const claimed = await add({}, other.domain.name)
    assert.match(claimed.claim.record.name, /^_postrider-claim\./)
    assert.ok(!JSON.stringify(claimed).includes(other.domain.id))
    const { data } = await ok(call('GET', `/v1/domains/${claimed.domain}/records`))
    assert.deepEqual(data, [claimed.claim.record, ...claimed.records])
    publish(claimed.records)
    const { ready } = await ok(call('POST', `/v1/domains/${claimed.domain}/verify`))
    assert.deepEqual(
      ready.reasons.map(({ code }: { code: string }) => code),
      ['claim_missing'],
    )
  })

  test('cannot be public suffixes, and report every problem at once', async () => {
    const { errors } = await refused(
      call('POST', '/v1/domains', {
        ...{ domain: 'co.uk', record_retention_days: 9_999, track_opens: true, colour: 'red' },
        dkim: { selector: 'Own_1', private_key: 'x' },
      }),
      422,
      'validation_failed',
    )
    assert.deepEqual(told({ errors }).sort(), [
      ...['invalid_private_key dkim.private_key', 'invalid_selector dkim.selector', 'public_suffix domain'],
      ...['too_long record_retention_days', 'tracking_host_not_verified track_opens'],
      'unknown_field colour',
    ])
    for (const selector of ['', '-a', 'a-', 'a.b', 'a_b', 'é', 'a'.repeat(64)]) {
      const body = { domain: 'good.example', dkim: { selector } }
      const answer = await refused(call('POST', '/v1/domains', body), 422, 'validation_failed')
      assert.deepEqual(told(answer), ['invalid_selector dkim.selector'], selector)
    }
    assert.deepEqual((await ok(call('GET', '/v1/domains?name=good.example'))).data, [])
  })

  test('take a key and a selector of their owner, and never show the key', async () => {
    const pemOf = (type: 'rsa' | 'ed25519'): string =>
      (type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519')
      ).privateKey
        .export({ type: 'pkcs8', format: 'pem' })
        .toString()
    const rsa = pemOf('rsa')
    const made = await add({ dkim: { selector: 's1', private_key: rsa } })
    assert.deepEqual(made.dkim.selectors.rsa, 's1')
    assert.match(made.dkim.selectors.ed25519, /^pr\d{8}e$/)
    assert.equal(made.records[0].name, `s1._domainkey.${made.domain}`)
    const secret = rsa.split('\n')[5] ?? ''
    for (const path of ['', '/records', '/zone']) {
      const { body } = await call('GET', `/v1/domains/${made.domain}${path}`)
      assert.ok(!JSON.stringify(body).includes(secret), path)
    }
    const row = await app.store.read
      .selectFrom('dkim_keys')
      .selectAll()
      .where('domain_id', '=', made.domain_id)
      .where('selector', '=', 's1')
      .executeTakeFirstOrThrow()
    assert.equal(app.store.secrets.open(row.private_key, row.id), rsa)
    const log = await app.store.read.selectFrom('audit_log').select('detail').execute()
    assert.ok(!JSON.stringify(log).includes(secret))

    const edwards = await add({ dkim: { selector: 'pr20260101r', private_key: pemOf('ed25519') } })
    assert.equal(edwards.dkim.selectors.ed25519, 'pr20260101r')
    const named = await add({ dkim: { selector: '2026-a' } })
    assert.deepEqual([named.dkim.selectors.rsa, named.records.length], ['2026-a', 5])
    const rotated = await ok(call('POST', `/v1/domains/${named.domain}/dkim/rotate`))
    assert.equal(rotated.records.length, 7)

    // Another account cannot take the record of a key, and the owner of the key can take it along.
    const at = (fields: object) => ({ domain: named.domain, dkim: { selector: '2026-a', ...fields } })
    const elsewhere = by(await managementKey(app, { accountId: other.account.id }))
    const taken = await refused(elsewhere('POST', '/v1/domains', at({})), 422, 'validation_failed')
    assert.deepEqual(told(taken), ['selector_in_use dkim.selector'])
    const moved = { domain: made.domain, dkim: { selector: 's1', private_key: rsa } }
    const claim = await ok(elsewhere('POST', '/v1/domains', moved), 201)
    assert.equal(claim.records[0].value, made.records[0].value)
    // A domain that is added again after its deletion may have the same selector.
    assert.equal((await call('DELETE', `/v1/domains/${named.domain}?confirm=${named.domain}`)).status, 204)
    assert.equal((await ok(call('POST', '/v1/domains', at({})), 201)).dkim.selectors.rsa, '2026-a')
  })

  test('are changed and deleted in the version that was seen, and in no other', async () => {
    const { domain } = await add()
    const at = `/v1/domains/${domain}`
    const read = await call('GET', at)
    const etag = read.headers.get('etag') ?? ''
    assert.match(etag, /^"[\w-]{22}"$/)
    const change = (days: number, match: string) =>
      call('PATCH', at, { content_retention_days: days }, { 'if-match': match })
    const changed = await change(7, etag)
    assert.equal(changed.status, 200)
    assert.notEqual(changed.headers.get('etag'), etag)
    assert.equal(changed.headers.get('etag'), (await call('GET', at)).headers.get('etag'))
    const stale = await refused(change(8, etag), 412, 'changed_meanwhile')
    assert.equal(stale.errors[0].path, 'If-Match')
    const remove = (match: string) =>
      call('DELETE', `${at}?confirm=${domain}`, undefined, { 'if-match': match })
    await refused(remove(etag), 412, 'changed_meanwhile')
    // Of changes at the same time under one version, one is made.
    const version = changed.headers.get('etag') ?? ''
    const answers = await Promise.all([1, 2, 3, 4].map((days) => change(days, version)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412])
    await ok(change(9, '*'))
    assert.equal((await remove((await call('GET', at)).headers.get('etag') ?? '')).status, 204)
  })

  test('that are added once under an Idempotency-Key have one key', async () => {
    const once = { 'idempotency-key': 'once' }
    const body = { domain: 'once.example', dkim: { selector: 'own' } }
    const made = await ok(call('POST', '/v1/domains', body, once), 201)
    assert.deepEqual(await ok(call('POST', '/v1/domains', body, once), 201), made)
  })

  test('show that the account is suspended', async () => {
    const { account } = other
    const { domain } = await addDomain({
      ...{ store: app.store, clock: systemClock, accountId: account.id, name: 'verified.example' },
      ...{ returnPathHost: 'rp.mail.test', trackingTarget: 'mail.test', verified: true },
    })
    const elsewhere = by(await managementKey(app, { accountId: account.id }))
    const before = await ok(elsewhere('GET', `/v1/domains/${domain.name}`))
    assert.equal(before.ready.transactional, true)
    await app.store.write(setAccountStatus, { id: account.id, status: 'suspended', now: Date.now() })
    await until('the suspension is noticed', async () => {
      const { body } = await elsewhere('GET', `/v1/domains/${domain.name}`)
      return body.ready.reasons[0]?.code === 'account_suspended'
    })
  })
})
