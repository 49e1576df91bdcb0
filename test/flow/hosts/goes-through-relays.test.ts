// Mail through relays (smarthosts) of the installation and of single domains; the password of a relay is sent to no
// other host.

import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { after, afterEach, before, describe, test } from 'node:test'
import { run } from '../../../src/cli/run.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { TestApp } from '../../support/app.ts'
import { certificateFor } from '../../support/authority.ts'
import { firstAttempt } from '../../support/first-attempt.ts'
import { MailHost } from '../../support/mail-host/mail-host.ts'

const auth = { user: 'me@example.test', password: 's3cret/?' }
const CREDENTIALS = `${encodeURIComponent(auth.user)}:${encodeURIComponent(auth.password)}`

describe('a relay', () => {
  let app: TestApp
  let relay: MailHost
  before(async () => {
    relay = await MailHost.start({ auth, tls: true })
    app = await TestApp.start()
  })
  after(async () => {
    await app.stop()
    await relay.stop()
  })
  afterEach(() => {
    relay.mails.length = 0
  })

  const url = () => `smtp://${CREDENTIALS}@127.0.0.1:${relay.port}`

  async function command(...words: string[]) {
    const env = {
      POSTRIDER_DATA_DIR: app.storage.dataDir,
      ...(app.storage.databaseUrl === undefined ? {} : { POSTRIDER_DATABASE_URL: app.storage.databaseUrl }),
    }
    const done = await run([...words, '--json'], { env, clock: systemClock, readInput: async () => url() })
    return { ...done, document: JSON.parse(done.stdout) }
  }

  test('of a domain gets its mail at once, over TLS and with its password', async () => {
    assert.equal((await firstAttempt(app, 'a@receiver.example')).mx, 'mx.test')
    const { document } = await command('domain', 'relay', 'example.test', url())
    assert.equal(document.relay, `smtp://me%40example.test:********@127.0.0.1:${relay.port}`)
    const ended = await firstAttempt(app, 'b@receiver.example')
    assert.deepEqual([ended.status, ended.mx, ended.tls], ['delivered', '127.0.0.1', 'TLSv1.3'])
    assert.equal(relay.connections.at(-1)?.authenticated, true)
    assert.ok(!ended.transcript.includes(Buffer.from(auth.password).toString('base64').slice(0, 8)))
    assert.match(ended.transcript, /AUTH PLAIN \*{8}/)
  })

  test('gets mail even for domains that do not exist', async () => {
    assert.equal((await firstAttempt(app, 'a@gone.invalid')).status, 'delivered')
  })

  test('is shown without its password, and removed', async () => {
    const shown = await command('domain', 'relay', 'example.test')
    assert.ok(!shown.stdout.includes('s3cret'))
    assert.match(shown.document.relay, /\*{8}@127/)
    const listed = await command('domain', 'list')
    assert.ok(!listed.stdout.includes('s3cret'))
    assert.equal((await command('domain', 'relay', 'example.test', '--none')).document.relay, null)
    assert.equal((await firstAttempt(app, 'c@receiver.example')).mx, 'mx.test')
    assert.equal((await command('domain', 'relay', 'example.test')).document.relay, null)
  })

  test('can be given by standard input, and is refused if it is invalid', async () => {
    assert.match((await command('domain', 'relay', 'example.test', '-')).document.relay, /^smtp:/)
    await command('domain', 'relay', 'example.test', '--none')
    const wrong = await command('domain', 'relay', 'example.test', 'https://relay.example.com')
    assert.equal(wrong.code, 2)
    assert.match(wrong.document.error.detail, /RELAY must be a URL such as smtp:/)
    const both = await command('domain', 'relay', 'example.test', url(), '--none')
    assert.equal(both.code, 2)
  })

  test('that refuses the password defers the mail and is named', async () => {
    await command('domain', 'relay', 'example.test', url().replace('s3cret', 'wrong'))
    const ended = await firstAttempt(app, 'd@receiver.example')
    assert.deepEqual([ended.status, ended.category], ['deferred', 'auth'])
    assert.match(ended.reason, /deferred the message at login/)
    await command('domain', 'relay', 'example.test', '--none')
  })

  test('of the installation gets all mail, except that one of a domain takes precedence', async () => {
    const general = await MailHost.start()
    await app.stopNode()
    await app.startNode({ POSTRIDER_RELAY_URL: `smtp://127.0.0.1:${general.port}` })
    await firstAttempt(app, 'e@receiver.example')
    assert.equal(general.mails.length, 1)
    await command('domain', 'relay', 'example.test', url())
    await firstAttempt(app, 'f@receiver.example')
    assert.deepEqual([general.mails.length, relay.mails.length], [1, 1])
    await command('domain', 'relay', 'example.test', '--none')
    await app.stopNode()
    await general.stop()
    await app.startNode()
  })
})

/** A non-loopback IP address of this machine. */
const outside = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find((one) => one.family === 'IPv4' && !one.internal)?.address
const elsewhere = { skip: outside === undefined ? 'this machine has no network' : false }

describe('the password for a relay elsewhere', elsewhere, () => {
  let app: TestApp
  let relay: MailHost
  before(async () => {
    const A = [outside ?? '']
    const certificate = await certificateFor(['relay.test'])
    relay = await MailHost.start({ auth, tls: true, certificate, address: '0.0.0.0' })
    app = await TestApp.start({ zone: { 'relay.test': { A }, 'other.relays.test': { A } } })
  })
  after(async () => {
    await app.stop()
    await relay.stop()
  })

  async function through(url: string) {
    await app.stopNode()
    await app.startNode({ POSTRIDER_RELAY_URL: url })
    return firstAttempt(app, 'a@receiver.example')
  }

  test('is sent to a verified certificate', async () => {
    assert.equal((await through(`smtp://${CREDENTIALS}@relay.test:${relay.port}`)).status, 'delivered')
  })

  test('is not sent to a certificate of another name', async () => {
    const ended = await through(`smtp://${CREDENTIALS}@other.relays.test:${relay.port}`)
    assert.deepEqual([ended.status, ended.category], ['deferred', 'tls'])
    assert.match(
      ended.reason,
      /ALTNAME_INVALID\); the password for the relay requires a verified certificate/,
    )
    assert.equal(relay.connections.at(-1)?.authenticated, false)
  })

  test('is sent to any certificate if the URL allows it', async () => {
    const ended = await through(`smtp://${CREDENTIALS}@other.relays.test:${relay.port}?verify=no`)
    assert.equal(ended.status, 'delivered')
  })
})
