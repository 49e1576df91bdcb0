// Certificates by ACME: the first order, the use by HTTPS and SMTP, the renewal without a restart, and failures.

// thorough: takes 30 CPU seconds because nodes order certificates; the tests in src/certificates cover the rules

import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { loadConfig } from '../../../src/config/load.ts'
import { checkCertificate, checkOrders } from '../../../src/health/installation.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { startApp } from '../../../src/node/node.ts'
import { AcmeServer } from '../../support/acme-server.ts'
import { TestApp } from '../../support/app.ts'
import { certificateFor } from '../../support/authority.ts'
import { testStorage, usualDatabase } from '../../support/store.ts'
import { stays, TestClock, until, untilPassed } from '../../support/test-clock.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const NAME = 'mail.sender.test'
const FILE = 'acme-certificate.pem'

describe('certificates by ACME', { concurrency: 1 }, () => {
  let acme: AcmeServer
  let app: TestApp
  let clock: TestClock
  before(async () => {
    acme = await AcmeServer.start()
  })
  after(() => acme.stop())
  beforeEach(() => {
    clock = new TestClock(Date.now())
    acme.orders.length = 0
    acme.proved.length = 0
    acme.fault = undefined
    acme.window = undefined
    acme.proves = undefined
    acme.tail = ''
    acme.passedMs = 1_000
    acme.lifeMs = 90 * DAY_MS
    acme.now = () => clock.now()
  })
  afterEach(() => app.stop())

  const settings = (): Record<string, string> => ({
    POSTRIDER_HOSTNAME: NAME,
    POSTRIDER_ACME_EMAIL: 'post@sender.test',
    POSTRIDER_ACME_DIRECTORY: acme.directory,
    POSTRIDER_HTTPS_PORT: '0',
    POSTRIDER_SMTPS_PORT: '0',
    POSTRIDER_OPERATOR_TOKEN: 'x'.repeat(40),
  })
  const zone = { 'acme.test': { A: ['127.0.0.1'] } }

  /** Starts a node, and makes the host name resolve to the ports of the node (`acme.proves`). */
  async function start(env: Record<string, string> = {}, prepare?: (dataDir: string) => Promise<void>) {
    const storage = await testStorage(usualDatabase(), 'tables')
    await prepare?.(storage.dataDir)
    app = await TestApp.start({ clock, zone, storage, env: { ...settings(), ...env } })
    prove()
  }
  function prove(): void {
    const { url, httpsPort } = app.app
    acme.proves = { httpPort: Number(new URL(url).port), httpsPort }
  }

  /** Returns the certificate of the node if it is valid for the name, otherwise the code of the TLS error. */
  async function presented(port: number, servername = NAME): Promise<X509Certificate | string> {
    const socket = connect({ port, host: '127.0.0.1', servername, ALPNProtocols: ['http/1.1'] })
    try {
      await once(socket, 'secureConnect')
      return new X509Certificate((socket as TLSSocket).getPeerCertificate().raw)
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? ''
    } finally {
      socket.destroy()
    }
  }
  const ports = (): number[] => [app.app.httpsPort as number, app.app.smtpsPort as number]
  async function serialAt(port: number): Promise<string> {
    const shown = await presented(port)
    return typeof shown === 'string' ? shown : shown.serialNumber
  }
  const metric = async (name: string): Promise<number> => {
    const { body } = await app.call('GET', '/metrics')
    return Number(new RegExp(`^postrider_${name} (\\S+)$`, 'm').exec(body)?.[1])
  }
  /** Moves the clock past each wait until `holds` returns true. */
  const lookUntil = (what: string, holds: () => boolean | Promise<boolean>): Promise<true> =>
    untilPassed({ by: clock, stepMs: 1_000 }, what, holds)

  for (const [challenge, more] of [
    ['tls-alpn-01', {}],
    ['http-01', { POSTRIDER_HTTPS_PORT: '' }],
  ] as const) {
    test(`the first certificate by ${challenge} is used by SMTP and HTTPS at once`, async () => {
      acme.refusedNonces = 1
      // Port 443 is not available in tests, so the HTTPS port is any free port.
      await start(challenge === 'http-01' ? { POSTRIDER_HTTPS_PORT: '0' } : more)
      const skipped = challenge === 'http-01' ? 1 : 0
      if (skipped > 0) acme.proves = { httpPort: acme.proves?.httpPort as number, httpsPort: undefined }
      await lookUntil('the certificate is ordered', async () => {
        clock.advance(10 * 60_000 * skipped)
        return typeof (await presented(app.app.smtpsPort as number)) !== 'string'
      })
      assert.deepEqual(acme.proved, [challenge])
      for (const port of ports()) {
        const shown = await presented(port)
        assert.ok(shown instanceof X509Certificate, String(shown))
        assert.equal(shown.checkHost(NAME), NAME)
      }
      assert.deepEqual([...acme.accounts.values()].at(-1)?.contact, ['mailto:post@sender.test'])
      const { dataDir } = app.storage
      for (const file of [FILE, 'acme-account.pem']) {
        assert.equal((await stat(join(dataDir, file))).mode & 0o777, 0o600)
        createPrivateKey(await readFile(join(dataDir, file)))
      }
      assert.equal(await metric('certificate_order_failures'), 0)
      assert.ok((await metric('smtp_certificate_remaining_seconds')) > 80 * 86_400)
    })
  }

  test('HTTPS serves what HTTP does, and no answers to challenges that are not under way', async () => {
    await start()
    const { httpsPort, url } = app.app
    const { get } = await import('node:https')
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const options = { port: httpsPort, host: '127.0.0.1', path: '/healthz', rejectUnauthorized: false }
      get(options, (response) => resolve(response.resume().statusCode)).on('error', reject)
    })
    assert.equal(answer, 200)
    const challenge = await fetch(new URL(`/.well-known/acme-challenge/${'x'.repeat(43)}`, url))
    assert.equal(challenge.status, 404)
    await lookUntil(
      'the certificate is ordered',
      async () => (await presented(httpsPort as number)) instanceof X509Certificate,
    )
    const socket = connect({
      port: httpsPort,
      host: '127.0.0.1',
      servername: NAME,
      ALPNProtocols: ['acme-tls/1'],
      rejectUnauthorized: false,
    })
    await assert.rejects(once(socket, 'secureConnect'))
  })

  test('a certificate is renewed with a third of its life left, without a restart', async () => {
    await start()
    const port = app.app.smtpsPort as number
    await lookUntil(
      'the certificate is ordered',
      async () => (await presented(port)) instanceof X509Certificate,
    )
    const first = await serialAt(port)
    clock.advance(59 * DAY_MS)
    await stays('the node orders no other certificate', () => acme.orders.length === 1, 100)
    clock.advance(1 * DAY_MS + HOUR_MS)
    await lookUntil('the certificate is renewed', async () => (await serialAt(port)) !== first)
    assert.equal(await serialAt(app.app.httpsPort as number), await serialAt(port))
    assert.equal(acme.orders.length, 2)
  })

  test('a certificate is renewed when the authority says so (RFC 9773), and the order names the replaced one', async () => {
    acme.window = { start: new Date(clock.now() + 10 * DAY_MS), end: new Date(clock.now() + 11 * DAY_MS) }
    await start()
    const port = app.app.smtpsPort as number
    await lookUntil(
      'the certificate is ordered',
      async () => (await presented(port)) instanceof X509Certificate,
    )
    const looks = acme.windowLooks
    clock.advance(7 * HOUR_MS)
    await lookUntil('the node requests the renewal window', () => acme.windowLooks > looks)
    clock.advance(9 * DAY_MS)
    await stays('the node orders no other certificate', () => acme.orders.length === 1, 300)
    clock.advance(2 * DAY_MS)
    await lookUntil('the certificate is renewed', () => acme.orders.length === 2)
    assert.match(acme.orders[1]?.replaces ?? '', /^[\w-]+\.[\w-]+$/)
  })

  test('a certificate near its end when it is issued is used, and another one is ordered hours later', async () => {
    acme.passedMs = 80 * DAY_MS
    acme.lifeMs = 10 * DAY_MS
    await start()
    const port = app.app.smtpsPort as number
    await lookUntil(
      'the certificate is ordered',
      async () => (await presented(port)) instanceof X509Certificate,
    )
    for (let look = 0; look < 5; look++) {
      clock.advance(61_000)
      await stays('the node orders no other certificate', () => acme.orders.length === 1, 50)
    }
    clock.advance(6 * HOUR_MS)
    await lookUntil('another certificate is ordered', () => acme.orders.length === 2)
  })

  for (const [what, fault, told] of [
    ['refuses', { at: 'newOrder', what: 'refuse' }, /403 unauthorized: not today/],
    ['answers nonsense', { at: 'directory', what: 'garbage' }, /not JSON/],
    ['cannot be reached', { at: 'directory', what: 'refuse' }, /403/],
  ] as const) {
    test(`an authority that ${what} is asked again later, and the ports keep working`, async () => {
      acme.fault = fault
      await start()
      await until(
        'the metrics count the failure',
        async () => (await metric('certificate_order_failures')) === 1,
      )
      const { body } = await app.call('GET', '/readyz')
      assert.equal(body.status, 'ready')
      assert.match(body.certificate_order.problem, told)
      const config = loadConfig({ ...settings(), POSTRIDER_DATA_DIR: app.storage.dataDir })
      const [orders] = await checkOrders(config, app.store.read)
      assert.equal(orders?.status, 'warn')
      assert.match(orders?.detail ?? '', told)
      assert.match(orders?.remedy ?? '', /^Let port 443 /)
      assert.match((await checkCertificate(config, clock.now())).detail, /not ordered yet/)
      assert.equal(await presented(app.app.smtpsPort as number), 'DEPTH_ZERO_SELF_SIGNED_CERT')
      acme.fault = undefined
      clock.advance(10 * 60_000)
      await stays('the node orders no certificate', () => acme.orders.length === 0, 100)
      clock.advance(6 * 60_000)
      await lookUntil(
        'the certificate is ordered',
        async () => (await presented(app.app.smtpsPort as number)) instanceof X509Certificate,
      )
      assert.equal(await metric('certificate_order_failures'), 0)
      assert.equal((await checkOrders(config, app.store.read))[0]?.status, 'ok')
      assert.match(
        (await checkCertificate(config, clock.now())).detail,
        /^for mail\.sender\.test, until .* by ACME$/,
      )
    })
  }

  test('a chain that TLS refuses is not stored, and another one is ordered later', async () => {
    acme.tail = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    await start()
    await lookUntil(
      'the metrics count the failure',
      async () => (await metric('certificate_order_failures')) === 1,
    )
    const { body } = await app.call('GET', '/readyz')
    assert.match(body.certificate_order.problem, /^TLS does not accept the received certificate/)
    acme.tail = ''
    clock.advance(16 * 60_000)
    const port = app.app.smtpsPort as number
    await lookUntil(
      'the certificate is ordered',
      async () => (await presented(port)) instanceof X509Certificate,
    )
  })

  test('an authority whose name cannot be looked up is reported as an outgoing fault', async () => {
    await start({ POSTRIDER_ACME_DIRECTORY: acme.directory.replace('acme.test', 'nowhere.test') })
    await until(
      'the metrics count the failure',
      async () => (await metric('certificate_order_failures')) === 1,
    )
    const config = loadConfig({ ...settings(), POSTRIDER_DATA_DIR: app.storage.dataDir })
    const [orders] = await checkOrders(config, app.store.read)
    assert.match(orders?.detail ?? '', /because it cannot be reached: .*nowhere\.test/)
    assert.match(
      orders?.remedy ?? '',
      /^Let this machine look up the host of POSTRIDER_ACME_DIRECTORY .*outgoing port 443/,
    )
  })

  test('an authority that hangs does not keep a node from stopping', async () => {
    acme.fault = { at: 'newOrder', what: 'hang' }
    await start()
    await until('the authority has a request', () => acme.hung === 1)
    const before = performance.now()
    await app.stopNode()
    assert.ok(performance.now() - before < 20_000)
  })

  test('names that do not lead here are reported, and the other challenge is tried', async () => {
    await start()
    acme.proves = { httpPort: 9, httpsPort: undefined }
    await lookUntil(
      'the metrics count the failure',
      async () => (await metric('certificate_order_failures')) === 1,
    )
    const { body } = await app.call('GET', '/readyz')
    assert.match(
      body.certificate_order.problem,
      /authorization for mail\.sender\.test by tls-alpn-01 is invalid: no answer at/,
    )
    acme.proves = { httpPort: Number(new URL(app.app.url).port), httpsPort: undefined }
    clock.advance(16 * 60_000)
    await lookUntil(
      'the certificate is ordered',
      async () => (await presented(app.app.smtpsPort as number)) instanceof X509Certificate,
    )
    assert.deepEqual(acme.proved, ['http-01'])
  })

  test('a renewal that the authority wants is tried by the other challenge as well', async () => {
    await start()
    const port = app.app.smtpsPort as number
    await lookUntil(
      'the certificate is ordered',
      async () => (await presented(port)) instanceof X509Certificate,
    )
    acme.proves = { httpPort: Number(new URL(app.app.url).port), httpsPort: undefined }
    acme.window = { start: new Date(clock.now()), end: new Date(clock.now() + HOUR_MS) }
    clock.advance(7 * HOUR_MS)
    await lookUntil(
      'the metrics count the failure',
      async () => (await metric('certificate_order_failures')) === 1,
    )
    clock.advance(14 * 60_000)
    await lookUntil('the certificate is renewed', () => acme.proved.length === 2)
    assert.deepEqual(acme.proved, ['tls-alpn-01', 'http-01'])
  })

  test('an order that failed while the clock was a year ahead delays no later one', async () => {
    clock.advance(365 * DAY_MS)
    acme.fault = { at: 'newOrder', what: 'refuse' }
    await start()
    await until(
      'the metrics count the failure',
      async () => (await metric('certificate_order_failures')) === 1,
    )
    await app.stopNode()
    clock.advance(-365 * DAY_MS)
    acme.fault = undefined
    await app.startNodeWith(settings())
    prove()
    const port = app.app.smtpsPort as number
    await lookUntil(
      'the certificate is ordered',
      async () => (await presented(port)) instanceof X509Certificate,
    )
  })

  test('an expired one is replaced at the start, and so is an unusable one', async () => {
    for (const prepared of [await certificateFor([NAME], { expired: true }), { cert: 'garbage', key: '' }]) {
      await start({}, async (dataDir) => {
        const file = join(dataDir, FILE)
        await writeFile(file, `${prepared.key}\n${prepared.cert}`)
        await chmod(file, 0o600)
      })
      await lookUntil(
        'the certificate is ordered',
        async () => (await presented(app.app.smtpsPort as number)) instanceof X509Certificate,
      )
      await app.stop()
    }
    await start()
  })

  test('one of several nodes orders, and the others present the same certificate', async () => {
    app = await TestApp.start({
      ...{ clock, zone, database: 'postgres' },
      env: { POSTRIDER_HOSTNAME: NAME, POSTRIDER_ROLES: 'api' },
    })
    await app.stopNode()
    const env = { ...settings(), POSTRIDER_ROLES: 'api,smtp' }
    await app.startNodeWith(env)
    const other = await mkdtemp(join(tmpdir(), 'postrider-acme-'))
    const second = await startApp(
      loadConfig({
        ...env,
        POSTRIDER_DATA_DIR: other,
        POSTRIDER_DATABASE_URL: app.storage.databaseUrl,
        POSTRIDER_HTTP_PORT: '0',
        POSTRIDER_SMTP_PORT: '0',
        POSTRIDER_DNS_SERVERS: app.dns.server,
        POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
      }),
      silentLog,
      clock,
    )
    try {
      // The host name resolves to the node that did not order the certificate.
      acme.proves = { httpPort: Number(new URL(second.url).port), httpsPort: second.httpsPort }
      const all = [...ports(), second.smtpsPort as number, second.httpsPort as number]
      await lookUntil('all ports present the certificate', async () => {
        const shown = await Promise.all(all.map((port) => presented(port)))
        return shown.every((one) => one instanceof X509Certificate)
      })
      assert.equal(new Set(await Promise.all(all.map(serialAt))).size, 1)
      assert.equal(acme.orders.length, 1)
    } finally {
      await second.stop()
      await rm(other, { recursive: true })
    }
  })

  test('a restart presents the same one at once, although the authority is unreachable', async () => {
    await start()
    const port = app.app.smtpsPort as number
    await lookUntil(
      'the certificate is ordered',
      async () => (await presented(port)) instanceof X509Certificate,
    )
    const serial = await serialAt(port)
    acme.fault = { at: 'directory', what: 'refuse' }
    await app.stopNode()
    await app.startNodeWith(settings())
    assert.equal(await serialAt(app.app.smtpsPort as number), serial)
    await app.stopNode()
    // A node on another machine, or after the loss of its data directory, gets the certificate from the store.
    await writeFile(join(app.storage.dataDir, FILE), '')
    await app.startNodeWith(settings())
    await until(
      'the node presents the certificate from the store',
      async () => (await serialAt(app.app.smtpsPort as number)) === serial,
    )
    assert.equal(acme.orders.length, 1)
  })
})
