// Tests of connections by host: the number of connections, the choice of a connection for a message, and the faults of
// hosts that the pool remembers.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { messageOf, startHost } from '../../test/support/mail-host/client.ts'
import type { HostScript } from '../../test/support/mail-host/script.ts'
import { stays, until } from '../../test/support/test-clock.ts'
import { systemClock } from '../lib/clock.ts'
import { connect } from '../smtp/connection.ts'
import { ConnectionPool, DEFAULT_LIMITS, type LeaseRequest } from './pool.ts'

const pools: ConnectionPool[] = []
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.stop())))

const message = messageOf('Subject: x\r\n\r\nHello\r\n')

/**
 * Starts a host, and a pool that by default allows one connection to the host. Dialogs run in this thread, in a known
 * order.
 */
async function oneConnection(script: HostScript, limits = {}) {
  const host = await startHost({ script })
  const pool = new ConnectionPool(systemClock, { ...DEFAULT_LIMITS, perHost: 1, ...limits }, connect)
  pools.push(pool)
  const request: LeaseRequest = {
    addresses: ['127.0.0.1'],
    purpose: 'mail',
    port: host.port,
    hostName: 'mx.test',
    heloName: 'us.test',
    tls: 'never',
    // A message may be sent ahead of a reply at any round-trip time.
    aheadFromMs: 0,
  }
  const send = async (name: string): Promise<number | string | undefined> => {
    const leased = await pool.lease(request)
    if (leased.connection === undefined) return 'none'
    try {
      const { recipients } = await leased.connection.send(
        { from: 'us@us.test', recipients: [`${name}@mx.test`] },
        message,
      )
      return recipients[0]?.reply?.code ?? recipients[0]?.failure?.error?.code
    } finally {
      pool.release(leased)
    }
  }
  return { host, pool, request, send }
}

const commandsOf = (host: { connections: { commands: string[] }[] }): string[] =>
  host.connections.flatMap(({ commands }) => commands)

test('more messages than connections are sent ahead of the replies, and each arrives once', async () => {
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

test('a connection takes no more messages ahead than it may carry', async () => {
  const { host, send } = await oneConnection(() => undefined, { messagesPerConnection: 4 })
  const sent = await Promise.all(Array.from({ length: 12 }, (_, i) => send(`r${i}`)))
  assert.deepEqual(new Set(sent), new Set([250]))
  const carried = host.connections.map(
    ({ commands }) => commands.filter((line) => line === '(message)').length,
  )
  assert.deepEqual(carried, [4, 4, 4])
})

test('a host that broke off messages sent ahead gets none ahead again', async () => {
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

test('the longest unused of too many connections are closed', async () => {
  const { host, pool, send } = await oneConnection(() => undefined, { perHost: 5, maxIdle: 2 })
  assert.deepEqual(await Promise.all(['a', 'b', 'c', 'd'].map(send)), [250, 250, 250, 250])
  assert.equal(pool.open, 2)
  await send('e')
  assert.equal(host.connections.length, 4)
})

test('a connection that a waiting request cannot use is closed for it, and counts until it is closed', async () => {
  const { host, pool, request } = await oneConnection(() => undefined, { perHost: 2 })
  let most = 0
  host.script = ({ verb }) => {
    const open = host.connections.filter(({ closed, commands }) => !closed && commands.at(-1) !== 'QUIT')
    if (verb === 'CONNECT') most = Math.max(most, open.length)
    return undefined
  }
  for (let i = 0; i < 6; i++) {
    const leased = await pool.lease({ ...request, heloName: `us${i}.test` })
    assert.ok(leased.connection)
    pool.release(leased)
  }
  assert.equal(host.connections.length, 6)
  assert.equal(most, 1)
})

test('interactive verifications come first, and have a tenth of the connections reserved', async () => {
  const { pool, request } = await oneConnection(() => undefined, { perHost: 2, probesPerAddress: 2 })
  const mail = await pool.lease(request)
  assert.ok(mail.connection)
  const order: string[] = []
  const queued = (purpose: 'mail' | 'background' | 'interactive') =>
    pool.lease({ ...request, purpose, heloName: `${purpose}.test` }).then((leased) => {
      order.push(purpose)
      assert.ok(leased.connection)
      return leased
    })
  const probe = await queued('interactive')
  const others = [queued('background'), queued('mail')]
  const last = queued('interactive')
  await stays('no other has its turn', () => order.join() === 'interactive', 50)
  pool.release(mail)
  pool.release(probe)
  pool.release(await last)
  for (const one of others) pool.release(await one)
  assert.deepEqual(order, ['interactive', 'interactive', 'background', 'mail'])
})

test('a duplicate address counts once', async () => {
  const { pool, request } = await oneConnection(() => undefined, { perHost: 2 })
  for (let turn = 0; turn < 5; turn++) {
    const leased = await pool.lease({ ...request, addresses: ['127.0.0.1', '127.0.0.1'], fresh: true })
    assert.ok(leased.connection !== undefined, `turn ${turn}`)
    leased.connection.destroy()
    pool.release(leased)
    await until('the connection is closed', () => pool.open === 0)
  }
})

test('a request that leaves the line for a pause passes on the connection it was woken for', async () => {
  const { pool, request } = await oneConnection(() => undefined)
  const both = { ...request, addresses: ['127.0.0.1', '127.0.0.2'] }
  const first = await pool.lease(both)
  assert.ok(first.connection !== undefined)
  const paused = pool.lease(request)
  const next = pool.lease(both)
  await turn()
  // The refusal of a probe pauses only this address.
  const objection = { stage: 'rcpt', reply: { code: 421, text: 'slow down' } } as const
  pool.hosts.note('127.0.0.1', request.port, 'background', objection)
  pool.release(first)
  assert.equal((await paused).failure?.error?.message, 'The host asked for a pause')
  const second = await next
  assert.ok(second.connection !== undefined)
  pool.release(second)
})

test('a request waits for an address without a slot if the others cannot be reached', async () => {
  const { host, pool, request } = await oneConnection(() => undefined)
  const other = await pool.lease({ ...request, hostName: 'mx.other.test' })
  assert.ok(other.connection !== undefined)
  const failed: string[][] = []
  const waiting = pool.lease({
    ...request,
    // The second address has a free slot, but no host listens at this address.
    addresses: ['127.0.0.1', '127.0.0.99'],
    onFailure: (_, dialled) => failed.push([...dialled]),
  })
  await until('the address with a slot was dialled', () => failed.length === 1)
  pool.release(other)
  const leased = await waiting
  assert.ok(leased.connection !== undefined)
  assert.equal(leased.connection.address, '127.0.0.1')
  assert.deepEqual(failed, [['127.0.0.99']])
  assert.equal(host.connections.length, 2)
  pool.release(leased)
})
