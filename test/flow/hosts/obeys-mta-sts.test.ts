// MTA-STS (RFC 8461): the service obeys, caches and counts the policy of a destination for its mail hosts.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { certificateFor } from '../../support/authority.ts'
import type { DnsRecords } from '../../support/dns-host.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { MailHost } from '../../support/mail-host/mail-host.ts'
import { PolicyHost, policyFile } from '../../support/policy-host.ts'
import { TestClock, until } from '../../support/test-clock.ts'

/**
 * Mail hosts for the domains: one with a valid certificate, one with a certificate for another name, one with an
 * expired certificate, and one without TLS.
 */
const HOSTS = { good: '127.0.1.1', other: '127.0.1.2', expired: '127.0.1.3', plain: '127.0.1.4' } as const
type HostName = keyof typeof HOSTS

const DOMAINS: Record<string, HostName> = {
  'named.example': 'good',
  'wild.example': 'good',
  'unnamed.example': 'good',
  'other.example': 'other',
  'expired.example': 'expired',
  'plain.example': 'plain',
  'testing.example': 'other',
  'testing-unnamed.example': 'good',
  'none.example': 'plain',
  'gone.example': 'plain',
  'moved.example': 'plain',
  'page.example': 'plain',
  'huge.example': 'plain',
  'broken.example': 'plain',
  'again.example': 'plain',
  'inside.example': 'plain',
  'kept.example': 'good',
  'renewed.example': 'good',
  'two.example': 'good',
}

const DAY = 24 * 3_600_000
const file = (host: string, mode = 'enforce') => policyFile(mode, [`${host}.test`])

