// Many clients at the SMTP ports: idle connections keep no other client out, and the server shortens timeouts only if
// necessary.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DEFAULT_LIMITS, STRESS } from '../../../src/smtpd/limits.ts'
import { type HandedOver, handOver, knock, RETURN_PATH_HOST, startInbound } from '../../support/inbound.ts'
import { plainToken, RawSmtpClient } from '../../support/raw-smtp-client.ts'
import { openSubmissionListener, type SubmissionDoor } from '../../support/submission-listener.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'
import { sleep, TestClock, until } from '../../support/test-clock.ts'

/** Silent connections from many networks; a closed connection is opened again until `leave`. */
class Crowd {
  readonly #port: number
  readonly clients = new Set<RawSmtpClient>()
  #left = false
  refused = 0
  reopened = 0

  private constructor(port: number) {
    this.#port = port
  }

  static async gather(port: number, networks: number, each: number): Promise<Crowd> {
    const crowd = new Crowd(port)
    for (let network = 1; network <= networks; network++) {
      await Promise.all(Array.from({ length: each }, () => crowd.#open(`127.0.1.${network}`)))
    }
    return crowd
  }

  get open(): number {
    return [...this.clients].filter(({ isOver }) => !isOver).length
  }

  /** Reopens each connection that the server has closed. */
  async persist(): Promise<void> {
    while (!this.#left) {
      for (const client of [...this.clients]) {
        if (!client.isOver || this.#left) continue
        this.clients.delete(client)
        this.reopened++
        await this.#open(`127.0.1.${(this.reopened % 20) + 1}`)
      }
      await sleep(1, 'the pause of a client between two connections')
    }
  }

  leave(): void {
    this.#left = true
    for (const client of this.clients) client.vanish()
  }

  async #open(localAddress: string): Promise<void> {
    const client = await RawSmtpClient.connect(this.#port, localAddress)
    if (/Too many connections; please/.test(await client.reply())) this.refused++
    this.clients.add(client)
  }
}

describe('1,000 silent connections at the submission port', () => {
  let door: SubmissionDoor
  let tenant: Tenant
  let from: string
  let crowd: Crowd
  const clock = new TestClock(Date.now())

  before(async () => {
    door = await openSubmissionListener({ clock })
    tenant = await createTenant(door.store, { clock })
    from = `a@${tenant.domain.name}`
    crowd = await Crowd.gather(door.port, 20, 50)
  })
  after(async () => {
    crowd.leave()
    await door.close()
  })

  test('leave a part for known networks, and the idlest gives way to each newcomer', async () => {
    await until('the displaced connections are closed', () => crowd.open === 800)
    const fresh = await RawSmtpClient.connect(door.port, '127.0.2.1')
    assert.match(await fresh.reply(), /^220 /)
    await fresh.ask('EHLO client.test')
    await fresh.ask('STARTTLS')
    await fresh.upgrade()
    await fresh.ask('EHLO client.test')
    assert.match(await fresh.ask(`AUTH PLAIN ${plainToken(tenant.smtp)}`), /^235 /)
    assert.match(await fresh.deliver(from, ['b@example.net'], `From: ${from}\r\n\r\nx`), /^250 2\.0\.0 /)
    assert.equal(crowd.refused, 0)
    fresh.vanish()
  })

  test('do not displace others by reconnecting', async () => {
    const persisting = crowd.persist()
    for (let n = 0; n < 20; n++) {
      const client = await RawSmtpClient.loggedIn(door.tlsPort, tenant, `127.0.3.${n + 1}`)
      assert.match(await client.deliver(from, ['b@example.net'], `From: ${from}\r\n\r\nx`), /^250 2\.0\.0 /)
      client.vanish()
    }
    assert.ok(crowd.reopened >= 20)
    crowd.leave()
    await persisting
  })
})

test('while slots are scarce, a client has a minute to log in, and a logged-in one keeps its five', async (t) => {
  const clock = new TestClock(Date.now())
  const door = await openSubmissionListener({ clock, limits: { connections: 100 } })
  t.after(() => door.close())
  const tenant = await createTenant(door.store, { clock })
  const member = await RawSmtpClient.loggedIn(door.tlsPort, tenant, '127.0.2.1')
  const crowd = await Crowd.gather(door.port, 6, 10)
  const idleMs = DEFAULT_LIMITS.loginMs * STRESS.at(-1)!.patience
  const commandMs = idleMs / 2
  const talker = await RawSmtpClient.connect(door.port, '127.0.2.2')
  await talker.reply()
  clock.advance(commandMs - 2_000)
  assert.match(await talker.ask('NOOP'), /^250 /)
  assert.equal(crowd.open, 60)
  clock.advance(3_000)
  await until('the silent clients are disconnected', () => crowd.open === 0)
  assert.equal(talker.isOver, false)
  const second = await Crowd.gather(door.port, 6, 10)
  for (let spent = commandMs + 10_000; spent < idleMs; spent += 10_000) {
    clock.advance(10_000)
    await Promise.all([talker, ...second.clients].map((client) => client.ask('NOOP')))
  }
  clock.advance(10_000)
  assert.match(await talker.reply(), /^421 4\.7\.0 Too many connections, and this one was idle/)
  clock.advance(100_000)
  assert.match(await member.ask('NOOP'), /^250 /)
  second.leave()
})

test('a slow client has its five minutes for each command as long as there is room (RFC 5321 §4.5.3.2)', async (t) => {
  const clock = new TestClock(Date.now())
  const door = await openSubmissionListener({ clock })
  t.after(() => door.close())
  const tenant = await createTenant(door.store, { clock })
  const from = `a@${tenant.domain.name}`
  const crowd = await Crowd.gather(door.port, 9, 50)
  const client = await RawSmtpClient.connectTls(door.tlsPort, '127.0.2.1')
  await client.reply()
  const lines: [string, RegExp][] = [
    ['EHLO client.test', /^250/],
    ['AUTH LOGIN', /^334/],
    [Buffer.from(tenant.smtp.username).toString('base64'), /^334/],
    [Buffer.from(tenant.smtp.password).toString('base64'), /^235/],
    [`MAIL FROM:<${from}>`, /^250/],
    ['RCPT TO:<b@example.net>', /^250/],
    ['DATA', /^354/],
    [`From: ${from}\r\n\r\nx\r\n.`, /^250 2\.0\.0 /],
  ]
  for (const [line, expected] of lines) {
    clock.advance(line.startsWith('From') ? 50_000 : 299_000)
    assert.match(await client.ask(line), expected, line)
  }
  crowd.leave()
})

test('500 silent connections at the inbound port keep no bounce out', async (t) => {
  const app = await startInbound()
  t.after(() => app.stop())
  const port = app.app.inboundPort as number
  const { returnPath }: HandedOver = await handOver(app)
  const crowd = await Crowd.gather(port, 25, 20)
  const persisting = crowd.persist()
  for (let n = 0; n < 10; n++) {
    const client = await knock(app)
    assert.match(await client.ask('MAIL FROM:<>'), /^250 /)
    assert.match(
      await client.ask(`RCPT TO:<${n % 2 === 0 ? returnPath : `abuse@${RETURN_PATH_HOST}`}>`),
      /^250 /,
    )
    client.vanish()
  }
  crowd.leave()
  await persisting
})

test('500 connections that begin a transaction and go no further keep no bounce out either', async (t) => {
  const app = await startInbound()
  t.after(() => app.stop())
  const crowd = await Crowd.gather(app.app.inboundPort as number, 25, 20)
  await Promise.all(
    [...crowd.clients].map(async (client) => {
      for (const line of ['EHLO x', 'MAIL FROM:<>', `RCPT TO:<abuse@${RETURN_PATH_HOST}>`]) {
        if (!client.isOver) await client.ask(line)
      }
    }),
  )
  const client = await knock(app)
  assert.match(await client.ask('MAIL FROM:<>'), /^250 /)
  assert.match(await client.ask(`RCPT TO:<abuse@${RETURN_PATH_HOST}>`), /^250 /)
  client.vanish()
  crowd.leave()
})

test('a TLS handshake that fails releases its slot, and one that never ends does so after its time', async (t) => {
  const clock = new TestClock(Date.now())
  const door = await openSubmissionListener({ clock, limits: { connectionsPerNetwork: 1 } })
  t.after(() => door.close())
  for (const port of [door.port, door.tlsPort]) {
    const client = await RawSmtpClient.connect(port)
    if (port === door.port) {
      await client.reply()
      await client.ask('EHLO client.test')
      await client.ask('STARTTLS')
    }
    client.send('no TLS at all, whatever it may be taken for\r\n')
    await client.ended()
    const silent = await RawSmtpClient.connect(door.tlsPort)
    await silent.unread(20)
    clock.advance(30_000)
    await silent.ended()
  }
  const last = await RawSmtpClient.connect(door.port)
  assert.match(await last.reply(), /^220 /)
  last.vanish()
})
