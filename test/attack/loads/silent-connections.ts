// Opens connections from many networks and sends no data; a connection that the server closes is opened again.

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAttack } from '../load.ts'

export interface SilentConnections {
  readonly port: number
  /** Number of client addresses in 127.0.0.0/8. */
  readonly networks: number
  /** Number of connections from each client address. */
  readonly each: number
  readonly forMs: number
}

answerAttack<SilentConnections>(async ({ port, networks, each, forMs }, answers) => {
  let over = false
  const open = (localAddress: string): void => {
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    socket.on('error', () => answers.count('connection broken'))
    socket.on('data', (chunk: Buffer) => answers.count(chunk.toString('latin1', 0, 3)))
    // The pause prevents the attacker from overloading its own process with new sockets.
    socket.on('close', () => setTimeout(() => over || open(localAddress), 100))
  }
  for (let network = 1; network <= networks; network++) {
    for (let count = 0; count < each; count++) open(`127.0.1.${network}`)
    await sleep(20)
  }
  await sleep(forMs)
  over = true
})