describe('a destination with a policy', () => {
  const clock = new TestClock()
  let app: TestApp
  let web: PolicyHost
  const hosts: MailHost[] = []
  before(async () => {
    const zone: Record<string, DnsRecords> = {}
    for (const [name, host] of Object.entries(DOMAINS)) {
      zone[name] = { MX: [`10 ${host}.test`] }
      zone[`_mta-sts.${name}`] = { TXT: ['v=STSv1; id=1;'] }
      zone[`mta-sts.${name}`] = { A: ['127.0.0.1'] }
    }
    for (const [host, address] of Object.entries(HOSTS)) zone[`${host}.test`] = { A: [address] }
    zone['two.example'] = { MX: ['10 rogue.test', '20 good.test'] }
    zone['rogue.test'] = { A: [HOSTS.plain] }
    zone['mta-sts.inside.example'] = { A: ['10.0.0.1'] }
    web = await PolicyHost.start(Object.keys(DOMAINS).filter((name) => name !== 'broken.example'))
    publish()
    app = await TestApp.start({ clock, zone, env: { POSTRIDER_MTA_STS_PORT: String(web.port) } })
    const certificates = {
      good: await certificateFor(['good.test']),
      other: await certificateFor(['another.test']),
      expired: await certificateFor(['expired.test'], { expired: true }),
    }
    for (const [name, address] of Object.entries(HOSTS)) {
      const tls = name === 'plain' ? {} : { tls: true, certificate: certificates[name as 'good'] }
      hosts.push(await MailHost.start({ ...tls, address, port: app.host.port }))
    }
  })
  after(async () => {
    await app.stop()
    await web.stop()
    await Promise.all(hosts.map((host) => host.stop()))
  })
  beforeEach(() => {
    web.asked.length = 0
  })

  function publish(): void {
    for (const [name, host] of Object.entries(DOMAINS)) web.answers.set(name, file(host))
    web.answers.set('wild.example', policyFile('enforce', ['*.elsewhere.example', '*.test']))
    web.answers.set('unnamed.example', file('trusted'))
    web.answers.set('testing.example', file('other', 'testing'))
    web.answers.set('testing-unnamed.example', file('trusted', 'testing'))
    web.answers.set('none.example', 'version: STSv1\nmode: none\nmax_age: 86400\n')
    web.answers.set('gone.example', { status: 500 })
    web.answers.set('moved.example', { status: 302, headers: { location: 'https://mta-sts.named.example/' } })
    web.answers.set('page.example', { headers: { 'content-type': 'text/html' }, body: file('good') })
    web.answers.set('huge.example', `${file('good')}${'x'.repeat(70_000)}`)
    web.answers.set('two.example', file('good'))
  }

  /** Returns the counted TLS results of a domain; the service writes the counts every ten seconds. */
  const results = async (domain: string): Promise<string[]> => {
    await app.advance(10_000)
    const rows = await found(() =>
      app.store.read.selectFrom('tls_results').selectAll().where('policy_domain', '=', domain).execute(),
    )
    return rows.map((row) => `${row.policy_type} ${row.mx} ${row.result} ${row.sessions}`)
  }

  /** Repeats a query until it returns rows. */
  const found = <T>(look: () => Promise<readonly T[]>): Promise<readonly T[]> =>
    until('the query returns rows', async () => {
      const all = await look()
      return all.length > 0 && all
    })

  test('is delivered to over verified TLS', async () => {
    const { status, tls, transcript } = await firstAttempt(app, 'u@named.example')
    assert.deepEqual([status, tls], ['delivered', 'TLSv1.3'])
    assert.match(transcript, /TLSv1\.3, .*, verified/)
    assert.deepEqual(web.asked, ['named.example'])
    assert.deepEqual(await results('named.example'), ['sts good.test success 1'])
  })

  test('may name its hosts by one label for all', async () => {
    assert.equal((await firstAttempt(app, 'u@wild.example')).status, 'delivered')
  })

  const DEFERRED: [domain: string, reason: RegExp][] = [
    ['unnamed.example', /good\.test is not named by the MTA-STS policy of unnamed\.example/],
    [
      'other.example',
      /ALTNAME_INVALID\); the MTA-STS policy of other\.example requires a verified certificate/,
    ],
    [
      'expired.example',
      /CERT_HAS_EXPIRED\); the MTA-STS policy of expired\.example requires a verified certificate/,
    ],
    ['plain.example', /STARTTLS is not offered; the MTA-STS policy of plain\.example requires TLS/],
  ]
  for (const [domain, reason] of DEFERRED) {
    test(`waits when its host does not satisfy the policy: ${domain}`, async () => {
      const ended = await firstAttempt(app, `u@${domain}`)
      assert.deepEqual([ended.status, ended.category], ['deferred', 'tls'])
      assert.match(ended.reason, reason)
      assert.ok(!hosts.some((host) => host.mails.some((mail) => mail.recipients.includes(`u@${domain}`))))
    })
  }

  test('is delivered to by the host that the policy names, and not by another', async () => {
    const { status, mx, transcript } = await firstAttempt(app, 'u@two.example')
    assert.deepEqual([status, mx], ['delivered', 'good.test'])
    assert.match(transcript, /rogue\.test is not named/)
  })

  test('in testing mode is delivered to anyway, and the result is counted', async () => {
    assert.equal((await firstAttempt(app, 'u@testing.example')).status, 'delivered')
    assert.equal((await firstAttempt(app, 'u@testing-unnamed.example')).status, 'delivered')
    assert.deepEqual(await results('testing.example'), ['sts other.test certificate-host-mismatch 1'])
    assert.deepEqual(await results('testing-unnamed.example'), ['sts good.test validation-failure 1'])
  })

  test('with mode none is delivered to like any other', async () => {
    assert.equal((await firstAttempt(app, 'u@none.example')).status, 'delivered')
  })

  const UNUSABLE: [domain: string, result: string][] = [
    ['gone.example', 'sts-policy-fetch-error'],
    ['moved.example', 'sts-policy-fetch-error'],
    ['page.example', 'sts-policy-invalid'],
    ['huge.example', 'sts-policy-fetch-error'],
    ['broken.example', 'sts-webpki-invalid'],
    ['inside.example', 'sts-policy-fetch-error'],
  ]
  for (const [domain, result] of UNUSABLE) {
    test(`whose policy cannot be fetched is delivered to like any other, without a fetch for each message: ${domain}`, async () => {
      assert.equal((await firstAttempt(app, `a@${domain}`)).status, 'delivered')
      const asked = web.asked.length
      assert.equal((await firstAttempt(app, `b@${domain}`)).status, 'delivered')
      assert.equal(web.asked.length, asked)
      assert.deepEqual(await results(domain), [`sts  ${result} 1`])
    })
  }

  test('keeps its policy over a restart, and while it cannot be fetched', async () => {
    assert.equal((await firstAttempt(app, 'a@kept.example')).status, 'delivered')
    app.dns.set('kept.example', { MX: ['10 plain.test'] })
    app.dns.set('_mta-sts.kept.example', 'SERVFAIL')
    web.answers.set('kept.example', { status: 500 })
    await app.stopNode()
    await app.startNode({ POSTRIDER_MTA_STS_PORT: String(web.port) })
    const ended = await firstAttempt(app, 'b@kept.example')
    assert.deepEqual([ended.status, ended.category], ['deferred', 'tls'])
    app.dns.set('_mta-sts.kept.example', { TXT: ['v=STSv1; id=2'] })
    await app.advance(6 * DAY)
    const later = await firstAttempt(app, 'c@kept.example')
    assert.equal(later.status, 'deferred')
    await app.advance(2 * DAY)
    const expired = await firstAttempt(app, 'd@kept.example')
    assert.equal(expired.status, 'delivered', 'after max_age without a policy')
  })

  test('whose policy was fetched by a clock that was ahead is fetched again', async () => {
    web.answers.set('again.example', { status: 500 })
    clock.jump(365 * DAY)
    assert.equal((await firstAttempt(app, 'a@again.example')).status, 'delivered')
    clock.jump(-365 * DAY)
    web.answers.set('again.example', file('good'))
    const ended = await firstAttempt(app, 'b@again.example')
    assert.deepEqual([ended.status, ended.category], ['deferred', 'tls'])
  })

  test('whose policy has changed is delivered to by the new one', async () => {
    assert.equal((await firstAttempt(app, 'a@renewed.example')).status, 'delivered')
    app.dns.set('_mta-sts.renewed.example', { TXT: ['v=STSv1; id=2'] })
    web.answers.set('renewed.example', file('trusted'))
    await app.advance(10 * 60_000)
    // The message that discovers the new policy still uses the old policy; the service fetches the new policy
    // afterwards.
    await firstAttempt(app, 'b@renewed.example')
    await found(() =>
      app.store.read.selectFrom('mta_sts_policies').selectAll().where('policy_id', '=', '2').execute(),
    )
    const ended = await firstAttempt(app, 'c@renewed.example')
    assert.equal(ended.status, 'deferred')
    assert.match(ended.reason, /good\.test is not named/)
  })
})
