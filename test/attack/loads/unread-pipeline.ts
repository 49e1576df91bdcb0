// Connections that pipeline requests in one write and leave the answers unread for a while.

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAttack } from '../load.ts'

export interface UnreadPipeline {
  readonly url: string
  readonly connections: number
  /** One request with its empty line, and how often each connection sends it. */
  readonly request: string
  readonly times: number
  /** Time for which nothing is read, and time for which the answers are read then. */
  readonly unreadMs: number
  readonly readMs: number
}

answerAttack<UnreadPipeline>(async (given, answers) => {
  const { hostname, port } = new URL(given.url)
  const octets = given.request.repeat(given.times)
  const sockets = Array.from({ length: given.connections }, () => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => answers.count('connection broken')).pause()
    socket.write(octets)
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
