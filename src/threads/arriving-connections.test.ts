// Tests that connections that arrive together at a busy event loop are accepted together, and that work does not wait
// for long.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { thorough } from '../../test/support/thorough.ts'
import { takeTogether } from './arriving-connections.ts'
import { eventLoopBudget } from './event-loop-budget.ts'

const CLIENTS = 64
/** Duration in milliseconds of one piece of work, which makes a turn long. */
const WORK_MS = 10

describe('connections that arrive together', () => {
  const ends: (() => void)[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })

  /** Keeps each turn of the event loop busy; returns a function that returns the number of finished pieces of work. */
  function keepBusy(): () => number {
    let pieces = 0
    let isOver = false
    const work = (): void => {
      if (isOver) return
      pieces++
      for (const until = performance.now() + WORK_MS; performance.now() < until; );
      eventLoopBudget.putOff(work)
    }
    eventLoopBudget.putOff(work)
    ends.push(() => {
      isOver = true
    })
    return () => pieces
  }

  /**
   * Connects clients at the same time; returns the number of pieces of work between the first and the last connection.
   */
  async function workBetween(done: () => number, prepare: typeof takeTogether): Promise<number> {
    const server = createServer((socket) => socket.on('error', () => {}))
    prepare(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const clients = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1').on('error', () => {}))
    ends.push(() => {
      for (const client of clients) client.destroy()
      server.close()
    })
    await once(server, 'connection')
    const before = done()
    for (let taken = 1; taken < CLIENTS; taken++) await once(server, 'connection')
    return done() - before
  }

  test(
    'do not each wait for a turn of work',
    thorough('0.7 CPU s; the other tests of the file cover the common cases'),
    async () => {
      const done = keepBusy()
      assert.ok((await workBetween(done, () => {})) >= CLIENTS - 2, 'the event loop hands on one in a turn')
      const between = await workBetween(done, takeTogether)
      assert.ok(between < CLIENTS / 2, `${between} pieces of work were done between them`)
    },
  )

  test('work goes on during endless connections', async () => {
    const done = keepBusy()
    const server = createServer((socket) => socket.on('error', () => {}).destroy())
    takeTogether(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    let isOver = false
    const call = (): void => {
      if (!isOver)
        connect(port, '127.0.0.1')
          .on('error', () => {})
          .once('close', call)
    }
    for (let client = 0; client < 32; client++) call()
    ends.push(() => {
      isOver = true
      server.close()
    })
    const before = done()
    const startedAt = performance.now()
    while (done() < before + 30) await once(server, 'connection')
    const share = ((done() - before) * WORK_MS) / (performance.now() - startedAt)
    assert.ok(share > 0.2, `work had ${share} of the time`)
  })
})
