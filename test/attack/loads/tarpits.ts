// Runs mail hosts that reply to each command after 50 seconds (tarpits), and clients that send messages to the domains
// of these hosts.

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAttack } from '../load.ts'

export interface Tarpits {
  readonly url: string
  readonly key: string
  readonly from: string
  readonly port: number
  /** IP addresses of the tarpits. */
  readonly addresses: readonly string[]
  /** Recipient domains, used in turn; each message has five recipients at one domain. */
  readonly domains: readonly string[]
  readonly messages: number
  /** Duration of the tarpits. */
  readonly forMs: number
}

const SLOW_MS = 50_000
const AT_ONCE = 20

answerAttack<Tarpits>(async (given, answers) => {
  const { url, key, from, port, addresses, domains, messages, forMs } = given
  const over = sleep(forMs)
  const pit = (socket: Socket): void => {
    socket.on('error', () => {})
    socket.write('220 tar.test\r\n')
    socket.on('data', () => setTimeout(() => socket.write('250 ok\r\n'), SLOW_MS))
  }
  await Promise.all(addresses.map((address) => once(createServer(pit).listen(port, address), 'listening')))
  let next = 0
  const client = async (): Promise<void> => {
    for (let index = next++; index < messages; index = next++) {
      const domain = domains[index % domains.length]
      const to = Array.from({ length: 5 }, (_, recipient) => ({ email: `r${index}-${recipient}@${domain}` }))
      const { status } = await fetch(new URL('/v1/messages', url), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ from, to, subject: 'Slow', text: 'Slow' }),
      })
      answers.count(String(status))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  await over
})
