// Domains: their records, and verifying them against a real DNS server.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DnsHost, type DnsRecords } from '../../test/support/dns-host.ts'
import { openTestStore, usualDatabase } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { createAccount } from '../access/accounts.ts'
import { createResolver, type Resolver } from '../dns/resolver.ts'
import { Problem } from '../model/problem.ts'
import { type DomainRecord, findDomain } from '../store/domains.ts'
import type { Store } from '../store/store.ts'
import { addDomain, domainName, verifyDomain } from './domains.ts'

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

  const add = (name = `d${++count}.example`) =>
    addDomain({ store, clock, accountId, name, returnPathHost: 'rp.sender.example' })

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

  const statuses = (records: readonly DomainRecord[]) =>
    Object.fromEntries(records.map((record) => [record.purpose, record.status]))

  test('asks for its records and waits', async () => {
    const { domain, records } = await add()
    assert.equal(domain.status, 'pending')
    assert.deepEqual(
      records.map(({ purpose, type, required }) => [purpose, type, required]),
      [
        ['dkim_rsa', 'TXT', 1],
        ['dkim_ed25519', 'TXT', 0],
        ['return_path', 'CNAME', 1],
        ['dmarc', 'TXT', 0],
      ],
    )
    assert.match(records[0]?.value ?? '', /^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]{300,}$/)
    assert.match(records[1]?.value ?? '', /^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/=]{44}$/)
    assert.equal(records[2]?.name, `bounces.${domain.name}`)
  })

  test('is verified when the required records are found, whatever the rest', async () => {
    const { domain, records } = await add()
    publish(records, { dmarc: 'NXDOMAIN', dkim_ed25519: 'NXDOMAIN' })
    const verified = await verify(domain.name)
    assert.equal(verified.domain.status, 'verified')
    assert.deepEqual(statuses(verified.records), {
      dkim_rsa: 'found',
      dkim_ed25519: 'missing',
      return_path: 'found',
      dmarc: 'missing',
    })
    assert.equal((await findDomain(store.read, accountId, domain.name))?.status, 'verified')
  })

  test('is not verified by records that are not its own; what was found is kept', async () => {
    const { domain, records } = await add()
    publish(records, {
      dkim_rsa: { TXT: ['v=DKIM1; k=rsa; p=AAAA'] },
      return_path: { CNAME: 'elsewhere.example' },
      dmarc: { TXT: ['v=spf1 -all', 'v=DMARC1; p=reject'] },
    })
    const { domain: after, records: checked } = await verify(domain.name)
    assert.equal(after.status, 'pending')
    assert.deepEqual(statuses(checked), {
      dkim_rsa: 'mismatch',
      dkim_ed25519: 'found',
      return_path: 'mismatch',
      dmarc: 'found',
    })
    assert.deepEqual(JSON.parse(checked.find((record) => record.purpose === 'return_path')?.found ?? ''), [
      'elsewhere.example',
    ])
  })

  test('reads a key that is cut into parts and spaced otherwise', async () => {
    const { domain, records } = await add()
    const value = records[0]?.value.replace('; ', ' ;  t=s ; ') ?? ''
    publish(records, { dkim_rsa: { TXT: [[value.slice(0, 200), value.slice(200)]] } })
    assert.equal((await verify(domain.name)).domain.status, 'verified')
  })

  test('stays verified for three days after its records vanish, and no longer', async () => {
    const { domain, records } = await add()
    publish(records)
    await verify(domain.name)
    publish(records, { dkim_rsa: 'NXDOMAIN' })
    clock.advance(2 * 86_400_000)
    assert.equal((await verify(domain.name)).domain.status, 'verified')
    clock.advance(86_400_000)
    assert.equal((await verify(domain.name)).domain.status, 'pending')
  })

  test('cannot be added twice, nor under a name that is none', async () => {
    await add('Once.Example')
    const code = (wanted: string) => (error: unknown) => error instanceof Problem && error.code === wanted
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
