// Sending domains: their DNS records, and their verification with a real DNS server.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { DnsHost, type DnsRecords } from '../../test/support/dns-host.ts'
import { openTestStore, usualDatabase } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createAccount } from '../access/accounts.ts'
import { createKey } from '../access/keys.ts'
import { createResolver, type Resolver } from '../dns/resolver.ts'
import { silentLog } from '../lib/log.ts'
import { domainName } from '../model/domain.ts'
import { Problem } from '../model/problem.ts'
import { findCredential, listKeys } from '../store/access/key-reads.ts'
import type { Store } from '../store/database/store.ts'
import { listSigningKeys } from '../store/domains/dkim-keys.ts'
import { type DomainRecord, findDomain, listDomainEvents } from '../store/domains/domain-rows.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { adviceFor } from './advice.ts'
import { deleteDomain, pauseDomain, resumeDomain } from './changes.ts'
import { DailyCheck } from './daily-check.ts'
import { retireDkim, rotateDkim, switchDkim } from './dkim-rotation.ts'
import { addDomain, type VerifiedDomain, verifyDomain } from './domains.ts'
import { zoneText } from './zone-text.ts'

const DAY_MS = 86_400_000
const POINT_TO = { returnPathHost: 'rp.sender.example', trackingTarget: 'mail.sender.example' }

