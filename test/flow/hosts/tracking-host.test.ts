// Tracked links use a host name of the domain, and the HTTPS port has a separate certificate for this name.

// thorough: takes 5 CPU seconds because several hosts get certificates; each test uses the results of the tests before
// it

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { createResolver } from '../../../src/dns/resolver.ts'
import { verifyDomain } from '../../../src/domains/domains.ts'
import { pointTracking } from '../../../src/store/domains/tracking-hosts.ts'
import { AcmeServer } from '../../support/acme-server.ts'
import { TestApp } from '../../support/app.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'
import { TestClock, until, untilPassed } from '../../support/test-clock.ts'

const NAME = 'mail.sender.test'
const HOUR_MS = 3_600_000
const clock = new TestClock(Date.now())
let acme: AcmeServer
let app: TestApp
let tenant: Tenant
/** Ports of the first node; later nodes use the same ports, because the host names resolve to these ports. */
let ports: Readonly<Record<'POSTRIDER_HTTP_PORT' | 'POSTRIDER_HTTPS_PORT', string>>

before(async () => {
  acme = await AcmeServer.start()
  acme.now = () => clock.now()
  // The lifetime of a certificate is shorter than the time in which a domain with missing DNS records may still send.
  acme.lifeMs = 48 * HOUR_MS
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
  ports = { POSTRIDER_HTTP_PORT: new URL(url).port, POSTRIDER_HTTPS_PORT: String(httpsPort) }
  tenant = await createTenant(app.store, { clock })
  await pointHere([tenant])
})
after(async () => {
  await app.stop()
  await acme.stop()
})

/** Publishes the DNS records that lead the tracked links of these domains to this installation. */
async function pointHere(tenants: readonly Tenant[]): Promise<void> {
  await app.store.write(pointTracking, { target: NAME })
  const resolver = createResolver({ servers: [app.dns.server] })
  for (const { domain } of tenants) {
    app.dns.set(`links.${domain.name}`, { CNAME: NAME })
    await verifyDomain({ store: app.store, clock }, resolver, domain)
  }
}

