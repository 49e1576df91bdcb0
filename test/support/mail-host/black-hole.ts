// A TCP port that neither accepts nor refuses connections.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/**
 * Program of a thread that listens but never accepts a connection; the system drops packets when the backlog is full.
 */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
const server = require('node:net').createServer().listen({ ...workerData, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

export interface BlackHole {
  readonly port: number
  stop(): Promise<void>
}

/** Opens a black hole on an address; `port` 0 selects a free port. */
export async function blackHole(host: string, port = 0): Promise<BlackHole> {
  const thread = new Worker(THREAD, { eval: true, workerData: { host, port } })
  const [taken] = (await once(thread, 'message')) as [number]
  const fillers: Socket[] = []
  // Linux accepts one connection more than the backlog.
  for (let i = 0; i < 8; i++) fillers.push(connect({ host, port: taken }).on('error', () => {}))
  await once(fillers[0]!, 'connect')
  return {
    port: taken,
    async stop() {
      for (const filler of fillers) filler.destroy()
      await thread.terminate()
    },
  }
}