describe('a sending domain', () => {
  const clock = new TestClock()
  let store: Store
  let dns: DnsHost
  let resolver: Resolver
  let accountId: string
  let count = 0

  before(async () => {
    store = await openTestStore(usualDatabase())
    dns = await DnsHost.start()
    resolver = createResolver({ servers: [dns.server], cache: false })
    accountId = (await createAccount({ store, clock }, 'Example')).id
  })
  after(async () => {
    await dns.stop()
    await store.close()
  })

  const add = (name = `d${++count}.example`) => addDomain({ store, clock, accountId, name, ...POINT_TO })

  const publish = (
    records: readonly DomainRecord[],
    but: Record<string, DnsRecords | 'NXDOMAIN'> = {},
  ): void => {
    for (const { purpose, type, name, value } of records) {
      dns.set(
        name,
        but[purpose] ?? (type === 'TXT' ? { TXT: [value.match(/.{1,255}/g) ?? []] } : { CNAME: value }),
      )
    }
  }

  const verify = async (name: string) => {
    const domain = await findDomain(store.read, accountId, name)
    return verifyDomain({ store, clock }, resolver, domain as NonNullable<typeof domain>)
  }

  const code = (wanted: string) => (error: unknown) => error instanceof Problem && error.code === wanted
  const statusOf = ({ domain, event }: VerifiedDomain) => [domain.status, event]

  const statuses = (records: readonly DomainRecord[]) =>
    Object.fromEntries(records.map((record) => [record.purpose, record.status]))

  test('cannot be a public suffix', async () => {
    for (const name of ['co.uk', 'CO.UK', 'gov.br', 'xn--55qx5d.cn']) {
      await assert.rejects(add(name), /is a public suffix/, name)
    }
    for (const name of ['nobody.co.uk', 'github.io', 'acme.internal']) await add(name)
  })

  test('lists its records and waits', async () => {
    const { domain, records } = await add()
    assert.equal(domain.status, 'pending')
    assert.deepEqual(
      records.map(({ purpose, type, required }) => [purpose, type, required]),
      [
        ['dkim_rsa', 'TXT', 1],
        ['dkim_ed25519', 'TXT', 0],
        ['return_path', 'CNAME', 1],
        ['dmarc', 'TXT', 0],
        ['tracking', 'CNAME', 0],
      ],
    )
    assert.match(records[0]?.value ?? '', /^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]{300,}$/)
    assert.match(records[1]?.value ?? '', /^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/=]{44}$/)
    assert.equal(records[2]?.name, `bounces.${domain.name}`)
    assert.deepEqual([records[4]?.name, records[4]?.value], [`links.${domain.name}`, POINT_TO.trackingTarget])
  })

  test('is verified when the required records are found', async () => {
    const { domain, records } = await add()
    publish(records, { dmarc: 'NXDOMAIN', dkim_ed25519: 'NXDOMAIN', tracking: 'NXDOMAIN' })
    const verified = await verify(domain.name)
    assert.equal(verified.domain.status, 'verified')
    assert.deepEqual(statuses(verified.records), {
      dkim_rsa: 'found',
      dkim_ed25519: 'missing',
      return_path: 'found',
      dmarc: 'missing',
      tracking: 'missing',
    })
    assert.equal((await findDomain(store.read, accountId, domain.name))?.status, 'verified')
  })

  test('is not verified by foreign records; the found values are stored', async () => {
    const { domain, records } = await add()
    publish(records, {
      dkim_rsa: { TXT: ['v=DKIM1; k=rsa; p=AAAA'] },
      return_path: { CNAME: 'elsewhere.example' },
      dmarc: { TXT: ['v=spf1 -all', 'v=DMARC1; p=reject'] },
      tracking: { CNAME: 'elsewhere.example' },
    })
    const { domain: after, records: checked } = await verify(domain.name)
    assert.equal(after.status, 'pending')
    assert.deepEqual(statuses(checked), {
      dkim_rsa: 'mismatch',
      dkim_ed25519: 'found',
      return_path: 'mismatch',
      dmarc: 'found',
      tracking: 'mismatch',
    })
    assert.deepEqual(JSON.parse(checked.find((record) => record.purpose === 'return_path')?.found ?? ''), [
      'elsewhere.example',
    ])
  })

  test('reads a key that is split into parts and spaced differently', async () => {
    const { domain, records } = await add()
    const value = records[0]?.value.replace('; ', ' ;  t=s ; ') ?? ''
    publish(records, { dkim_rsa: { TXT: [[value.slice(0, 200), value.slice(200)]] } })
    assert.equal((await verify(domain.name)).domain.status, 'verified')
  })

  test('is flagged when its records disappear, and closed three days later', async () => {
    const { domain, records } = await add()
    publish(records)
    assert.equal((await verify(domain.name)).event, 'verified')
    assert.equal((await verify(domain.name)).event, undefined)
    publish(records, { dkim_rsa: 'NXDOMAIN' })
    clock.advance(2 * DAY_MS)
    const flagged = await verify(domain.name)
    assert.deepEqual([flagged.domain.status, flagged.event], ['verified', 'flagged'])
    assert.equal(flagged.domain.flagged_at, clock.now())
    clock.advance(3 * DAY_MS - 1)
    assert.deepEqual(statusOf(await verify(domain.name)), ['verified', undefined])
    clock.advance(1)
    assert.deepEqual(statusOf(await verify(domain.name)), ['pending', 'closed'])
    assert.deepEqual(statusOf(await verify(domain.name)), ['pending', undefined])
    publish(records)
    const back = await verify(domain.name)
    assert.deepEqual([...statusOf(back), back.domain.flagged_at], ['verified', 'recovered', null])
    const events = await listDomainEvents(store.read, accountId, domain.id, 10)
    assert.deepEqual(
      events.map((event) => event.type),
      ['recovered', 'closed', 'flagged', 'verified', 'added'],
    )
    assert.deepEqual(JSON.parse(events[1]?.detail ?? ''), {
      records: [{ purpose: 'dkim_rsa', status: 'missing' }],
    })
  })

  test('is not changed by a DNS that does not answer, until it is silent for days', async () => {
    const { domain, records } = await add()
    publish(records)
    await verify(domain.name)
    for (const { name } of records) dns.set(name, 'SERVFAIL')
    const silent = await verify(domain.name)
    assert.deepEqual(statusOf(silent), ['verified', undefined])
    assert.ok(silent.records.every(({ status, note }) => status === 'found' && note === 'unanswered'))
    assert.match(adviceFor(silent.records[0] as DomainRecord, silent.domain), /did not answer/)
    clock.advance(3 * DAY_MS + 1)
    assert.deepEqual(statusOf(await verify(domain.name)), ['verified', 'flagged'])
  })

  test('is not verified by a DNS that does not answer', async () => {
    const { domain, records } = await add()
    for (const { name } of records) dns.set(name, 'SERVFAIL')
    const { domain: after, records: checked } = await verify(domain.name)
    assert.equal(after.status, 'pending')
    assert.deepEqual(new Set(checked.map((record) => record.status)), new Set(['pending']))
  })

  test('stays paused whatever is found; after resuming, its records determine its state', async () => {
    const { domain, records } = await add()
    publish(records)
    await verify(domain.name)
    assert.equal((await pauseDomain({ store, clock }, domain)).domain.status, 'paused')
    assert.equal((await verify(domain.name)).domain.status, 'paused')
    assert.equal((await resumeDomain({ store, clock }, domain)).domain.status, 'verified')
    const other = await add()
    await pauseDomain({ store, clock }, other.domain)
    assert.equal((await resumeDomain({ store, clock }, other.domain)).domain.status, 'pending')
  })

  describe('gives advice', () => {
    const adviceOn = async (purpose: string, value: DnsRecords | 'NXDOMAIN'): Promise<string> => {
      const { domain, records } = await add()
      publish(records, { [purpose]: value })
      const checked = await verify(domain.name)
      const record = checked.records.find((one) => one.purpose === purpose) as DomainRecord
      return `${record.status}: ${adviceFor(record, checked.domain)}`
    }
    const key = (records: readonly DomainRecord[]): string => records[0]?.value ?? ''

    test('about a record that is not there', async () => {
      assert.match(
        await adviceOn('dkim_rsa', 'NXDOMAIN'),
        /^missing: There is no TXT record at pr\d+r\._domainkey/,
      )
      assert.match(await adviceOn('dmarc', 'NXDOMAIN'), /broadcast streams stay closed/)
      assert.match(await adviceOn('return_path', {}), /^missing: There is no CNAME record at bounces\./)
    })

    test('about a record under the domain twice', async () => {
      const { domain, records } = await add()
      publish(records, { dkim_rsa: 'NXDOMAIN' })
      dns.set(`${records[0]?.name}.${domain.name}`, { TXT: [key(records).match(/.{1,255}/g) ?? []] })
      const { records: checked } = await verify(domain.name)
      const record = checked.find((one) => one.purpose === 'dkim_rsa') as DomainRecord
      assert.deepEqual([record.status, record.note], ['missing', 'misplaced'])
      assert.match(adviceFor(record, domain), /Enter only pr\d+r\._domainkey as its name/)
    })

    test('about a key that is cut off, quoted, revoked or different', async () => {
      const { domain, records } = await add()
      for (const [value, says] of [
        [key(records).slice(0, 255), /cut off/],
        [`"${key(records).slice(0, 200)}" "${key(records).slice(200)}"`, /quotation marks/],
        ['v=DKIM1; k=rsa; p=', /contains no key/],
        ['v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A', /cut off|another key/],
      ] as const) {
        publish(records, { dkim_rsa: { TXT: [value.match(/.{1,255}/g) ?? []] } })
        const { records: checked } = await verify(domain.name)
        const record = checked.find((one) => one.purpose === 'dkim_rsa') as DomainRecord
        assert.equal(record.status, 'mismatch', value)
        assert.match(adviceFor(record, domain), says)
      }
    })

    test('about several records instead of one record', async () => {
      const two = { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] }
      assert.match(await adviceOn('dmarc', two), /^mismatch: There are 2 DMARC records/)
      assert.match(await adviceOn('dmarc', { TXT: ['v=DMARC1; p=maybe'] }), /no valid policy/)
      assert.match(
        await adviceOn('return_path', { CNAME: 'else.example' }),
        /change its target to rp\.sender/,
      )
    })
  })

  test('inherits the DMARC policy of the parent domain', async () => {
    dns.set('_dmarc.organisation.example', { TXT: ['v=DMARC1; p=reject'] })
    const { domain, records } = await add('mail.organisation.example')
    publish(records, { dmarc: 'NXDOMAIN' })
    const { records: checked } = await verify(domain.name)
    const dmarc = checked.find((record) => record.purpose === 'dmarc')
    assert.deepEqual([dmarc?.status, dmarc?.note], ['found', 'inherited'])
  })

  test('has a zone file that a name server can read', async () => {
    const { domain, records } = await add()
    const text = zoneText(domain, records)
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith(';'))
    assert.equal(lines.length, 5)
    for (const line of lines) {
      const [name, ttl, kind, type, ...rest] = line.split('\t')
      const record = records.find((one) => `${one.name}.` === name) as DomainRecord
      assert.deepEqual([ttl, kind, type], ['3600', 'IN', record.type])
      const strings = [...(rest[0] ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? '')
      assert.ok(strings.every((one) => one.length <= 255))
      assert.equal(
        record.type === 'TXT' ? strings.join('') : rest[0],
        record.type === 'TXT' ? record.value : `${record.value}.`,
      )
    }
  })

  describe('replaces its DKIM keys', () => {
    test('adds new keys, then switches to them, then retires the old keys', async () => {
      const { domain, records } = await add()
      publish(records)
      await verify(domain.name)
      const resources = { store, clock }
      const selectors = async () => (await listSigningKeys(store.read, domain.id)).map((one) => one.selector)
      const before = await selectors()
      const rotated = await rotateDkim(resources, domain)
      const next = rotated.records.filter((record) => record.purpose.endsWith('_next'))
      assert.deepEqual(
        next.map((record) => record.required),
        [0, 0],
      )
      assert.deepEqual(await selectors(), before)
      assert.ok(next.every(({ name }) => !records.some((record) => record.name === name)))
      await assert.rejects(rotateDkim(resources, domain), code('conflict'))
      await assert.rejects(switchDkim(resources, resolver, domain), code('conflict'))
      await assert.rejects(retireDkim(resources, domain), code('conflict'))
      publish(next)
      const switched = await switchDkim(resources, resolver, domain)
      assert.notDeepEqual(await selectors(), before)
      const required = switched.records.filter((record) => record.required === 1)
      assert.deepEqual(required.map((record) => record.purpose).sort(), ['dkim_rsa', 'return_path'])
      assert.deepEqual(statusOf(await verify(domain.name)), ['verified', undefined])
      assert.equal(switched.records.filter((record) => record.purpose.endsWith('_old')).length, 2)
      clock.advance(10 * 60_000 - 1)
      // A node may still sign with the old keys.
      await assert.rejects(retireDkim(resources, domain), code('conflict'))
      clock.advance(1)
      const retired = await retireDkim(resources, domain)
      assert.equal(retired.records.length, 5)
      const keys = await store.read
        .selectFrom('dkim_keys')
        .selectAll()
        .where('domain_id', '=', domain.id)
        .execute()
      assert.deepEqual(new Set(keys.map((one) => one.state)), new Set(['signing']))
      assert.equal(keys.length, 2)
      await rotateDkim(resources, domain)
    })

    test('signs with Ed25519 only while its record is there, and with RSA always', async () => {
      const { domain, records } = await add()
      const algorithms = async () =>
        (await listSigningKeys(store.read, domain.id)).map(({ algorithm }) => algorithm).sort()
      const withBoth = ['ed25519-sha256', 'rsa-sha256']
      assert.deepEqual(await algorithms(), ['rsa-sha256'])
      publish(records, { dkim_ed25519: 'NXDOMAIN' })
      assert.deepEqual(statusOf(await verify(domain.name)), ['verified', 'verified'])
      assert.deepEqual(await algorithms(), ['rsa-sha256'])
      publish(records)
      await verify(domain.name)
      assert.deepEqual(await algorithms(), withBoth)
      const rotated = await rotateDkim({ store, clock }, domain)
      assert.deepEqual(await algorithms(), withBoth, 'a published key keeps signing')
      publish(
        rotated.records.filter(({ purpose }) => purpose.endsWith('_next')),
        { dkim_ed25519_next: 'NXDOMAIN' },
      )
      // This check began before the switch and finds the record of the old key.
      const slow = {
        ...resolver,
        async cname(name: string) {
          switched ??= switchDkim({ store, clock }, resolver, domain)
          await switched
          return resolver.cname(name)
        },
      }
      let switched: Promise<unknown> | undefined
      await verifyDomain({ store, clock }, slow, domain)
      assert.deepEqual(await algorithms(), ['rsa-sha256'])
      publish(records, { dkim_rsa: 'NXDOMAIN', dkim_ed25519: 'NXDOMAIN' })
      await verify(domain.name)
      assert.deepEqual(await algorithms(), ['rsa-sha256'])
    })
  })

  describe('of another account', () => {
    const other = async (name: string) => {
      const { id } = await createAccount({ store, clock }, 'Other')
      const added = await addDomain({
        store,
        clock,
        accountId: id,
        name,
        ...POINT_TO,
      })
      const look = async () => verifyDomain({ store, clock }, resolver, added.domain)
      return { ...added, accountId: id, look }
    }

    test('is not transferred without the proof, and its present owner is not affected', async () => {
      const { domain, records } = await add()
      publish(records)
      await verify(domain.name)
      const claimer = await other(domain.name)
      const wanted = claimer.records.find((record) => record.purpose === 'claim') as DomainRecord
      assert.equal(wanted.name, `_postrider-claim.${domain.name}`)
      publish(claimer.records, { claim: 'NXDOMAIN' })
      publish(records)
      assert.equal((await claimer.look()).domain.status, 'pending')
      // The claim record of a third account does not prove the claim of this account.
      const third = await other(domain.name)
      publish(third.records.filter((record) => record.purpose === 'claim'))
      const { domain: after, records: checked } = await claimer.look()
      assert.deepEqual([after.status, after.claim_token === null], ['pending', false])
      assert.equal(checked.find((record) => record.purpose === 'claim')?.status, 'mismatch')
      assert.equal((await verify(domain.name)).domain.status, 'verified')
      await assert.rejects(
        addDomain({
          store,
          clock,
          accountId: claimer.accountId,
          name: domain.name,
          ...POINT_TO,
        }),
        code('conflict'),
      )
    })

    test('is transferred with the proof, and all its credentials end', async () => {
      const { domain, records } = await add()
      publish(records)
      await verify(domain.name)
      const { secret, key } = await createKey(
        { store, clock },
        { accountId, name: 'Key', kind: 'sending', domainId: domain.id },
      )
      const claimer = await other(domain.name)
      assert.ok(
        claimer.records.every(
          ({ type, name }) =>
            type === 'CNAME' || name.startsWith('_dmarc') || !records.some((one) => one.name === name),
        ),
      )
      publish(claimer.records)
      const { domain: after, event } = await claimer.look()
      assert.deepEqual([after.status, after.claim_token, event], ['verified', null, 'verified'])
      assert.equal(await findDomain(store.read, accountId, domain.name), undefined)
      const found = await findCredential(store.read, hash('sha256', secret))
      assert.equal(found?.id, key.id)
      assert.notEqual(found?.revoked_at, null)
      const [lost] = await listDomainEvents(store.read, accountId, domain.id, 1)
      assert.equal(lost?.type, 'lost')
      assert.equal(
        (await claimer.look()).records.some((record) => record.purpose === 'claim'),
        false,
      )
    })

    test('needs no proof once it was deleted there', async () => {
      const { domain } = await add()
      const claimer = await other(domain.name)
      await deleteDomain({ store, clock }, domain)
      publish(claimer.records, { claim: 'NXDOMAIN' })
      const { domain: after } = await claimer.look()
      assert.deepEqual([after.status, after.claim_token], ['verified', null])
    })
  })

  test('is deleted in the version that was seen, and can be added anew', async () => {
    const { domain } = await add()
    const stale = { seen: { ...domain, track_opens: 1 } }
    await assert.rejects(deleteDomain({ store, clock }, domain, stale), code('changed_meanwhile'))
    assert.deepEqual(await findDomain(store.read, accountId, domain.name), domain)
    await deleteDomain({ store, clock }, domain)
    await assert.rejects(deleteDomain({ store, clock }, domain), code('not_found'))
    assert.equal(await findDomain(store.read, accountId, domain.name), undefined)
    const again = await add(domain.name)
    assert.equal(again.domain.claim_token, null)
    assert.notEqual(again.records[0]?.name, undefined)
    await assert.rejects(verifyDomain({ store, clock }, resolver, domain), code('not_found'))
  })

  test('leaves no key that was created during its deletion', async () => {
    const { domain } = await add()
    const wanted = { accountId, domainId: domain.id, kind: 'sending' as const, name: 'Beside' }
    const make = (): Promise<unknown> => createKey({ store, clock }, wanted).catch((error: unknown) => error)
    const before = Array.from({ length: 20 }, make)
    const ended = deleteDomain({ store, clock }, domain)
    await Promise.all([...before, ...Array.from({ length: 20 }, make), ended])
    const late = await make()
    assert.ok(late instanceof Problem && late.code === 'not_found')
    const keys = await listKeys(store.read, accountId, ['sending'])
    const alive = keys.filter((key) => key.domain_id === domain.id && key.revoked_at === null)
    assert.deepEqual(alive, [])
  })

  describe('is checked daily', () => {
    test('by one node at a time, and only if it was checked before', async () => {
      const never = await add()
      const { domain, records } = await add()
      publish(records)
      await verify(domain.name)
      const check = () =>
        new DailyCheck({ store, clock, log: silentLog, node: new NodeName(), resolver: () => resolver })
      const [first, second] = [check(), check()]
      await first.run()
      clock.advance(DAY_MS - 1)
      await first.run()
      const checkedAt = async (name: string) => (await findDomain(store.read, accountId, name))?.checked_at
      const before = await checkedAt(domain.name)
      clock.advance(2)
      publish(records, { return_path: 'NXDOMAIN' })
      // The first node holds the lease.
      await second.run()
      assert.equal(await checkedAt(domain.name), before)
      await first.run()
      assert.equal(await checkedAt(domain.name), clock.now())
      assert.equal((await findDomain(store.read, accountId, domain.name))?.flagged_at, clock.now())
      assert.equal(await checkedAt(never.domain.name), null)
      // The lease of a dead node's job has expired.
      clock.advance(DAY_MS + 1)
      await second.run()
      assert.equal(await checkedAt(domain.name), clock.now())
      // A check that ran while the clock was a year ahead does not delay the next check.
      clock.jump(365 * DAY_MS)
      await second.run()
      clock.jump(-365 * DAY_MS)
      await second.run()
      assert.equal(await checkedAt(domain.name), clock.now())
    })
  })

  test('cannot be added twice, or with an invalid name', async () => {
    await add('Once.Example')
    await assert.rejects(add('once.example'), code('conflict'))
    for (const name of [
      '',
      'x',
      'a b.example',
      'a..example',
      '-a.example',
      '127.0.0.1',
      'a@b.example',
      'a.example.',
    ]) {
      await assert.rejects(add(name), code('validation_failed'), name)
    }
    assert.equal(domainName('Bücher.Example'), 'xn--bcher-kva.example')
  })
})
