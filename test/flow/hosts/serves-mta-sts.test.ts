// The policy host of an inbound host gets a certificate as a tracking host does, and senders that obey MTA-STS fetch the
// policy.

// thorough: takes 3 CPU seconds because two certificates are ordered; the rules of hosts and policies have cheap tests

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createResolver } from '../../../src/dns/resolver.ts'
import { parseNetworks } from '../../../src/dns/special-use.ts'
import { verifyDomain } from '../../../src/domains/domains.ts'
import { fetchPolicy } from '../../../src/mta-sts/policy.ts'
import { OutgoingHttp } from '../../../src/outgoing-http/outgoing-http.ts'
import { setDomainOptions } from '../../../src/store/domains/domains.ts'
import { AcmeServer } from '../../support/acme-server.ts'
import { ok } from '../../support/answers.ts'
import { TestApp } from '../../support/app.ts'
import { DnsHost } from '../../support/dns-host.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'
import { TestClock, untilPassed } from '../../support/test-clock.ts'

const NAME = 'mail.sender.test'
const clock = new TestClock(Date.now())
let acme: AcmeServer
let app: TestApp
let tenant: Tenant
let http: OutgoingHttp
let senderDns: DnsHost

before(async () => {
  acme = await AcmeServer.start()
  acme.now = () => clock.now()
  app = await TestApp.start({
    ...{ clock, zone: { 'acme.test': { A: ['127.0.0.1'] } } },
    env: {
      POSTRIDER_MODE: 'production',
      POSTRIDER_INBOUND_PORT: '0',
      POSTRIDER_HOSTNAME: NAME,
      POSTRIDER_ACME_EMAIL: 'post@sender.test',
      POSTRIDER_ACME_DIRECTORY: acme.directory,
      POSTRIDER_HTTPS_PORT: '0',
    },
  })
  const { url, httpsPort } = app.app
  acme.proves = { httpPort: Number(new URL(url).port), httpsPort }
  tenant = await createTenant(app.store, { clock })
  // The DNS of the sender, which follows the CNAME record of the policy host.
  senderDns = await DnsHost.start({ [`mta-sts.in.${tenant.domain.name}`]: { A: ['127.0.0.1'] } })
  const resolver = createResolver({ servers: [senderDns.server], cache: false })
  http = new OutgoingHttp({ resolver, allowed: parseNetworks('127.0.0.0/8') })
})
after(async () => {
  await http.stop()
  await senderDns.stop()
  await app.stop()
  await acme.stop()
})

test('a sender gets the policy from its host over verified HTTPS', async () => {
  const { domain, sendingKey } = tenant
  const host = `in.${domain.name}`
  const stream = { alias: 'in', name: 'In', kind: 'inbound', addresses: [`*@${host}`] }
  const authorization = `Bearer ${sendingKey}`
  await ok(app.callWith('POST', '/v1/streams', stream, { authorization }), 201)
  const mx = { host: NAME, isPublished: false, policyTarget: NAME, reportAddress: 'reports@rp.mail.test' }
  await app.store.write(setDomainOptions, {
    ...{ domain, changes: {}, now: clock.now() },
    inbound: { mode: 'testing', mx },
  })
  const policy = () => fetchPolicy(http, host, app.app.httpsPort as number)
  app.dns.set(`mta-sts.${host}`, { CNAME: NAME })
  const unproved = await policy()
  assert.ok('failure' in unproved && unproved.failure === 'sts-webpki-invalid', JSON.stringify(unproved))

  const resolver = createResolver({ servers: [app.dns.server], cache: false })
  await verifyDomain({ store: app.store, clock }, resolver, domain)
  await untilPassed({ by: clock, stepMs: 1_000 }, 'the certificate is ordered', async () => {
    return !('failure' in (await policy()))
  })
  assert.deepEqual(await policy(), { mode: 'testing', mx: [NAME], maxAge: 86_400 })
  assert.deepEqual(acme.orders.map(({ names }) => names.join()).sort(), [NAME, `mta-sts.${host}`].sort())
})
