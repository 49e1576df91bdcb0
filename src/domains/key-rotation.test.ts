// Rotation of DKIM keys by the calendar, with a real DNS server, on both databases.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { DnsHost } from '../../test/support/dns-host.ts'
import { DATABASES, openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createAccount } from '../access/accounts.ts'
import { generateDkimKey, importDkimKey } from '../dkim/keys.ts'
import { createResolver, type Resolver } from '../dns/resolver.ts'
import { newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { PublicUrl } from '../lib/public-url.ts'
import type { ServiceMail } from '../model/service-mail.ts'
import { createUser } from '../store/access/accounts.ts'
import type { Store } from '../store/database/store.ts'
import { listSigningKeys } from '../store/domains/dkim-keys.ts'
import {
  type Domain,
  type DomainRecord,
  findDomain,
  listDomainRecords,
} from '../store/domains/domain-rows.ts'
import { setDomainOptions } from '../store/domains/domains.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { adviceFor } from './advice.ts'
import type { OwnDkim } from './dkim-keys.ts'
import { discardDkim, retireDkim, rotateDkim, switchDkim } from './dkim-rotation.ts'
import { addDomain, verifyDomain } from './domains.ts'
import { KeyRotation } from './key-rotation.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW = Date.UTC(2026, 0, 1)
const POINT_TO = { returnPathHost: 'rp.sender.example', trackingTarget: 'mail.sender.example' }

for (const database of DATABASES) {
  describe(`rotation of DKIM keys by the calendar on ${database}`, () => {
    let store: Store
    let clock: TestClock
    let dns: DnsHost
    let resolver: Resolver
    let accountId: string
    let mails: ServiceMail[]
    let canSend: boolean
    let count = 0

    before(async () => {
      dns = await DnsHost.start()
      resolver = createResolver({ servers: [dns.server], cache: false })
    })
    after(() => dns.stop())
    beforeEach(async () => {
      store = await openTestStore(database)
      clock = new TestClock(NOW)
      accountId = (await createAccount({ store, clock }, 'Example')).id
      for (const [email, role] of [
        ['owner@example.com', 'owner'],
        ['viewer@example.com', 'viewer'],
      ] as const) {
        const user = { id: newId('usr'), email, name: null, role, password_hash: 'x', created_at: NOW }
        await store.write(createUser, { ...user, account_id: accountId })
      }
      mails = []
      canSend = true
    })
    afterEach(() => store.close())

    const rotationOf = (node: NodeName): KeyRotation =>
      new KeyRotation({
        ...{ store, clock, log: silentLog, node, resolver: () => resolver },
        publicUrl: new PublicUrl('https://mail.example.com'),
        async send(mail) {
          if (canSend) mails.push(mail)
          return canSend
        },
      })
    const here = new NodeName()
    /** Runs the job of a node that has just started. */
    const run = (node = here): Promise<void> => rotationOf(node).run()
    /** Advances the clock by hours, and runs the job after each hour. */
    const runHours = async (hours: number): Promise<void> => {
      for (let hour = 0; hour < hours; hour++) {
        clock.advance(HOUR_MS)
        await run()
      }
    }

    const publish = (records: readonly DomainRecord[]): void => {
      for (const { type, name, value } of records) {
        dns.set(name, type === 'TXT' ? { TXT: [value.match(/.{1,255}/g) ?? []] } : { CNAME: value })
      }
    }
    const remove = (records: readonly DomainRecord[]): void => {
      for (const { name } of records) dns.set(name, 'NXDOMAIN')
    }

    /** Adds a verified domain whose keys are replaced every `days` days. */
    async function verified(days: number | null = 180, dkim?: OwnDkim): Promise<Domain> {
      const name = `r${++count}.example`
      const settings = { rotate_every_days: days }
      const { domain, records } = await addDomain({
        store,
        clock,
        accountId,
        name,
        dkim,
        settings,
        ...POINT_TO,
      })
      publish(records)
      await verifyDomain({ store, clock }, resolver, domain)
      return domain
    }
    const recordsOf = async (domain: Domain, end = ''): Promise<DomainRecord[]> =>
      (await listDomainRecords(store.read, accountId, domain.id)).filter(({ purpose }) =>
        purpose.endsWith(end),
      )
    const current = async (domain: Domain): Promise<Domain> =>
      (await findDomain(store.read, accountId, domain.name)) as Domain
    const selectors = async (domain: Domain): Promise<string[]> =>
      (await listSigningKeys(store.read, domain.id)).map(({ selector }) => selector).sort()
    const eventsOf = async (domain: Domain) =>
      (
        await store.read
          .selectFrom('events')
          .selectAll()
          .where('domain_id', '=', domain.id)
          .orderBy('id')
          .execute()
      ).map(({ type, message_id: objectId, detail }) => ({ type, objectId, detail: JSON.parse(detail) }))

    test('makes the keys, waits a day for the records, switches, and retires the old keys 8 days later', async () => {
      const domain = await verified()
      const old = await selectors(domain)
      clock.advance(180 * DAY_MS - 1)
      await run()
      assert.deepEqual(await recordsOf(domain, '_next'), [])
      clock.advance(1)
      await run()
      const next = await recordsOf(domain, '_next')
      assert.deepEqual(
        next.map(({ purpose, status }) => [purpose, status]),
        [
          ['dkim_ed25519_next', 'pending'],
          ['dkim_rsa_next', 'pending'],
        ],
      )
      assert.ok(next.every(({ name }) => name.startsWith('pr20260630')))
      const [due] = mails
      assert.deepEqual([mails.length, due?.to], [1, 'owner@example.com'])
      assert.equal(due?.subject, `New DKIM keys of ${domain.name} wait for their DNS records`)
      for (const { name, value } of next) assert.ok(due?.text.includes(`${name}\n${value}`), due?.text)
      assert.ok(due?.text.includes(`https://mail.example.com/domains/${domain.id}/dns`))
      await runHours(48)
      assert.deepEqual([await selectors(domain), mails.length], [old, 1])

      publish(next)
      await runHours(24)
      assert.deepEqual(await selectors(domain), old, 'the records are found for 23 hours')
      await runHours(1)
      const fresh = await selectors(domain)
      assert.deepEqual(fresh, next.map(({ name }) => name.split('.', 1)[0]).sort())
      const [, switched] = mails
      assert.deepEqual([mails.length, switched?.to], [2, 'owner@example.com'])
      assert.match(switched?.subject ?? '', /is signed with new DKIM keys$/)
      for (const selector of old) assert.ok(switched?.text.includes(`${selector}._domainkey.${domain.name}`))
      assert.match(switched?.text ?? '', /until 2026-07-11/)

      const isOld = ({ purpose }: DomainRecord): boolean => purpose.endsWith('_old')
      clock.advance(8 * DAY_MS - HOUR_MS)
      await run()
      assert.equal((await recordsOf(domain)).filter(isOld).length, 2)
      await runHours(1)
      assert.equal((await recordsOf(domain)).filter(isOld).length, 0)
      assert.deepEqual([await selectors(domain), mails.length], [fresh, 2])

      const events = await eventsOf(domain)
      assert.deepEqual(
        events.map(({ type, detail }) => [type, detail.scheduled, detail.selectors.rsa]),
        [
          ['key_due', true, fresh.find((one) => one.endsWith('r'))],
          ['key_switched', true, fresh.find((one) => one.endsWith('r'))],
        ],
      )
      assert.deepEqual(
        events[0]?.detail.records.map(({ name }: { name: string }) => name).sort(),
        next.map(({ name }) => name).sort(),
      )
      assert.match(events[0]?.objectId ?? '', /^dkm_/)
      // The next rotation is due an interval after the switch.
      clock.advance(171 * DAY_MS)
      await run()
      assert.deepEqual(await recordsOf(domain, '_next'), [])
      clock.advance(DAY_MS)
      await run()
      assert.equal((await recordsOf(domain, '_next')).length, 2)
    })

    test('never uses keys whose records never appear, or are wrong', async () => {
      const domain = await verified(30)
      const old = await selectors(domain)
      clock.advance(30 * DAY_MS)
      await run()
      const next = await recordsOf(domain, '_next')
      for (const { name } of next) dns.set(name, { TXT: ['v=DKIM1; k=rsa; p=AAAA'] })
      for (let day = 0; day < 60; day++) {
        clock.advance(DAY_MS)
        await run()
      }
      assert.deepEqual(await selectors(domain), old)
      assert.equal((await recordsOf(domain, '_next')).length, 2)
      assert.equal(mails.length, 1)
      assert.equal((await current(domain)).status, 'verified')
    })

    test('starts the wait again for a record that vanishes, and not for a DNS that does not answer', async () => {
      const domain = await verified()
      const old = await selectors(domain)
      clock.advance(180 * DAY_MS)
      await run()
      const next = await recordsOf(domain, '_next')
      publish(next)
      await runHours(20)
      remove(next)
      await runHours(1)
      publish(next)
      await runHours(24)
      assert.deepEqual(await selectors(domain), old)
      // The day is over, and the DNS does not answer: nobody knows whether receivers find the key.
      for (const { name } of next) dns.set(name, 'SERVFAIL')
      await runHours(3)
      assert.deepEqual(await selectors(domain), old)
      publish(next)
      await runHours(1)
      assert.notDeepEqual(await selectors(domain), old)
    })

    test('waits for the Ed25519 record only if the present Ed25519 key signs', async () => {
      for (const signs of [true, false]) {
        const domain = await verified()
        const first = await recordsOf(domain, 'dkim_ed25519')
        if (!signs) {
          remove(first)
          await verifyDomain({ store, clock }, resolver, domain)
        }
        clock.advance(180 * DAY_MS)
        await run()
        const old = await selectors(domain)
        assert.equal(old.length, signs ? 2 : 1)
        publish(await recordsOf(domain, 'dkim_rsa_next'))
        await runHours(30)
        assert.equal(
          (await selectors(domain)).some((one) => old.includes(one)),
          signs,
        )
        publish(await recordsOf(domain, 'dkim_ed25519_next'))
        await runHours(30)
        const fresh = await selectors(domain)
        assert.ok(!fresh.some((one) => old.includes(one)), `${fresh}`)
      }
    })

    test('makes each step once on several nodes, and goes on after a restart or the end of a node', async () => {
      const domain = await verified()
      const [one, other] = [new NodeName(), new NodeName()]
      clock.advance(180 * DAY_MS)
      await Promise.all([run(one), run(other)])
      assert.equal((await recordsOf(domain, '_next')).length, 2)
      assert.equal(mails.length, 1)
      publish(await recordsOf(domain, '_next'))
      for (let hour = 0; hour < 26; hour++) {
        clock.advance(HOUR_MS)
        await Promise.all([run(one), run(other)])
      }
      assert.deepEqual(
        (await eventsOf(domain)).map(({ type }) => type),
        ['key_due', 'key_switched'],
      )
      assert.equal(mails.length, 2)
      // The first node is gone; its lease ends.
      clock.advance(8 * DAY_MS)
      await run(other)
      assert.deepEqual(await recordsOf(domain, '_old'), [])
    })

    test('leaves domains without an interval alone, and stops when the interval is removed', async () => {
      const manual = await verified(null)
      const domain = await verified()
      clock.advance(400 * DAY_MS)
      await run()
      assert.deepEqual(await recordsOf(manual, '_next'), [])
      const next = await recordsOf(domain, '_next')
      publish(next)
      await store.write(setDomainOptions, { domain, changes: { rotate_every_days: null }, now: clock.now() })
      const old = await selectors(domain)
      await runHours(30)
      assert.deepEqual(await selectors(domain), old)
      // A rotation by hand stays as it is: three steps, without mail.
      mails = []
      const resources = { store, clock }
      publish((await rotateDkim(resources, manual)).records)
      await runHours(30)
      assert.equal((await recordsOf(manual, '_next')).length, 2)
      await switchDkim(resources, resolver, manual)
      await runHours(24 * 9)
      assert.equal((await recordsOf(manual, '_old')).length, 2)
      await retireDkim(resources, manual)
      assert.deepEqual(mails, [])
      assert.deepEqual(
        (await eventsOf(manual)).map(({ type, detail }) => [type, detail.scheduled]),
        [
          ['key_due', false],
          ['key_switched', false],
        ],
      )
    })

    test('counts an interval that is set later from the creation of the key', async () => {
      const domain = await verified(null)
      const set = (days: number | null) =>
        store.write(setDomainOptions, { domain, changes: { rotate_every_days: days }, now: clock.now() })
      clock.advance(100 * DAY_MS)
      await set(180)
      assert.equal((await current(domain)).rotate_at, NOW + 180 * DAY_MS)
      await set(90)
      await run()
      assert.equal((await recordsOf(domain, '_next')).length, 2, 'the key is older than the interval')
      // A discarded key is made again an interval later, not at once.
      await discardDkim({ store, clock }, domain)
      await runHours(24)
      assert.deepEqual(await recordsOf(domain, '_next'), [])
      assert.equal((await current(domain)).rotate_at, NOW + 190 * DAY_MS)
      await set(null)
      assert.equal((await current(domain)).rotate_at, null)
    })

    test('replaces an imported key and a selector of the owner by a new key with a new selector', async () => {
      const made = await generateDkimKey('rsa-sha256')
      const key = importDkimKey(made.privateKey)
      assert.ok(!('problem' in key))
      const domain = await verified(180, { selector: 's1', key })
      assert.ok((await selectors(domain)).includes('s1'))
      clock.advance(180 * DAY_MS)
      await run()
      assert.ok((await selectors(domain)).includes('s1'))
      publish(await recordsOf(domain, '_next'))
      await runHours(26)
      const fresh = await selectors(domain)
      assert.ok(fresh.includes('pr20260630r') && !fresh.includes('s1'), `${fresh}`)
      assert.ok((await recordsOf(domain, 'dkim_rsa_old'))[0]?.name.startsWith('s1.'))
    })

    test('makes no keys for a domain that is not verified, paused or deleted', async () => {
      const name = `r${++count}.example`
      const settings = { rotate_every_days: 30 }
      const { domain } = await addDomain({ store, clock, accountId, name, settings, ...POINT_TO })
      clock.advance(60 * DAY_MS)
      await run()
      assert.deepEqual(await recordsOf(domain, '_next'), [])
    })

    test('repeats a mail until an owner is reached, for three days', async () => {
      const [first, second] = [await verified(180), await verified(181)]
      clock.advance(180 * DAY_MS)
      canSend = false
      await run()
      await runHours(2)
      canSend = true
      await runHours(2)
      assert.deepEqual(
        mails.map(({ subject }) => subject.includes(first.name)),
        [true],
      )
      canSend = false
      await runHours(24)
      assert.equal((await recordsOf(second, '_next')).length, 2)
      clock.advance(3 * DAY_MS)
      await run()
      canSend = true
      await run()
      assert.equal(mails.length, 1)
    })

    test('tells in its advice when it switches', async () => {
      const domain = await verified()
      clock.advance(180 * DAY_MS)
      await run()
      publish(await recordsOf(domain, '_next'))
      await runHours(2)
      const [record] = await recordsOf(domain, 'dkim_rsa_next')
      assert.match(
        adviceFor(record as DomainRecord, await current(domain)),
        /switches to this key by itself .* after 2026-07-01 01:00 UTC/,
      )
    })
  })
}
