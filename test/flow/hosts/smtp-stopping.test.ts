// Clients that disconnect leave no resources in use, a service that stops completes its work, and certificates are
// replaced at run time.

import assert from 'node:assert/strict'
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { TlsSource } from '../../../src/certificates/tls-source.ts'
import { RawSmtpClient } from '../../support/raw-smtp-client.ts'
import {
  openSubmissionListener,
  type SubmissionDoor,
  storedMessages,
} from '../../support/submission-listener.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'
import { TestClock } from '../../support/test-clock.ts'

let door: SubmissionDoor
let tenant: Tenant
let from: string

before(async () => {
  door = await openSubmissionListener()
  tenant = await createTenant(door.store)
  from = `a@${tenant.domain.name}`
})
after(() => door.close())

test('a client that disconnects before its message is complete leaves no row', async () => {
  const steps = [`MAIL FROM:<${from}>`, 'RCPT TO:<b@example.net>', 'DATA', `From: ${from}`, '', 'x', '.']
  for (let count = 0; count < steps.length; count++) {
    const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
    for (const line of steps.slice(0, Math.min(count, 3))) await client.ask(line)
    for (const line of steps.slice(3, Math.max(count, 3))) client.send(`${line}\r\n`)
    if (count % 2 === 1) client.send(steps[count]!.slice(0, 3))
    await client.unread(5)
    client.vanish()
  }
  const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  assert.deepEqual(await storedMessages(door.store, tenant), [])
  assert.match(await client.deliver(from, ['b@example.net'], `From: ${from}\r\n\r\nx`), /^250 /)
  client.vanish()
  assert.equal((await storedMessages(door.store, tenant)).length, 1)
})

test('a client that has nothing more to send gets its replies', async () => {
  const before = (await storedMessages(door.store, tenant)).length
  const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant)
  await client.begin(from, 'b@example.net')
  client.send(`From: ${from}\r\n\r\nx\r\n.\r\n`)
  client.endSending()
  assert.match(await client.reply(), /^250 2\.0\.0 Ok: queued as/)
  assert.equal(await client.reply(), 'closed')
  assert.equal((await storedMessages(door.store, tenant)).length, before + 1)
  const silent = await RawSmtpClient.connect(door.port)
  await silent.reply()
  silent.send('EHLO client.test\r\nNO')
  silent.endSending()
  assert.match(await silent.reply(), /^250-/)
  assert.equal(await silent.reply(), 'closed')
  const inHandshake = await RawSmtpClient.connect(door.port)
  await inHandshake.reply()
  await inHandshake.ask('EHLO client.test')
  assert.match(await inHandshake.ask('STARTTLS'), /^220/)
  inHandshake.endSending()
  assert.equal(await inHandshake.reply(), 'closed')
})

test('stopping ends idle sessions at once and lets a transaction end', async () => {
  const stopping = await openSubmissionListener()
  const sender = await createTenant(stopping.store)
  const address = `a@${sender.domain.name}`
  const idle = await RawSmtpClient.connect(stopping.port)
  await idle.reply()
  const busy = await RawSmtpClient.loggedIn(stopping.tlsPort, sender)
  await busy.ask(`MAIL FROM:<${address}>`)
  const stopped = stopping.server.stop()
  assert.match(await idle.reply(), /^421 4\.3\.2 /)
  await assert.rejects(RawSmtpClient.connect(stopping.port))
  await busy.ask('RCPT TO:<b@example.net>')
  await busy.ask('DATA')
  assert.match(await busy.ask(`From: ${address}\r\n\r\nx\r\n.`), /^250 2\.0\.0 /)
  assert.match(await busy.reply(), /^421 4\.3\.2 /)
  await stopped
  assert.equal((await storedMessages(stopping.store, sender)).length, 1)
  await stopping.close()
})

test('a transaction that does not end is ended', async () => {
  const stopping = await openSubmissionListener({ limits: { stopMs: 50 } })
  const sender = await createTenant(stopping.store)
  const client = await RawSmtpClient.loggedIn(stopping.tlsPort, sender)
  await client.begin(`a@${sender.domain.name}`, 'b@example.net')
  client.send(`From: a@${sender.domain.name}\r\n`)
  const began = performance.now()
  await stopping.close()
  // The default time to stop is ten seconds.
  assert.ok(performance.now() - began < 8_000)
  assert.match(await client.reply(), /^421 4\.3\.2 /)
  await client.ended()
})

test('a self-signed certificate is made once', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-tls-'))
  const first = (await TlsSource.open({ dataDir, hostName: 'mail.test' })).current()
  const second = (await TlsSource.open({ dataDir, hostName: 'mail.test' })).current()
  assert.deepEqual(second, first)
  assert.equal((await stat(join(dataDir, 'smtp-key.pem'))).mode & 0o777, 0o600)
  await rm(dataDir, { recursive: true })
})

test('a configured certificate that changes is presented at the next handshake, a partial one is not', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-tls-'))
  const clock = new TestClock()
  for (const name of ['one', 'two'])
    await TlsSource.open({ dataDir: join(dataDir, name), hostName: 'mail.test' })
  const certFile = join(dataDir, 'cert.pem')
  const keyFile = join(dataDir, 'key.pem')
  const use = (name: string, file: 'cert' | 'key') =>
    copyFile(join(dataDir, name, `smtp-${file}.pem`), file === 'cert' ? certFile : keyFile)
  await use('one', 'cert')
  await use('one', 'key')
  const tls = await TlsSource.open({ dataDir, hostName: 'mail.test', certFile, keyFile, clock })
  const reloading = await openSubmissionListener({ tls })
  const early = await RawSmtpClient.connect(reloading.port)
  await early.reply()
  await early.ask('EHLO client.test')
  const serial = async (): Promise<string> => {
    const client = await RawSmtpClient.connectTls(reloading.tlsPort)
    const { certificateSerial } = client
    client.vanish()
    return certificateSerial
  }
  const before = await serial()
  await use('two', 'cert')
  clock.advance(1_000)
  assert.equal(await serial(), before)
  await use('two', 'key')
  assert.equal(await serial(), before)
  clock.advance(1_000)
  await early.ask('STARTTLS')
  await early.upgrade()
  assert.notEqual(early.certificateSerial, before)
  assert.equal(await serial(), early.certificateSerial)
  early.vanish()
  await reloading.close()
  await rm(dataDir, { recursive: true })
})

test('a store that cannot take a message makes the client try again', async () => {
  const failing = await openSubmissionListener()
  const sender = await createTenant(failing.store)
  const address = `a@${sender.domain.name}`
  const client = await RawSmtpClient.loggedIn(failing.tlsPort, sender)
  await client.begin(address, 'b@example.net')
  await failing.versions.stop()
  await failing.store.close()
  assert.match(await client.ask(`From: ${address}\r\n\r\nx\r\n.`), /^45[12] 4\.3\.[01] /)
  assert.match(await client.ask('NOOP'), /^250 /)
  client.vanish()
  await failing.close().catch(() => {})
})
