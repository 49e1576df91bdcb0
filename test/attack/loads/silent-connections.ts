// Connections that say nothing, from many networks; those that are closed come again.

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAttack } from '../load.ts'

export interface SilentConnections {
  readonly port: number
  /** Number of addresses of 127.0.0.0/8 they come from, and of connections from each. */
  readonly networks: number
  readonly each: number
  readonly forMs: number
}

answerAttack<SilentConnections>(async ({ port, networks, each, forMs }, answers) => {
  let over = false
  const open = (localAddress: string): void => {
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    socket.on('error', () => answers.count('connection broken'))
    socket.on('data', (chunk: Buffer) => answers.count(chunk.toString('latin1', 0, 3)))
    // Not faster: a socket that goes and comes at once would be an attack on the attacker.
    socket.on('close', () => setTimeout(() => over || open(localAddress), 100))
  }
  for (let network = 1; network <= networks; network++) {
    for (let count = 0; count < each; count++) open(`127.0.1.${network}`)
    await sleep(20)
  }
  await sleep(forMs)
  over = true
})
