// Tests the input of a connection: requests in small pieces, bodies in short turns, and bytes that arrive too early.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { stays, until } from '../../test/support/test-clock.ts'
import { ConnectionInput, type InputState } from './connection-input.ts'

const SMALL = 4_096

describe('the input of a connection', () => {
  const server = createServer({ pauseOnConnect: true })
  const sockets: Socket[] = []
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  /**
   * Opens a connection whose input is parsed by `parse`; `initial` is the state that the owner of the connection
   * reports.
   */
  async function connection(initial: InputState, parse: (bytes: Buffer, taken: Socket) => void = () => {}) {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [taken] = (await once(server, 'connection')) as [Socket]
    sockets.push(client, taken)
    const seen = { state: initial, pieces: [] as Buffer[], early: 0, later: [] as (() => void)[] }
    taken.on('data', (bytes: Buffer) => {
      seen.pieces.push(bytes)
      parse(bytes, taken)
    })
    const input = new ConnectionInput(taken, {
      state: () => seen.state,
      later: (work) => void seen.later.push(work),
      onEarly: () => seen.early++,
    })
    const length = (): number => seen.pieces.reduce((sum, { length }) => sum + length, 0)
    return { client, taken, input, seen, length }
  }

  test('possible requests arrive in small pieces, and a body in the pieces of the network', async () => {
    const { client, taken, seen, length } = await connection('request')
    const sent = Buffer.from(Array.from({ length: 50_000 }, (_, i) => i % 251))
    client.write(sent)
    await until('the bytes are sent', () => client.writableLength === 0)
    taken.resume()
    await until('all bytes have arrived', () => length() === sent.length)
    assert.deepEqual(Buffer.concat(seen.pieces), sent)
    assert.ok(seen.pieces.every((piece) => piece.length <= SMALL))

    const body = await connection('body')
    body.client.write(sent)
    await until('the bytes are sent', () => body.client.writableLength === 0)
    body.taken.resume()
    await until('all bytes have arrived or wait for a turn', () => {
      for (const work of body.seen.later.splice(0)) work()
      return body.length() === sent.length
    })
    assert.ok(body.seen.pieces.some((piece) => piece.length > SMALL))
  })

  test('bytes before the answer are dropped, and so are all later ones', async () => {
    const { client, taken, input, seen, length } = await connection('request')
    taken.resume()
    client.write('first')
    await until('the first request has arrived', () => length() === 5)
    seen.state = 'answering'
    client.write('second')
    await until('the early bytes are found', () => seen.early === 1)
    assert.equal(input.isEarly, true)
    seen.state = 'request'
    input.goOn()
    client.write('third')
    await until('all bytes are read', () => taken.bytesRead === 16)
    await stays('nothing more is parsed', () => length() === 5, 50)
    assert.equal(seen.early, 1)
  })

  test('an endless stream of bytes before the answer is not read', async () => {
    const { client, taken, seen } = await connection('answering')
    taken.resume()
    client.write(Buffer.alloc(16_000_000))
    await until('the early bytes are found', () => seen.early === 1)
    await stays('the rest stays unread', () => taken.bytesRead < 1_000_000, 100)
  })

  test('the next request waits until the answer before it is sent', async () => {
    const { client, taken, input, seen, length } = await connection('answered')
    taken.resume()
    client.write('next')
    await until('the bytes are read', () => taken.bytesRead === 4)
    await stays('they are not parsed', () => length() === 0, 50)
    assert.equal(input.isEarly, false)
    seen.state = 'request'
    input.goOn()
    assert.equal(length(), 4)
    client.write('and one more')
    await until('the connection is read again', () => length() === 16)
  })

  test('a deferred body continues at its turn, by one piece at least', async () => {
    const work = (ms: number): void => {
      for (const until = performance.now() + ms; performance.now() < until; );
    }
    const { client, taken, seen, length } = await connection('body', () => work(5))
    const sent = 400_000
    client.write(Buffer.alloc(sent))
    taken.resume()
    let turns = 0
    await until('all bytes have arrived', () => {
      const due = seen.later.splice(0)
      assert.ok(due.length <= 1, 'one piece of work waits at most')
      const before = seen.pieces.length
      for (const one of due) {
        work(5)
        one()
        turns++
        assert.ok(seen.pieces.length > before)
      }
      return length() === sent
    })
    assert.ok(turns > 0, 'no body was deferred')
  })

  test('a body that no handler reads is not read from the connection, at any number of turns', async () => {
    const { client, taken, seen } = await connection('body', (_bytes, socket) => socket.pause())
    taken.resume()
    client.write(Buffer.alloc(8_000_000))
    await until('the first bytes are read', () => taken.bytesRead > 0)
    for (let turns = 0; turns < 500; turns++) {
      for (const one of seen.later.splice(0)) one()
      await nextTurn()
    }
    assert.ok(taken.bytesRead < 1_000_000, `${taken.bytesRead} were read`)
  })

  test('nothing is parsed after a malformed request', async () => {
    const { client, taken, length } = await connection('request', (_bytes, socket) => socket.end('400'))
    client.write(Buffer.alloc(10 * SMALL))
    await until('the bytes are sent', () => client.writableLength === 0)
    taken.resume()
    await until('all bytes are read', () => taken.bytesRead === 10 * SMALL)
    await stays('one piece is parsed', () => length() === SMALL, 50)
  })
})
