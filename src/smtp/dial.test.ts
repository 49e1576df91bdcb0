import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, test } from 'node:test'
import { KEPT_BY_AN_ANSWER_MS } from '../../test/support/limits.ts'
import { type BlackHole, blackHole } from '../../test/support/mail-host/black-hole.ts'
import { type DialOptions, dial } from './dial.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some((it) => it.address === '::1'))
const ipv6 = { skip: hasIpv6 ? false : 'this machine has no IPv6' }

const servers: Server[] = []
const holes: BlackHole[] = []
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
  await Promise.all(holes.splice(0).map((hole) => hole.stop()))
})

/** Starts a TCP server that records the sockets of connecting clients. */
async function listen(host: string, port = 0): Promise<{ port: number; peers: Socket[] }> {
  const peers: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    peers.push(socket)
    socket.on('error', () => {})
  })
  servers.push(server.listen(port, host))
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, peers }
}

async function swallow(host: string, port: number): Promise<void> {
  holes.push(await blackHole(host, port))
}

/** Timeout far longer than any of these tests takes on a busy machine. */
const TIMEOUT_MS = KEPT_BY_AN_ANSWER_MS

async function dialled(options: Partial<DialOptions> & Pick<DialOptions, 'addresses' | 'port'>) {
  const notes: string[] = []
  const started = performance.now()
  const result = await dial({ timeoutMs: TIMEOUT_MS, note: (text) => notes.push(text), ...options })
  if ('socket' in result) sockets.push(result.socket)
  return { result, notes, ms: performance.now() - started }
}

describe('of several addresses', () => {
  test('IPv6 is used if it answers', ipv6, async () => {
    const { port } = await listen('127.0.0.1')
    await listen('::1', port)
    const { result } = await dialled({ addresses: ['127.0.0.1', '::1'], port })
    assert.ok('socket' in result)
    assert.equal(result.address, '::1')
  })

  test('one that drops packets delays by the head start only, and is abandoned then', ipv6, async () => {
    const { port } = await listen('127.0.0.1')
    await swallow('::1', port)
    const { result, ms } = await dialled({ addresses: ['127.0.0.1', '::1'], port })
    assert.ok('socket' in result)
    assert.equal(result.address, '127.0.0.1')
    assert.ok(ms >= 200 && ms < TIMEOUT_MS / 2, `${ms} ms`)
  })

  test('one that refuses delays nothing', async () => {
    const { port } = await listen('127.0.0.1')
    // The head starts of these addresses add up to twice the timeout.
    const refusing = Array.from({ length: 160 }, (_, index) => `127.0.0.${index + 2}`)
    const { result, notes } = await dialled({ addresses: [...refusing, '127.0.0.1'], port })
    assert.ok('socket' in result)
    assert.equal(result.address, '127.0.0.1')
    assert.match(notes.join(), /ECONNREFUSED 127\.0\.0\.2/)
  })

  test('families take turns, each in its order', ipv6, async () => {
    const { port } = await listen('127.0.0.1')
    const order: string[] = []
    await dial({
      addresses: ['127.0.0.2', '127.0.0.3', '::1', '127.0.0.1'],
      port,
      timeoutMs: TIMEOUT_MS,
      note: (text) => order.push(text.replace(/^.*REFUSED |:\d+$/g, '')),
    }).then((result) => 'socket' in result && sockets.push(result.socket))
    assert.deepEqual(order, ['::1', '127.0.0.2', '127.0.0.3'])
  })

  test('the failure of all addresses is reported with the error of the host', async () => {
    const { port } = await listen('127.0.0.1')
    const { result } = await dialled({ addresses: ['127.0.0.2', '2001:db8::1'], port })
    assert.ok('code' in result)
    assert.equal(result.code, 'refused')
  })
})

describe('the time', () => {
  test('is bounded in total', async () => {
    const { port } = await listen('127.0.0.1')
    await swallow('127.0.0.2', port)
    const { result } = await dialled({ addresses: ['127.0.0.2'], port, timeoutMs: 100 })
    assert.deepEqual(result, { code: 'timeout', message: 'No connection in time' })
  })

  test('can be aborted', async () => {
    const { port } = await listen('127.0.0.1')
    await swallow('127.0.0.2', port)
    const end = new AbortController()
    const ended = dialled({ addresses: ['127.0.0.2'], port, signal: end.signal })
    end.abort()
    const { result } = await ended
    assert.ok('code' in result)
    assert.equal(result.code, 'timeout')
  })
})

describe('sources', () => {
  test('are used as source addresses', async () => {
    const { port, peers } = await listen('127.0.0.1')
    const source = { address: '127.0.0.5', heloName: 'five.test' }
    const { result } = await dialled({ addresses: ['127.0.0.1'], port, sources: { ipv4: source } })
    assert.ok('socket' in result)
    assert.deepEqual(result.source, source)
    if (peers.length === 0) await once(servers[0]!, 'connection')
    assert.equal(peers[0]?.remoteAddress, '127.0.0.5')
  })

  test('of one family exclude the other family', async () => {
    const { port } = await listen('127.0.0.1')
    const sources = { ipv4: { address: '127.0.0.1' } }
    const both = await dialled({ addresses: ['::1', '127.0.0.1'], port, sources })
    assert.ok('socket' in both.result)
    assert.deepEqual(both.notes, [])
    const { result } = await dialled({ addresses: ['::1'], port, sources })
    assert.ok('code' in result)
    assert.equal(result.code, 'local')
    assert.match(result.message, /another family/)
  })
})
