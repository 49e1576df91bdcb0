// The input of a connection: bodies in large pieces, requests in small ones, and no more than is wanted.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { until } from '../../test/support/test-clock.ts'
import { PacedInput } from './paced-input.ts'

const SMALL = 4_096

describe('paced input', () => {
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

  /** Both ends of a connection. */
  async function pair(): Promise<{ client: Socket; taken: Socket }> {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [taken] = (await once(server, 'connection')) as [Socket]
    sockets.push(client, taken)
    return { client, taken }
  }

  test('a body comes in large pieces, and what may be requests in small ones', async () => {
    const { client, taken } = await pair()
    const input = new PacedInput(taken, {
      isHeld: () => false,
      isForLater: () => false,
      isInBody: () => false,
    })
    const [body, behind] = [500_000, 100_000]
    const pieces: Buffer[] = []
    let length = 0
    taken.on('data', (piece: Buffer) => {
      if (length === 0) input.expectBody(body)
      pieces.push(piece)
      length += piece.length
    })
    taken.resume()
    const sent = Buffer.from(Array.from({ length: body + behind }, (_, i) => i % 251))
    client.write(sent)
    await until('all has come', () => length === sent.length)
    assert.deepEqual(Buffer.concat(pieces), sent)
    let at = 0
    for (const piece of pieces) {
      assert.ok(at + piece.length <= body || piece.length <= SMALL, `${piece.length} octets at ${at}`)
      at += piece.length
    }
    assert.ok(pieces.some((piece) => piece.length > SMALL))
  })

  test('a body of known length comes in one piece behind its header', async () => {
    const { client, taken } = await pair()
    const [header, body] = ['POST / HTTP/1.1\r\nContent-Length: 20000\r\n\r\n', 20_000]
    const input = new PacedInput(taken, {
      isHeld: () => false,
      isForLater: () => false,
      isInBody: () => false,
    })
    const pieces: number[] = []
    taken.on('data', (piece: Buffer) => {
      if (piece.includes('\r\n\r\n')) input.expectBody(body)
      pieces.push(piece.length)
    })
    // Before it is read, so that it comes at once; another request follows.
    client.write(Buffer.concat([Buffer.from(header), Buffer.alloc(body), Buffer.from(header)]))
    await until('it has been sent', () => client.writableLength === 0)
    taken.resume()
    await until('all has come', () => pieces.reduce((sum, one) => sum + one, 0) === 2 * header.length + body)
    assert.deepEqual(pieces, [header.length, body, header.length])
  })

  test('within a body nothing is looked for that ends a header', async () => {
    const { client, taken } = await pair()
    new PacedInput(taken, { isHeld: () => false, isForLater: () => false, isInBody: () => true })
    const pieces: number[] = []
    taken.on('data', (piece: Buffer) => pieces.push(piece.length))
    taken.resume()
    client.write('\r\n\r\n'.repeat(SMALL))
    await until('all has come', () => pieces.reduce((sum, one) => sum + one, 0) === 4 * SMALL)
    assert.ok(pieces.length < 20, `${pieces.length} pieces`)
  })

  test('what is for later waits for its turn, in which one piece goes on at least', async () => {
    const { client, taken } = await pair()
    const input = new PacedInput(taken, {
      isHeld: () => false,
      isForLater: () => true,
      isInBody: () => false,
    })
    let length = 0
    taken.on('data', (piece: Buffer) => {
      length += piece.length
    })
    taken.resume()
    client.write(Buffer.alloc(3 * SMALL))
    await until('it has been read', () => taken.bytesRead === 3 * SMALL)
    assert.equal(length, 0)
    for (const expected of [SMALL, 2 * SMALL, 3 * SMALL]) {
      input.goOn()
      assert.equal(length, expected)
    }
  })

  test('a stream that is paused is not read on, however often it could go on', async () => {
    const { client, taken } = await pair()
    const input = new PacedInput(taken, {
      isHeld: () => false,
      isForLater: () => true,
      isInBody: () => false,
    })
    taken.on('data', () => taken.pause())
    taken.resume()
    client.write(Buffer.alloc(8_000_000))
    await until('it has been read', () => taken.bytesRead > 0)
    for (let turns = 0; turns < 2_000; turns++) {
      input.goOn()
      await nextTurn()
    }
    assert.ok(taken.bytesRead < 1_000_000, `${taken.bytesRead} were read`)
  })
})
