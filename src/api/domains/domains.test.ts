// Tests the endpoints of domains by a user: adding, publishing, verifying, using, pausing, rotating, claiming and
// deleting.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, TestApp } from '../../../test/support/app.ts'
import { Person } from '../../../test/support/person.ts'
import { standingOf } from '../../../test/support/queued.ts'
import { changeRow } from '../../../test/support/store.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { until } from '../../../test/support/test-clock.ts'
import { createKey } from '../../access/keys.ts'
import { systemClock } from '../../lib/clock.ts'
import { retireKeys } from '../../store/domains/key-rotation.ts'
import type { DomainRecordView, DomainView } from '../contract/domain.ts'

const HOUR_MS = 3_600_000

describe('the domains of a user', () => {
  let app: TestApp
  let owner: Person
  let count = 0
  before(async () => {
    app = await TestApp.start()
    owner = await Person.loggedIn(app)
  })
  after(() => app.stop())

  const add = async (name = `d${++count}.example`): Promise<DomainView> => {
    const { status, body } = await owner.call('POST', '/api/domains', { domain: name })
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }

  const publish = (records: readonly DomainRecordView[]): void => app.dns.publish(records)

  const act = (domain: DomainView, path: string): Promise<Answer> =>
    owner.call('POST', `/api/domains/${domain.domain_id}/${path}`)

  test('keep messages for less than the installation, never for more', async () => {
    const { domain_id } = await add()
    const change = (body: object): Promise<Answer> => owner.call('PATCH', `/api/domains/${domain_id}`, body)
    const { status, body } = await change({ content_retention_days: 7 })
    assert.equal(status, 200)
    assert.deepEqual([body.content_retention_days, body.record_retention_days], [7, null])
    const refused = await change({ content_retention_days: 46, record_retention_days: 0 })
    assert.equal(refused.status, 422)
    const long = await change({ content_retention_days: 46 })
    assert.deepEqual(
      [long.status, long.body.errors],
      [
        422,
        [
          {
            path: 'content_retention_days',
            code: 'too_long',
            message:
              'The retention of the installation is 45 days; give fewer days, or null for the same retention.',
          },
        ],
      ],
    )
    const again = await owner.call('GET', `/api/domains/${domain_id}`)
    assert.equal(again.body.content_retention_days, 7)
  })

  const verified = async (): Promise<DomainView> => {
    const domain = await add()
    publish(domain.records)
    const { status, body } = await act(domain, 'verify')
    assert.deepEqual([status, body.status], [200, 'verified'], JSON.stringify(body))
    return body
  }

  test('have no interval of key rotation until one is set, and refuse a wrong interval', async () => {
    const domain = await verified()
    const address = `/api/domains/${domain.domain_id}`
    assert.deepEqual([domain.rotate_every_days, domain.dkim.rotates_at], [null, null])
    const { body: changed } = await owner.call('PATCH', address, { rotate_every_days: 180 })
    assert.equal(changed.rotate_every_days, 180)
    const wait = Date.parse(changed.dkim.rotates_at) - Date.parse(domain.created_at)
    assert.ok(Math.abs(wait - 180 * 24 * HOUR_MS) < HOUR_MS, `${wait}`)
    for (const days of [0, 29, 3_651, 90.5, '180', true]) {
      const { status, body } = await owner.call('PATCH', address, { rotate_every_days: days })
      assert.equal(status, 422, JSON.stringify(days))
      assert.equal(body.errors[0].path, 'rotate_every_days')
    }
    const { body: off } = await owner.call('PATCH', address, { rotate_every_days: null })
    assert.deepEqual([off.rotate_every_days, off.dkim.rotates_at, off.dkim.switches_at], [null, null, null])
    const wanted = { domain: `d${++count}.example`, rotate_every_days: 90 }
    const { body: added } = await owner.call('POST', '/api/domains', wanted)
    assert.deepEqual([added.rotate_every_days, added.dkim.rotates_at === null], [90, false])
  })

  test('tell from when new keys sign by the calendar', async () => {
    const domain = await verified()
    const address = `/api/domains/${domain.domain_id}`
    await owner.call('PATCH', address, { rotate_every_days: 180 })
    const { body: rotated } = await act(domain, 'dkim/rotate')
    assert.deepEqual([rotated.dkim.rotates_at, rotated.dkim.switches_at], [null, null])
    publish(rotated.records)
    const { body: found } = await act(domain, 'verify')
    const left = Date.parse(found.dkim.switches_at) - Date.parse(found.checked_at)
    assert.equal(left, 24 * HOUR_MS)
  })

  test('show the findings about their BIMI record', async () => {
    const domain = await verified()
    assert.equal(domain.bimi, null)
    const record = 'v=BIMI1; l=http://example.com/logo.svg'
    app.dns.set(`default._bimi.${domain.domain}`, { TXT: [record] })
    const { body } = await act(domain, 'verify')
    const { findings, ...bimi } = body.bimi
    assert.deepEqual(
      findings.map(({ code, severity }: { code: string; severity: string }) => [code, severity]),
      [
        ['logo_url', 'error'],
        ['certificate_missing', 'hint'],
        ['dmarc_policy', 'error'],
      ],
    )
    assert.deepEqual(bimi, {
      ...{ status: 'failed', name: `default._bimi.${domain.domain}`, record },
      ...{ logo_url: null, certificate_url: null, logo_checked_at: null },
    })
    assert.equal(body.status, 'verified')
  })

  const send = (domain: DomainView, more: object = {}): Promise<Answer> =>
    owner.call('POST', `/api/domains/${domain.domain_id}/messages`, {
      from: `hello@${domain.domain}`,
      to: [{ email: 'you@receiver.example' }],
      subject: 'Hello',
      text: 'Hello.\n',
      ...more,
    })

  async function refused(answer: Promise<Answer>, status: number, code: string): Promise<Answer> {
    const got = await answer
    assert.deepEqual([got.status, got.body.code], [status, code], JSON.stringify(got.body))
    return got
  }

  test('201 with the records to publish, in order of importance', async () => {
    const domain = await add(`  New${++count}.Example `)
    assert.equal(domain.status, 'pending')
    assert.equal(domain.claim, undefined)
    assert.deepEqual(
      domain.records.map(({ purpose, required, status }) => [purpose, required, status]),
      [
        ['dkim_rsa', true, 'pending'],
        ['return_path', true, 'pending'],
        ['dkim_ed25519', false, 'pending'],
        ['dmarc', false, 'pending'],
        ['tracking', false, 'pending'],
      ],
    )
    for (const record of domain.records) {
      assert.equal(`${record.host}.${domain.domain}`, record.name)
      assert.match(record.advice, /^Add a (TXT|CNAME) record/)
    }
    const { body } = await owner.call('GET', '/api/domains')
    assert.ok(body.data.some((one: DomainView) => one.domain_id === domain.domain_id))
    assert.deepEqual((await owner.call('GET', `/api/domains/${domain.domain_id}`)).body, domain)
    assert.equal(domain.events[0]?.type, 'added')
  })

  test('a domain under which no customer can publish records is reported as such, and one in another script is shown in it', async () => {
    const provider = await add('gmail.com')
    assert.deepEqual([provider.mailbox_provider, provider.domain_unicode], [true, 'gmail.com'])
    const munich = await add('münchen.example')
    assert.deepEqual(
      [munich.domain, munich.domain_unicode, munich.mailbox_provider],
      ['xn--mnchen-3ya.example', 'münchen.example', false],
    )
    const { body } = await owner.call('GET', '/api/domains')
    const listed = body.data.find((one: DomainView) => one.domain_id === munich.domain_id)
    assert.equal(listed.domain_unicode, 'münchen.example')
  })

  test('422 for an invalid name, 409 for an existing one', async () => {
    for (const name of ['x', 'a b.example', '127.0.0.1', '<b>.example']) {
      await refused(owner.call('POST', '/api/domains', { domain: name }), 422, 'validation_failed')
    }
    await refused(
      owner.call('POST', '/api/domains', { domain: 'a.example', more: 1 }),
      422,
      'validation_failed',
    )
    const { domain, domain_id } = await add()
    const known = await refused(owner.call('POST', '/api/domains', { domain }), 409, 'conflict')
    assert.deepEqual(known.body.existing, { domain_id })
  })

  test('verifying checks at once, and reports what was found instead', async () => {
    const domain = await add()
    await refused(send(domain), 403, 'domain_not_verified')
    const wrong = '<script>alert(1)</script>'
    publish(
      domain.records.map((record) =>
        record.purpose === 'return_path' ? { ...record, value: 'x.example' } : record,
      ),
    )
    app.dns.set(domain.records.find(({ purpose }) => purpose === 'dmarc')?.name ?? '', { TXT: [wrong] })
    const first = (await act(domain, 'verify')).body as DomainView
    assert.equal(first.status, 'pending')
    const of = (view: DomainView, purpose: string) => view.records.find((one) => one.purpose === purpose)
    assert.deepEqual(
      [of(first, 'return_path')?.status, of(first, 'return_path')?.found],
      ['mismatch', ['x.example']],
    )
    assert.match(of(first, 'return_path')?.advice ?? '', /change its target to/)
    assert.deepEqual([of(first, 'dmarc')?.status, of(first, 'dmarc')?.found], ['missing', [wrong]])
    publish(domain.records)
    const second = (await act(domain, 'verify')).body as DomainView
    assert.equal(second.status, 'verified')
    assert.ok(second.records.every((record) => record.status === 'found'))
    assert.notEqual(second.checked_at, null)
    assert.equal((await send(domain)).status, 202)
  })

  test('429 for repeated verification', async () => {
    const domain = await add()
    let looks = 0
    let answer = act(domain, 'verify')
    // More than 30 verifications may be allowed on a slow machine, because the rate limit refills meanwhile.
    for (; (await answer).status === 200 && looks < 100; looks++) answer = act(domain, 'verify')
    assert.ok(looks >= 30, `${looks} looks`)
    const { headers } = await refused(answer, 429, 'rate_limit_exceeded')
    assert.match(headers.get('retry-after') ?? '', /^[12]$/)
    assert.equal((await act(await add(), 'verify')).status, 200)
  })

  test('the zone is text that a name server can load', async () => {
    const domain = await add()
    const { headers, body } = await owner.call('GET', `/api/domains/${domain.domain_id}/zone`)
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
    for (const { name } of domain.records) assert.ok(body.includes(`\n${name}.\t3600\tIN\t`), name)
  })

  test('a paused domain accepts and sends nothing; afterwards, everything continues', async () => {
    const domain = await verified()
    const paused = await act(domain, 'pause')
    assert.equal(paused.body.status, 'paused')
    await refused(send(domain), 403, 'domain_not_verified')
    assert.equal((await act(domain, 'resume')).body.status, 'verified')
    const { body } = await send(domain, { send_at: new Date(Date.now() + HOUR_MS).toISOString() })
    await act(domain, 'pause')
    // An update of the row makes the message due, because a scheduled time could pass before the domain is paused.
    const due = [String(Date.now()), body.message_id]
    await changeRow(app.storage, 'update queue set due_at = $1 where message_id = $2', due)
    const lane = () => standingOf(app.store, { messageId: body.message_id })
    await until('it is held', async () => (await lane()) === `held domain ${domain.domain}`)
    await act(domain, 'resume')
    await until('it goes on', async () => (await lane()) === null)
  })

  test('new DKIM keys replace old ones without a gap', async () => {
    const domain = await verified()
    const rotated = (await act(domain, 'dkim/rotate')).body as DomainView
    assert.equal(rotated.dkim.next_step, 'switch')
    await refused(act(domain, 'dkim/switch'), 409, 'conflict')
    await refused(act(domain, 'dkim/retire'), 409, 'conflict')
    const discarded = (await act(domain, 'dkim/discard')).body as DomainView
    assert.deepEqual(discarded.records, domain.records)
    assert.deepEqual([discarded.dkim.next_step, discarded.events[0]?.type], ['rotate', 'dkim_discarded'])
    await refused(act(domain, 'dkim/discard'), 409, 'conflict')
    const again = (await act(domain, 'dkim/rotate')).body as DomainView
    publish(again.records)
    const switched = (await act(domain, 'dkim/switch')).body as DomainView
    assert.deepEqual([switched.status, switched.dkim.next_step], ['verified', 'retire'])
    // Old DKIM keys cannot be retired while mail that was just signed may still be in transit.
    await refused(act(domain, 'dkim/retire'), 409, 'conflict')
    const { account_id } = await app.store.read
      .selectFrom('domains')
      .select('account_id')
      .where('id', '=', domain.domain_id)
      .executeTakeFirstOrThrow()
    const later = {
      domain: { id: domain.domain_id, account_id },
      isScheduled: false,
      now: Date.now() + 10 * 60_000,
    }
    assert.equal(await app.store.write(retireKeys, later), 'done')
    const retired = (await owner.call('GET', `/api/domains/${domain.domain_id}`)).body as DomainView
    assert.deepEqual([retired.records.length, retired.dkim.next_step], [5, 'rotate'])
    assert.notEqual(retired.records[0]?.name, domain.records[0]?.name)
  })

  test('another account’s domain needs a proof, and changes its owner with it', async () => {
    const other = await createTenant(app.store)
    const domain = await add(other.domain.name)
    assert.ok(domain.claim)
    assert.match(domain.claim.record.name, /^_postrider-claim\./)
    assert.match(domain.claim.record.advice, /proves that you own the domain/)
    publish(domain.records)
    assert.equal((await act(domain, 'verify')).body.status, 'pending')
    publish([{ ...domain.claim.record, value: 'postrider-claim=of-somebody-else' }])
    const { body } = await act(domain, 'verify')
    assert.deepEqual([body.status, body.claim.record.status], ['pending', 'mismatch'])
    publish([domain.claim.record])
    const claimed = (await act(domain, 'verify')).body as DomainView
    assert.deepEqual([claimed.status, claimed.claim], ['verified', undefined])
    assert.equal((await send(domain)).status, 202)
  })

  test('deleting requires the name; keys stop working and waiting mail is cancelled', async () => {
    const domain = await verified()
    const account = (await owner.call('GET', '/api/session')).body.account.account_id
    const { secret } = await createKey(
      { store: app.store, clock: systemClock },
      { accountId: account, name: 'Key', kind: 'sending', domainId: domain.domain_id },
    )
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const { body } = await send(domain, { send_at: later })
    const path = `/api/domains/${domain.domain_id}`
    const other = await refused(owner.call('DELETE', `${path}?confirm=x.example`), 422, 'validation_failed')
    assert.deepEqual([other.body.errors[0].path, other.body.errors[0].code], ['confirm', 'not_confirmed'])
    const without = await refused(owner.call('DELETE', path), 422, 'validation_failed')
    assert.match(without.body.detail, new RegExp(`\\?confirm=${domain.domain}\\.$`))
    const typed = `${path}?confirm=%20${domain.domain.toUpperCase()}%20`
    assert.equal((await owner.call('DELETE', typed)).status, 204)
    await refused(owner.call('GET', path), 404, 'not_found')
    await refused(owner.call('GET', `${path}/messages`), 404, 'not_found')
    const recipient = await app.store.read
      .selectFrom('recipients')
      .select('status')
      .where('message_id', '=', body.message_id)
      .executeTakeFirst()
    assert.equal(recipient?.status, 'cancelled')
    assert.equal(await standingOf(app.store, { messageId: body.message_id }), null)
    const authorization = `Bearer ${secret}`
    const status = async (): Promise<number> =>
      (await app.call('GET', '/v1/messages', undefined, { authorization })).status
    await until('the key is refused', async () => (await status()) === 401)
    const actions = await app.store.read.selectFrom('audit_log').select(['action', 'target']).execute()
    assert.ok(actions.some((one) => one.action === 'domain.delete' && one.target === domain.domain_id))
  })
})
