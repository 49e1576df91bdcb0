// Connections that pipeline many requests in one write, and do not read the responses for some time.

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAttack } from '../load.ts'

export interface UnreadPipeline {
  readonly url: string
  readonly connections: number
  /** Complete text of one request, with the final empty line. */
  readonly request: string
  /** Number of repetitions of the request on each connection. */
  readonly times: number
  /** Time during which the client reads no response. */
  readonly unreadMs: number
  /** Time during which the client reads the responses after `unreadMs`. */
  readonly readMs: number
}

answerAttack<UnreadPipeline>(async (given, answers) => {
  const { hostname, port } = new URL(given.url)
  const pipelined = given.request.repeat(given.times)
  const sockets = Array.from({ length: given.connections }, () => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => answers.count('connection broken')).pause()
    socket.write(pipelined)
    return socket
  })
  await sleep(given.unreadMs)
  for (const socket of sockets) {
    socket.on('data', (chunk: Buffer) => {
      for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g))
        answers.count(status!)
    })
    socket.resume()
  }
  await sleep(given.readMs)
  for (const socket of sockets) socket.destroy()
})
