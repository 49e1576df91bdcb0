// Every setting that limits the SMTP ports has its effect over real connections.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SETTINGS } from '../../../src/config/settings.ts'
import { TestApp } from '../../support/app.ts'
import { RawSmtpClient } from '../../support/raw-smtp-client.ts'
import { TestClock, until } from '../../support/test-clock.ts'

interface World {
  readonly app: TestApp
  readonly clock: TestClock
  /** Connects to a port and reads its greeting. */
  knock(door: 'submission' | 'inbound', from?: string): Promise<RawSmtpClient>
  /** Returns the first reply to a new client. */
  greeting(door: 'submission' | 'inbound', from?: string): Promise<string>
}

const TURNED_AWAY = /^421 .*Too many connections/

/** Value of each setting, and a function that checks its effect. */
const LIMITS: Readonly<Record<string, readonly [string, (world: World) => Promise<void>]>> = {
  POSTRIDER_SMTP_CONNECTIONS: ['3', (world) => takesAtMost(world, 'submission', 3)],
  POSTRIDER_INBOUND_CONNECTIONS: ['3', (world) => takesAtMost(world, 'inbound', 3)],
  POSTRIDER_SMTP_NETWORK_CONNECTIONS: ['2', (world) => takesOfOneNetwork(world, 'submission', 2)],
  POSTRIDER_INBOUND_NETWORK_CONNECTIONS: ['2', (world) => takesOfOneNetwork(world, 'inbound', 2)],
  POSTRIDER_SMTP_COMMAND_TIMEOUT: [
    '30s',
    async ({ knock, clock }) => {
      const client = await knock('submission')
      clock.advance(29_000)
      assert.match(await client.ask('NOOP'), /^250/)
      clock.advance(31_000)
      assert.match(await client.reply(), /^421 4\.4\.2/)
    },
  ],
  POSTRIDER_SMTP_LOGIN_TIMEOUT: [
    '12s',
    async ({ knock, clock }) => {
      // The crowd has one connection more than half of all connections.
      const crowd = await Promise.all(
        Array.from({ length: 501 }, (_, n) => knock('submission', `127.0.6.${1 + (n % 50)}`)),
      )
      clock.advance(5_000)
      assert.match(await (crowd[0] as RawSmtpClient).ask('NOOP'), /^250/)
      clock.advance(2_000)
      await until('the silent clients are disconnected', () => crowd.slice(1).every(({ isOver }) => isOver))
      assert.equal(crowd[0]?.isOver, false)
    },
  ],
  POSTRIDER_SMTP_MALFORMED_LINES: ['3', (world) => endsAfter(world, 'FROBNICATE', 3)],
  POSTRIDER_SMTP_JUNK_COMMANDS: [
    '4',
    async ({ app }) => {
      const client = await RawSmtpClient.loggedIn(app.app.smtpsPort as number, app.playground)
      const replies: string[] = []
      for (let n = 0; n < 6 && !client.isOver; n++) replies.push(await client.ask('NOOP'))
      assert.match(replies.at(-1) ?? '', /^421 4\.7\.0|closed/)
      assert.ok(replies.length <= 5, replies.join())
    },
  ],
  POSTRIDER_SMTP_JUNK_COMMANDS_BEFORE_LOGIN: ['4', (world) => endsAfter(world, 'NOOP', 5)],
  POSTRIDER_INBOUND_NETWORK_RATE: [
    '1/h',
    async ({ knock }) => {
      const client = await knock('inbound')
      await client.ask('EHLO mx.test')
      assert.match(await client.ask('MAIL FROM:<>'), /^250/)
      await client.ask('RSET')
      assert.match(await client.ask('MAIL FROM:<>'), /^4/)
    },
  ],
  POSTRIDER_INBOUND_UNKNOWN_RATE: [
    '2/h',
    async ({ knock }) => {
      const client = await knock('inbound')
      await client.ask('EHLO mx.test')
      await client.ask('MAIL FROM:<>')
      const replies: string[] = []
      for (const name of ['a', 'b', 'c'])
        replies.push((await client.ask(`RCPT TO:<${name}@rp.sender.test>`)).slice(0, 3))
      assert.deepEqual(replies, ['550', '550', '421'])
    },
  ],
}

/** Checks that new clients beyond `most` displace an idle client. */
async function takesAtMost({ knock }: World, door: 'submission' | 'inbound', most: number): Promise<void> {
  const clients: RawSmtpClient[] = []
  for (let n = 0; n < most + 1; n++) clients.push(await knock(door, `127.0.4.${n + 1}`))
  await until('a client is disconnected', () => clients.some(({ isOver }) => isOver))
  assert.equal(clients.filter(({ isOver }) => !isOver).length <= most, true)
}

async function takesOfOneNetwork(world: World, door: 'submission' | 'inbound', most: number): Promise<void> {
  for (let n = 0; n < most; n++) await world.knock(door)
  assert.match(await world.greeting(door), TURNED_AWAY)
  assert.match(await world.greeting(door, '127.0.4.1'), /^220/)
}

async function endsAfter({ knock }: World, command: string, count: number): Promise<void> {
  for (const door of ['submission', 'inbound'] as const) {
    const client = await knock(door)
    const replies: string[] = []
    for (let n = 0; n < count + 2 && !client.isOver; n++) replies.push(await client.ask(command))
    assert.match(replies[count - 1] ?? '', /^421 4\.7\.0/, `${door}: ${replies.join(' | ')}`)
  }
}

test('every limit of the SMTP ports is tested here', () => {
  // The tests of inbound streams cover the limits of inbound streams.
  const others = /_(HOST|PORT|CERT|KEY)$|_INBOUND_(?:ACCOUNT|MAX)_/
  const names = Object.values(SETTINGS)
    .map(({ name }) => name)
    .filter((name) => /^POSTRIDER_(SMTP|INBOUND)_/.test(name) && !others.test(name))
  assert.deepEqual(names.toSorted(), Object.keys(LIMITS).toSorted())
})

for (const [name, [value, holds]] of Object.entries(LIMITS)) {
  test(`${name}=${value}`, async (t) => {
    const clock = new TestClock(Date.now())
    const app = await TestApp.start({
      clock,
      env: {
        POSTRIDER_INBOUND_PORT: '0',
        POSTRIDER_SMTPS_PORT: '0',
        POSTRIDER_RETURN_PATH_HOST: 'rp.sender.test',
        [name]: value,
      },
    })
    const clients: RawSmtpClient[] = []
    t.after(async () => {
      for (const client of clients) client.vanish()
      await app.stop()
    })
    const open = async (door: 'submission' | 'inbound', from?: string): Promise<[RawSmtpClient, string]> => {
      const port = (door === 'inbound' ? app.app.inboundPort : app.app.smtpPort) as number
      const client = await RawSmtpClient.connect(port, from)
      clients.push(client)
      return [client, await client.reply()]
    }
    await holds({
      app,
      clock,
      knock: async (door, from) => (await open(door, from))[0],
      greeting: async (door, from) => (await open(door, from))[1],
    })
  })
}
