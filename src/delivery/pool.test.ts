// Connections by host: how many, which one a message gets, and what is remembered of a host.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { messageOf, startHost } from '../../test/support/mail-host-client.ts'
import type { HostScript } from '../../test/support/mail-host-script.ts'
import type { ConnectOptions } from '../smtp/connection.ts'
import { ConnectionPool, DEFAULT_LIMITS } from './pool.ts'

const pools: ConnectionPool[] = []
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())))

const message = messageOf('Subject: x\r\n\r\nHello\r\n')

/** A host, and a way to send to it over a pool with one connection unless told. */
async function oneConnection(script: HostScript, limits = {}) {
  const host = await startHost({ script })
  const pool = new ConnectionPool({ ...DEFAULT_LIMITS, perHost: 1, ...limits })
  pools.push(pool)
  const options: ConnectOptions = {
    address: '127.0.0.1',
    port: host.port,
    hostName: 'mx.test',
    heloName: 'us.test',
    tls: 'never',
    // The host is near.
    aheadFromMs: 0,
  }
  const send = async (name: string): Promise<number | string | undefined> => {
    const { connection } = await pool.lease(options)
    if (connection === undefined) return 'none'
    try {
      const { recipients } = await connection.send(
        { from: 'us@us.test', recipients: [`${name}@mx.test`] },
        message,
      )
      return recipients[0]?.reply?.code ?? recipients[0]?.failure?.error?.code
    } finally {
      pool.giveBack(options, connection)
    }
  }
  return { host, pool, send }
}

const commandsOf = (host: { connections: { commands: string[] }[] }): string[] =>
  host.connections.flatMap(({ commands }) => commands)

test('more messages than connections go ahead of the answers, and all arrive once', async () => {
  const { host, pool, send } = await oneConnection(({ verb }) =>
    verb === 'BDAT' ? { reply: '250 2.0.0 Ok', delayMs: 5 } : undefined,
  )
  const names = Array.from({ length: 40 }, (_, i) => `r${i}`)
  assert.deepEqual(new Set(await Promise.all(names.map(send))), new Set([250]))
  assert.equal(host.connections.length, 1)
  assert.equal(new Set(host.mails.map(({ recipients }) => recipients[0])).size, 40)
  const behind = commandsOf(host).filter((line) => line === 'RSET').length
  assert.ok(behind >= 30, `${behind} of 39 went ahead`)
  assert.equal(pool.open, 1)
})

test('no further ahead than a connection may carry messages', async () => {
  const { host, send } = await oneConnection(() => undefined, { messagesPerConnection: 4 })
  const sent = await Promise.all(Array.from({ length: 12 }, (_, i) => send(`r${i}`)))
  assert.deepEqual(new Set(sent), new Set([250]))
  const carried = host.connections.map(
    ({ commands }) => commands.filter((line) => line === '(message)').length,
  )
  assert.deepEqual(carried, [4, 4, 4])
})

test('a host that breaks off what went ahead is not sent ahead again', async () => {
  let broken = false
  const { host, send } = await oneConnection(({ verb, connection }) => {
    if (verb !== 'BDAT' || broken || connection.commands.filter((line) => line === '(message)').length < 2)
      return
    broken = true
    return { reply: '250 2.0.0 Ok', after: 'close' }
  })
  await send('first')
  const sent = await Promise.all(['a', 'b', 'c'].map(send))
  assert.deepEqual(sent, [250, 'closed', 'closed'])
  const before = commandsOf(host).filter((line) => line === 'RSET').length
  await send('again')
  assert.deepEqual(new Set(await Promise.all(['d', 'e', 'f'].map(send))), new Set([250]))
  assert.equal(commandsOf(host).filter((line) => line === 'RSET').length, before)
})

test('of very many unused connections the longest unused go', async () => {
  const { host, pool, send } = await oneConnection(() => undefined, { perHost: 5, mostIdle: 2 })
  assert.deepEqual(await Promise.all(['a', 'b', 'c', 'd'].map(send)), [250, 250, 250, 250])
  assert.equal(pool.open, 2)
  await send('e')
  assert.equal(host.connections.length, 4)
})
