// Accounts do not wait for each other's mail: a flood of messages, an unreachable destination or a slow destination
// delays only the mail of its own account.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { MAX_ACTIVE } from '../../../src/queue/slots.ts'
import { setDomainRelay } from '../../../src/store/domains/domain-relays.ts'
import { TestApp } from '../../support/app.ts'
import { MailHost } from '../../support/mail-host/mail-host.ts'
import { answerTo, type HostScript } from '../../support/mail-host/script.ts'
import { createTenant, type Tenant } from '../../support/tenant.ts'
import { TestClock, until } from '../../support/test-clock.ts'
import { thorough } from '../../support/thorough.ts'

const recipients = (count: number, domainOf: (index: number) => string): { email: string }[] =>
  Array.from({ length: count }, (_, index) => ({ email: `r${index}@${domainOf(index)}` }))

describe('a message among many', () => {
  let app: TestApp
  let black: MailHost | undefined
  afterEach(async () => {
    // The silent mail host stops first, so that attempts in progress end at once.
    await black?.stop()
    black = undefined
    await app.stop()
  })

  /** Starts a mail host at another address on the same port that accepts connections and sends nothing. */
  async function blackHole(): Promise<MailHost> {
    black = await MailHost.start({
      address: '127.0.0.2',
      port: app.host.port,
      script: answerTo('CONNECT', { after: 'hang' }),
    })
    return black
  }

  /** Sends messages to all addresses, with fifty recipients in each message. */
  async function flood(all: readonly { email: string }[]): Promise<void> {
    const messages: Promise<string>[] = []
    for (let at = 0; at < all.length; at += 50) messages.push(app.send({ to: all.slice(at, at + 50) }))
    await Promise.all(messages)
  }

  /** Sends a message from another tenant. */
  async function sendAs({ domain, sendingKey }: Tenant, email: string): Promise<void> {
    const request = { from: `a@${domain.name}`, to: [{ email }], subject: 'Reset', text: 'x' }
    const authorization = `Bearer ${sendingKey}`
    const answer = await app.call('POST', '/v1/messages', request, { authorization })
    assert.equal(answer.status, 202)
  }

  /** Starts mail hosts at these addresses that accept connections and send nothing. */
  async function tarpits(addresses: readonly string[]) {
    const sockets = new Set<Socket>()
    const servers = await Promise.all(
      addresses.map(async (address) => {
        const server = createServer((socket) => {
          sockets.add(socket.on('error', () => {}))
          socket.on('close', () => sockets.delete(socket))
        })
        await once(server.listen(app.host.port, address), 'listening')
        return server
      }),
    )
    return {
      connections: () => sockets.size,
      async stop() {
        for (const socket of sockets) socket.destroy()
        await Promise.all(servers.map((server) => once(server.close(), 'close')))
      },
    }
  }

  test('goes before a flood of another stream that came first', async () => {
    const { promise: allAreAccepted, resolve: goOn } = Promise.withResolvers<void>()
    const script: HostScript = async ({ verb }) => {
      if (verb === 'MESSAGE') await allAreAccepted
      return undefined
    }
    app = await TestApp.start({ host: { script } })
    const other = await createTenant(app.store)
    await flood(recipients(1_500, () => 'receiver.example'))
    await sendAs(other, 'reset@receiver.example')
    goOn()
    const arrived = (): number =>
      app.host.mails.findIndex((mail) => mail.recipients[0] === 'reset@receiver.example')
    await until('the reset has arrived', () => arrived() >= 0)
    // The message to `reset@receiver.example` comes after the attempts that were in progress before, and after the
    // recipients of one claim.
    assert.ok(arrived() < MAX_ACTIVE + 400, `it was number ${arrived()} of 1,501`)
  })

  test('goes before one at a slow destination, however long ago that began', async () => {
    const { promise: isTold, resolve: goOn } = Promise.withResolvers<void>()
    const script: HostScript = async ({ verb }) => {
      if (verb === 'MESSAGE') await isTold
      return undefined
    }
    const clock = new TestClock(Date.now())
    app = await TestApp.start({ host: { script }, clock })
    const other = await createTenant(app.store)
    await flood(recipients(1_500, () => 'receiver.example'))
    await until('the host has connections', () => app.host.connections.length > 0)
    // The clock moves beyond the latest start tag of a flood of this size.
    clock.advance(20_000)
    await sendAs(other, 'reset@receiver.example')
    goOn()
    const arrived = (): number =>
      app.host.mails.findIndex((mail) => mail.recipients[0] === 'reset@receiver.example')
    await until('the reset has arrived', () => {
      clock.advance(100)
      return arrived() >= 0
    })
    assert.ok(arrived() < 300, `it was number ${arrived()} of 1,501`)
  })

  test('is not delayed by the DNS of another domain at the same mail host', async () => {
    const clock = new TestClock(Date.now())
    app = await TestApp.start({ clock })
    const sendTo = (...emails: string[]) => app.send({ to: emails.map((email) => ({ email })) })
    await app.messageIn(await sendTo('a@broken.example', 'a@fine.example'), 'delivered')
    app.dns.set('broken.example', 'SERVFAIL')
    // The service forgets all earlier failures during this time.
    clock.advance(400_000)
    for (const email of ['b@broken.example', 'c@broken.example', 'd@broken.example'])
      await app.messageIn(await sendTo(email), 'deferred')
    const now = clock.now()
    await app.messageIn(await sendTo('b@fine.example'), 'delivered')
    assert.equal(clock.now(), now, 'at once')
  })

  test('is not delayed by the relay of another tenant that refuses its password', async () => {
    const clock = new TestClock(Date.now())
    app = await TestApp.start({ clock })
    const auth = { user: 'me', password: 'secret' }
    const relay = await MailHost.start({ auth, tls: true })
    try {
      const [wrong, right] = [await createTenant(app.store), await createTenant(app.store)]
      const relayTo = ({ account, domain }: Tenant, password: string) =>
        app.store.write(setDomainRelay, {
          ...{ account_id: account.id, domain_id: domain.id, created_at: clock.now() },
          url: app.store.secrets.seal(`smtp://me:${password}@127.0.0.1:${relay.port}`, domain.id),
        })
      await relayTo(wrong, 'wrong')
      await relayTo(right, 'secret')
      const logins = (): number =>
        relay.connections.filter(({ commands }) => commands.some((line) => line.startsWith('AUTH'))).length
      for (let count = 1; count <= 3; count++) {
        await sendAs(wrong, `r${count}@receiver.example`)
        await until(
          'the relay has refused the login',
          () => logins() === count && relay.openConnections === 0,
        )
      }
      const now = clock.now()
      await app.messageIn(await app.send({ to: [{ email: 'past@receiver.example' }] }), 'delivered')
      await sendAs(right, 'through@receiver.example')
      await until(
        'the message has arrived',
        () => relay.mails[0]?.recipients[0] === 'through@receiver.example',
      )
      await app.messageIn(await app.send({ to: [{ email: 'again@receiver.example' }] }), 'delivered')
      assert.equal(clock.now(), now, 'at once')
    } finally {
      await app.stopNode()
      await relay.stop()
    }
  })

  test('is not delayed by a destination that names a dead host of its provider', async () => {
    const clock = new TestClock(Date.now())
    app = await TestApp.start({
      clock,
      zone: {
        'good.example': { MX: ['10 mx.provider.test'] },
        'mx.provider.test': { A: ['127.0.0.1'] },
        'bad.example': { MX: ['10 www.provider.test'] },
        'www.provider.test': { A: ['127.0.0.77'] },
      },
    })
    const sendTo = (email: string) => app.send({ to: [{ email }] })
    for (let count = 0; count < 3; count++)
      await app.messageIn(await sendTo(`r${count}@bad.example`), 'deferred')
    const dead = await sendTo('last@bad.example')
    const now = clock.now()
    await app.messageIn(await sendTo('r@good.example'), 'delivered')
    assert.equal(clock.now(), now, 'at once')
    assert.equal(
      (await app.messageIn(dead, 'queued')).status,
      'queued',
      'the waiting message is not attempted',
    )
  })

  test(
    'is not delayed by a destination that accepts connections and sends nothing',
    thorough('0.6 CPU s: tarpits beside the mail of another tenant'),
    async () => {
      app = await TestApp.start({
        zone: { 'black.example': { MX: ['10 black.test'] }, 'black.test': { A: ['127.0.0.2'] } },
      })
      const hole = await blackHole()
      await flood(recipients(1_000, () => 'black.example'))
      await flood(recipients(100, () => 'receiver.example'))
      await until('the messages to the other destinations have arrived', () => app.host.mails.length === 100)
      assert.ok(hole.connections.length <= 5, `${hole.connections.length} connections to the black hole`)
    },
  )

  test(
    'is not delayed by three hundred such destinations',
    thorough('1.0 CPU s: tarpits beside the mail of another tenant'),
    async () => {
      app = await TestApp.start({
        zone: { '*.black.example': { MX: ['10 black.test'] }, 'black.test': { A: ['127.0.0.2'] } },
      })
      await blackHole()
      await flood(recipients(900, (index) => `d${index % 300}.black.example`))
      await flood(recipients(100, () => 'receiver.example'))
      await until('the messages to the other destinations have arrived', () => app.host.mails.length === 100)
    },
  )

  test(
    'is not delayed by tarpits, wildcards and decoys of another tenant',
    thorough('0.8 CPU s: tarpits beside the mail of another tenant'),
    async () => {
      const pits = Array.from({ length: 220 }, (_, index) => ({
        name: `t${index}`,
        at: `127.0.8.${index + 1}`,
      }))
      app = await TestApp.start({
        zone: {
          ...Object.fromEntries(
            pits.flatMap(({ name, at }) => [
              [`${name}.example`, { MX: [`10 mx.${name}.test`] }],
              [`mx.${name}.test`, { A: [at] }],
              [`d-${name}.example`, { MX: ['10 black.test', `90 mx.decoy-${name}.test`] }],
            ]),
          ),
          '*.black.example': { MX: ['10 black.test'] },
          'black.test': { A: ['127.0.0.2'] },
        },
      })
      const hole = await blackHole()
      const silent = await tarpits(pits.map(({ at }) => at))
      const other = await createTenant(app.store)
      try {
        await flood(recipients(440, (index) => `s${index}.black.example`))
        await flood(recipients(440, (index) => `d-t${index % 220}.example`))
        await flood(recipients(1_100, (index) => `t${index % 220}.example`))
        await until('half of the slots are in use', () => silent.connections() > 400)
        for (let count = 0; count < 5; count++) {
          const sentAt = performance.now()
          await sendAs(other, `r${count}@receiver.example`)
          const arrived = () =>
            app.host.mails.some((mail) => mail.recipients[0] === `r${count}@receiver.example`)
          await until('the message has arrived', arrived)
          assert.ok(performance.now() - sentAt < 20_000)
        }
        // The maximum is half of the slots, and the few slots that were reserved during a claim.
        assert.ok(silent.connections() <= 640, `${silent.connections()} connections to the tarpits`)
        assert.ok(hole.connections.length <= 5, `${hole.connections.length} connections to one address`)
      } finally {
        await silent.stop()
      }
    },
  )
})
