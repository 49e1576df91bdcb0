// Tests uploads: a client that disconnects during an upload causes no server error, and all memory of the upload is
// released.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { until } from '../../test/support/test-clock.ts'
import { ContentMemory } from '../lib/content-memory.ts'
import { Problem } from '../model/problem.ts'
import { BodyMemory, Uploads } from './body-upload.ts'

const MIB = 1024 * 1024
const TOTAL = 4 * MIB

describe('uploads', () => {
  const memory = new ContentMemory(TOTAL)
  const uploads = new Uploads()
  const outcomes: (Problem | number)[] = []
  const server = createServer((request, response) => {
    const held = new BodyMemory(memory, 'account')
    const options = { limit: 2 * MIB, tooLarge: () => new Problem('body_too_large', 'Too large.') }
    uploads.collect(request, held, options, (error, body) => {
      outcomes.push((error as Problem | null) ?? body?.length ?? 0)
      held.release()
      response.end()
    })
  })
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    uploads.stop()
    server.closeAllConnections()
    server.close()
  })

  /**
   * Sends the first part of a body with an announced length of 1 MiB, and disconnects after the server has read this
   * part.
   */
  async function goAway(sent: number): Promise<void> {
    const { port } = server.address() as AddressInfo
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => {})
    const text = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${MIB}\r\n\r\n${'x'.repeat(sent)}`
    socket.write(text)
    const [request] = (await once(server, 'request')) as [IncomingMessage]
    await until('the first part is read', () => request.socket.bytesRead === text.length)
    const count = outcomes.length
    socket.destroy()
    await until('the outcome is known', () => outcomes.length > count)
  }

  for (const sent of [0, 1, 100_000, 300_000, 900_000]) {
    test(`a client that disconnects after ${sent} bytes is no server error, and all memory is released`, async () => {
      await goAway(sent)
      const problem = outcomes.at(-1)
      assert.ok(problem instanceof Problem)
      // A response with a status below 500 is never logged as an error.
      assert.equal(problem.status, 400)
      const all = new BodyMemory(memory, 'other')
      assert.ok(all.hold(TOTAL))
      all.release()
    })
  }
})
