// Clients that only perform TLS handshakes, one after another, each handshake on a new connection.

import { connect } from 'node:net'
import { connect as shakeHands } from 'node:tls'
import { answerAttack } from '../load.ts'

export interface Handshakes {
  readonly port: number
  /** Number of client addresses in 127.0.0.0/8. */
  readonly networks: number
  /** Number of clients at each address. */
  readonly each: number
  readonly forMs: number
}

answerAttack<Handshakes>(async ({ port, networks, each, forMs }, answers) => {
  const until = Date.now() + forMs
  const shake = (localAddress: string): Promise<void> =>
    new Promise((resolve) => {
      const connection = connect({ host: '127.0.0.1', port, localAddress })
      const socket = shakeHands({ socket: connection, rejectUnauthorized: false })
      socket.on('error', () => answers.count('connection broken'))
      socket.on('secureConnect', () => {
        answers.count('handshake')
        socket.destroy()
      })
      socket.on('close', () => resolve())
    })
  const client = async (localAddress: string): Promise<void> => {
    while (Date.now() < until) await shake(localAddress)
  }
  const addresses = Array.from({ length: networks }, (_, network) => `127.0.1.${network + 1}`)
  await Promise.all(addresses.flatMap((address) => Array.from({ length: each }, () => client(address))))
})
