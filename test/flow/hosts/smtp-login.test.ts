// The submission port accepts no mail without a login, and no login without TLS; it delays repeated wrong logins and
// then disconnects.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { changeKey, createKey, rotateKey } from '../../../src/access/keys.ts'
import type { Log } from '../../../src/lib/log.ts'
import { setAccountStatus } from '../../../src/store/access/accounts.ts'
import { revokeKey } from '../../../src/store/access/keys.ts'
import { plainToken, RawSmtpClient } from '../../support/raw-smtp-client.ts'
import {
  openSubmissionListener,
  type SubmissionDoor,
  storedMessages,
} from '../../support/submission-listener.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'
import { TestClock } from '../../support/test-clock.ts'

let door: SubmissionDoor
let tenant: Tenant
const lines: string[] = []
const note = (fields: object, message: string): void => void lines.push(JSON.stringify([fields, message]))
const log: Log = { info: note, warn: note, error: note, debug: note, child: () => log }

before(async () => {
  door = await openSubmissionListener({
    log,
    limits: { loginDelayMs: 30 },
  })
  tenant = await createTenant(door.store)
})
after(() => door.close())

async function secure({ tlsPort } = door): Promise<RawSmtpClient> {
  const client = await RawSmtpClient.connectTls(tlsPort)
  assert.equal(await client.reply(), '220 mail.test ESMTP Postrider')
  await client.ask('EHLO client.test')
  return client
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

test('before TLS a login is neither offered nor accepted', async () => {
  const client = await RawSmtpClient.connect(door.port)
  assert.equal(await client.reply(), '220 mail.test ESMTP Postrider')
  const offered = [
    'mail.test',
    'PIPELINING',
    'SIZE 1000000',
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    'STARTTLS',
  ]
  const ehlo = await client.ask('EHLO client.test')
  assert.deepEqual(
    ehlo.split('\n').map((line) => line.slice(4)),
    offered,
  )
  assert.match(await client.ask(`AUTH PLAIN ${plainToken(tenant.smtp)}`), /^538 5\.7\.11 /)
  assert.match(await client.ask('AUTH LOGIN'), /^538 5\.7\.11 /)
  for (const line of ['MAIL FROM:<a@b.test>', 'RCPT TO:<a@b.test>', 'DATA']) {
    assert.match(await client.ask(line), /^530 5\.7\.0 /)
  }
  assert.equal(await client.ask('STARTTLS'), '220 2.0.0 Ready to start TLS')
  await client.upgrade()
  assert.match(await client.ask(`AUTH PLAIN ${plainToken(tenant.smtp)}`), /^503 5\.5\.1 .*EHLO first/)
  assert.match(await client.ask('EHLO client.test'), /\n250 AUTH PLAIN LOGIN$/)
  assert.match(await client.ask(`AUTH PLAIN ${plainToken(tenant.smtp)}`), /^235 2\.7\.0 /)
  assert.doesNotMatch(await client.ask('EHLO client.test'), /STARTTLS|AUTH/)
  assert.match(await client.ask(`AUTH PLAIN ${plainToken(tenant.smtp)}`), /^503 5\.5\.1 /)
  assert.match(await client.ask(`MAIL FROM:<a@${tenant.domain.name}>`), /^250 2\.1\.0 /)
  client.vanish()
})

test('data sent together with STARTTLS is never answered', async () => {
  for (let round = 0; round < 40; round++) {
    const client = await RawSmtpClient.connect(door.port)
    await client.reply()
    await client.ask('EHLO client.test')
    client.send(
      `STARTTLS\r\nEHLO injected\r\nMAIL FROM:<x@${tenant.domain.name}>\r\n${'NOOP\r\n'.repeat(round * 10)}`,
    )
    assert.match(await client.reply(), /^220 /)
    await client.upgrade()
    assert.equal(await client.unread(round < 3 ? 30 : 0), '')
    assert.match(await client.ask('MAIL FROM:<a@b.test>'), /^503 5\.5\.1 .*EHLO first/)
    client.vanish()
  }
})

test('PLAIN and LOGIN, with and without an initial response', async () => {
  const { username, password } = tenant.smtp
  const exchanges = [
    [`AUTH PLAIN ${plainToken(tenant.smtp)}`],
    [`AUTH PLAIN ${plainToken(tenant.smtp, username)}`],
    ['AUTH PLAIN', plainToken(tenant.smtp)],
    ['auth login', base64(username), base64(password)],
    [`AUTH LOGIN ${base64(username)}`, base64(password)],
  ]
  for (const exchange of exchanges) {
    const client = await secure()
    const last = exchange.pop() as string
    for (const line of exchange) assert.match(await client.ask(line), /^334/)
    assert.match(await client.ask(last), /^235 2\.7\.0 /)
    client.vanish()
  }
})

test('invalid logins', async () => {
  const other = await createTenant(door.store)
  const { username, password } = tenant.smtp
  const bad = [
    [`AUTH PLAIN ${plainToken({ username, password: 'wrong' })}`, /^535 5\.7\.8 /],
    [`AUTH PLAIN ${plainToken({ username: other.smtp.username, password })}`, /^535 5\.7\.8 /],
    [
      `AUTH PLAIN ${plainToken({ username: tenant.account.id, password: tenant.sendingKey })}`,
      /^535 5\.7\.8 /,
    ],
    [`AUTH PLAIN ${plainToken(tenant.smtp, 'admin')}`, /^535 5\.7\.8 /],
    ['AUTH PLAIN !!!!', /^501 5\.5\.2 /],
    ['AUTH PLAIN =', /^501 5\.5\.2 /],
    [`AUTH PLAIN ${base64('no nul')}`, /^501 5\.5\.2 /],
    [`AUTH PLAIN ${Buffer.from([0, 0xff, 0, 0x41]).toString('base64')}`, /^501 5\.5\.2 /],
    ['AUTH CRAM-MD5', /^504 5\.5\.4 /],
    ['AUTH XOAUTH2 dXNlcj0=', /^504 5\.5\.4 /],
    ['AUTH', /^504 5\.5\.4 /],
    ['AUTH PLAIN a b', /^501 5\.5\.4 /],
  ] as const
  const client = await secure()
  for (const [line, expected] of bad) assert.match(await client.ask(line), expected, line)
  await client.ask('AUTH PLAIN')
  assert.match(await client.ask('*'), /^501 5\.7\.0 /)
  await client.ask('AUTH LOGIN')
  client.send(`${base64('smtp_x')}\0\r\n`)
  assert.match(await client.reply(), /^500 5\.5\.2 /)
  assert.match(await client.ask(`AUTH PLAIN ${base64(`\0${username}\0${password}`)}`), /^235 /)
  client.vanish()
})

test('a login of 12 KiB is read, a longer one is not', async () => {
  const client = await secure()
  assert.match(await client.ask(`AUTH PLAIN ${base64(`\0u\0${'p'.repeat(8_000)}`)}`), /^535 /)
  assert.match(await client.ask(`AUTH PLAIN ${base64(`\0u\0${'p'.repeat(12_000)}`)}`), /^500 5\.5\.6 /)
  client.vanish()
})

test('the third failure is slow, the tenth is the last, and no password is logged', async () => {
  const client = await secure()
  const took: number[] = []
  for (let n = 1; n <= 10; n++) {
    const began = performance.now()
    const reply = await client.ask(
      `AUTH PLAIN ${plainToken({ username: tenant.smtp.username, password: `guess-${n}` })}`,
    )
    took.push(performance.now() - began)
    assert.match(reply, n < 10 ? /^535 5\.7\.8 / : /^421 4\.7\.0 /)
  }
  await client.ended()
  assert.ok(took[2]! >= 29, `the third took ${took[2]} ms`)
  assert.ok(lines.length >= 10)
  assert.doesNotMatch(lines.join('\n'), /guess/)
})

test('an address that failed too often is refused, even with the right password', async () => {
  const strict = await openSubmissionListener({ authFailureRate: { count: 12, perMs: 3_600_000 } })
  const sender = await createTenant(strict.store)
  for (let n = 0; n < 12; n += 2) {
    const client = await secure(strict)
    for (let i = 0; i < 2; i++) await client.ask(`AUTH PLAIN ${base64('\0u\0p')}`)
    client.vanish()
  }
  const client = await secure(strict)
  assert.match(await client.ask(`AUTH PLAIN ${plainToken(sender.smtp)}`), /^421 4\.7\.0 /)
  await client.ended()
  await strict.close()
})

test('a credential that is revoked during a session can send no more', async () => {
  const revoked = await createTenant(door.store)
  const from = `a@${revoked.domain.name}`
  const client = await RawSmtpClient.loggedIn(door.tlsPort, revoked)
  await client.begin(from, 'b@example.net')
  const { id: accountId } = revoked.account
  await door.store.write(revokeKey, { accountId, id: revoked.smtp.username, now: Date.now() })
  await door.versions.check()
  assert.match(await client.ask(`From: ${from}\r\n\r\nx\r\n.`), /^530 5\.7\.0 The credential was revoked/)
  assert.match(await client.ask(`MAIL FROM:<${from}>`), /^530 5\.7\.0 The credential was revoked/)
  const resources = { store: door.store, clock: new TestClock(Date.now()) }
  const wanted = { accountId, domainId: revoked.domain.id, kind: 'smtp', name: 'New' } as const
  const { key, secret } = await createKey(resources, wanted)
  assert.match(await client.ask(`AUTH PLAIN ${plainToken({ username: key.id, password: secret })}`), /^235 /)
  assert.match(await client.deliver(from, ['b@example.net'], `From: ${from}\r\n\r\nx`), /^250 /)
  assert.equal((await storedMessages(door.store, revoked)).length, 1)
  client.vanish()
})

test('a suspended account is refused at MAIL with the reason', async () => {
  const suspended = await createTenant(door.store)
  const from = `a@${suspended.domain.name}`
  const client = await RawSmtpClient.loggedIn(door.tlsPort, suspended)
  await door.store.write(setAccountStatus, {
    id: suspended.account.id,
    status: 'suspended',
    now: Date.now(),
  })
  await door.versions.check()
  assert.match(await client.ask(`MAIL FROM:<${from}>`), /^550 5\.7\.1 This account is suspended/)
  client.vanish()
})

test('a credential with networks is accepted from these networks only, and may be narrowed', async () => {
  const limited = await createTenant(door.store)
  const from = `a@${limited.domain.name}`
  const resources = { store: door.store, clock: new TestClock(Date.now()) }
  const wanted = { accountId: limited.account.id, domainId: limited.domain.id, kind: 'smtp' } as const
  const make = async (networks: readonly string[]) => {
    const { key, secret } = await createKey(resources, { ...wanted, name: 'Limited', networks })
    return { id: key.id, token: plainToken({ username: key.id, password: secret }) }
  }
  const [elsewhere, here] = [await make(['192.0.2.0/24']), await make(['127.0.0.0/8', '::1/128'])]
  const client = await secure()
  assert.match(await client.ask(`AUTH PLAIN ${elsewhere.token}`), /^535 5\.7\.8 .* not be used from .*1$/)
  assert.match(await client.ask(`AUTH PLAIN ${here.token}`), /^235 /)
  assert.match(await client.deliver(from, ['b@example.net'], `From: ${from}\r\n\r\nx`), /^250 /)
  const { id: accountId } = limited.account
  const change = { accountId, id: here.id, networks: ['192.0.2.0/24'] }
  await changeKey(resources, change)
  await door.versions.check()
  assert.match(await client.ask(`MAIL FROM:<${from}>`), /^530 5\.7\.0 /)
  client.vanish()
})

test('a credential with recipients sends to these recipients only', async () => {
  const limited = await createTenant(door.store)
  const from = `a@${limited.domain.name}`
  const resources = { store: door.store, clock: new TestClock(Date.now()) }
  const { key, secret } = await createKey(resources, {
    ...{ accountId: limited.account.id, domainId: limited.domain.id, kind: 'smtp', name: 'Staging' },
    recipients: ['*@staff.example'],
  })
  const client = await secure()
  await client.ask(`AUTH PLAIN ${plainToken({ username: key.id, password: secret })}`)
  const mail = `From: ${from}\r\n\r\nx`
  const refused = await client.deliver(from, ['a@staff.example', 'b@example.net'], mail)
  assert.match(refused, /^550 5\.7\.1 .*b@example\.net/)
  assert.match(await client.deliver(from, ['a@staff.example'], mail), /^250 /)
  assert.equal((await storedMessages(door.store, limited)).length, 1)
  client.vanish()
})

test('both passwords of a rotated credential are valid until the overlap ends', async () => {
  const rotated = await createTenant(door.store)
  const clock = new TestClock(Date.now())
  const resources = { store: door.store, clock }
  const { username } = rotated.smtp
  const key = { account_id: rotated.account.id, id: username, kind: 'smtp', mode: 'live' } as const
  const password = await rotateKey(resources, key, 3_600_000)
  await door.versions.check()
  for (const one of [rotated.smtp.password, password]) {
    const client = await secure()
    assert.match(await client.ask(`AUTH PLAIN ${plainToken({ username, password: one })}`), /^235 /)
    client.vanish()
  }
  const last = await rotateKey(resources, key, 0)
  await door.versions.check()
  for (const [one, code] of [
    [rotated.smtp.password, '535'],
    [password, '535'],
    [last, '235'],
  ] as const) {
    const client = await secure()
    assert.match(
      await client.ask(`AUTH PLAIN ${plainToken({ username, password: one })}`),
      new RegExp(`^${code} `),
    )
    client.vanish()
  }
})