/** Returns the host name in the certificate if the certificate is valid for it; otherwise undefined. */
async function presented(servername: string): Promise<string | undefined> {
  const socket = connect({ port: app.app.httpsPort as number, host: '127.0.0.1', servername })
  try {
    await once(socket, 'secureConnect')
    return new X509Certificate((socket as TLSSocket).getPeerCertificate().raw).checkHost(servername)
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

/** Returns the status and the redirect target of a request over HTTPS. */
function request(host: string, path: string): Promise<readonly [number | undefined, string | undefined]> {
  return new Promise((resolve, reject) => {
    const options = { port: app.app.httpsPort, host: '127.0.0.1', path, servername: host, headers: { host } }
    get(options, (answer) => resolve([answer.resume().statusCode, answer.headers.location])).on(
      'error',
      reject,
    )
  })
}

const send = (more: object) =>
  app.callWith(
    'POST',
    `http://127.0.0.1:${ports.POSTRIDER_HTTP_PORT}/v1/messages`,
    {
      ...{ from: `a@${tenant.domain.name}`, to: [{ email: 'you@receiver.example' }], subject: 'x' },
      html: '<a href="https://shop.example/">x</a>',
      ...more,
    },
    { authorization: `Bearer ${tenant.sendingKey}` },
  )

test('links are not tracked before HTTPS has a certificate for their host, and are tracked then', async () => {
  const host = `links.${tenant.domain.name}`
  const { status, body } = await send({ track_links: true })
  assert.equal(status, 422, JSON.stringify(body))
  assert.match(body.errors[0].message, /HTTPS certificate of the host is being ordered/)
  const { url, httpsPort } = app.app
  acme.proves = { httpPort: Number(new URL(url).port), httpsPort }
  await untilPassed({ by: clock, stepMs: 1_000 }, 'both certificates are ordered', async () => {
    return (await presented(host)) !== undefined && (await presented(NAME)) !== undefined
  })
  assert.equal(await presented(NAME), NAME)
  assert.equal(await presented('links.other.test'), undefined)
  assert.deepEqual(acme.orders.map(({ names }) => names.join()).sort(), [host, NAME].sort())

  const accepted = await send({ track_links: true, track_opens: true })
  assert.equal(accepted.status, 202, JSON.stringify(accepted.body))
  let mail = ''
  await until('the message has arrived', async () => {
    const found = app.host.mails.find(({ data }) => data.includes(accepted.body.message_id.slice(4)))
    mail = found?.data.toString('latin1').replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? ''
    return found !== undefined
  })
  const [, path = ''] = new RegExp(`href="https://${host}(/c/[\\w-]+)"`).exec(mail) ?? []
  const [, pixel = ''] = new RegExp(`src="https://${host}(/o/[\\w-]+)"`).exec(mail) ?? []
  assert.deepEqual(await request(host, path), [302, 'https://shop.example/'])
  assert.deepEqual(await request(host, pixel), [200, undefined])
  // A token is invalid at the host name of another domain, or of the installation.
  assert.deepEqual(await request(NAME, path), [404, undefined])

  await app.stopNode()
  await app.startNode(ports)
  await untilPassed({ by: clock, stepMs: 1_000 }, 'the node presents the certificate again', async () => {
    return (await presented(host)) === host
  })
  assert.equal(acme.orders.length, 2)
})

test('the longest name gets one, and a certificate that cannot be stored does not delay others', async () => {
  const [label, last] = ['l'.repeat(61), 'm'.repeat(52)]
  const unkept = await createTenant(app.store, { clock })
  mkdirSync(join(app.storage.dataDir, `acme-links.${unkept.domain.name}.pem`))
  clock.advance(1)
  const longest = await createTenant(app.store, {
    clock,
    domain: `${label}.${label}.${label}.${last}.test`,
  })
  const host = `links.${longest.domain.name}`
  assert.equal(host.length, 249)
  await pointHere([tenant, unkept, longest])
  await untilPassed({ by: clock, stepMs: 1_000 }, 'the certificate is ordered', async () => {
    return (await presented(host)) !== undefined
  })
  assert.deepEqual(acme.orders.map(({ names }) => names.join()).slice(2), [
    `links.${unkept.domain.name}`,
    host,
  ])
})

test('hosts that get none do not delay others, and are tried one per minute', async () => {
  const failing: Tenant[] = []
  for (let count = 0; count < 3; count++) {
    clock.advance(1)
    failing.push(await createTenant(app.store, { clock }))
  }
  const hostOf = ({ domain }: Tenant): string => `links.${domain.name}`
  for (const one of failing) acme.refused.add(hostOf(one))
  const orders = (from: number) =>
    acme.orders.slice(from).map(({ names, at }) => ({ name: names.join(), at }))
  const first = acme.orders.length
  await pointHere(failing)
  await untilPassed(
    { by: clock, stepMs: 1_000 },
    'all orders have failed',
    () => acme.orders.length === first + 3,
  )
  const fresh = await createTenant(app.store, { clock })
  await pointHere([fresh])
  const second = acme.orders.length
  clock.advance(16 * 60_000)
  await untilPassed(
    { by: clock, stepMs: 1_000 },
    'all orders are repeated',
    () => acme.orders.length >= second + 4,
  )
  const again = orders(second)
  // One certificate order may have been in progress.
  const turn = again.findIndex(({ name }) => name === hostOf(fresh))
  assert.ok(turn === 0 || turn === 1, JSON.stringify(again))
  const retries = again.toSpliced(turn, 1)
  assert.deepEqual(
    retries.slice(0, 3).map(({ name }) => name),
    failing.map(hostOf),
  )
  for (const [one, next] of [retries.slice(0, 2), retries.slice(1, 3)]) {
    assert.ok((next?.at ?? 0) - (one?.at ?? 0) >= 60_000, JSON.stringify(again))
  }
  acme.refused.clear()
})

test('stored certificates are presented from the start on, although the authority hangs, and expired ones are not', async () => {
  const host = `links.${tenant.domain.name}`
  clock.advance(33 * HOUR_MS)
  acme.fault = { at: 'newOrder', what: 'hang' }
  const restart = async (): Promise<void> => {
    const asked = acme.hung
    await app.stopNode()
    await app.startNode(ports)
    // The node orders the certificate of the installation, which takes some time.
    await until('the authority has a request', () => acme.hung > asked)
    assert.deepEqual([await presented(host), (await send({ track_links: true })).status], [host, 202])
  }
  await restart()
  // A node on another machine, or after the loss of its data directory, gets the certificate from the store.
  rmSync(join(app.storage.dataDir, `acme-${host}.pem`))
  clock.advance(16 * 60_000)
  await restart()

  clock.advance(16 * HOUR_MS)
  const { body, status: refused } = await send({ track_links: true })
  assert.equal(refused, 422, JSON.stringify(body))
  assert.match(body.errors[0].message, /HTTPS certificate of the host is being ordered/)
  acme.fault = undefined
})

test('the record follows the public URL of the installation, and links in delivered mail keep working', async () => {
  const record = () =>
    app.store.read
      .selectFrom('domain_records')
      .select(['value', 'status'])
      .where('domain_id', '=', tenant.domain.id)
      .where('purpose', '=', 'tracking')
      .execute()
  assert.deepEqual(
    (await record()).map((one) => ({ ...one })),
    [{ value: NAME, status: 'found' }],
  )
  await app.store.write(pointTracking, { target: 'new.sender.test' })
  assert.deepEqual(
    (await record()).map((one) => ({ ...one })),
    [{ value: 'new.sender.test', status: 'pending' }],
  )
  const host = `links.${tenant.domain.name}`
  assert.equal(await presented(host), host)
  await app.stopNode()
  await app.startNode(ports)
  assert.equal((await record())[0]?.status, 'pending')
  assert.equal(await presented(host), host)
})
