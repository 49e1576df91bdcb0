// Attack: silent connections occupy every connection slot of the SMTP listeners while new clients connect.

import { setTimeout as sleep } from 'node:timers/promises'
import { RawSmtpClient } from '../../support/raw-smtp-client.ts'
import type { SilentConnections } from '../loads/silent-connections.ts'
import { type Answered, type Attacked, type Recipe, together } from '../recipe.ts'

const FOR_MS = 15_000

/** Submits a message from a new client address; returns the last SMTP reply. */
async function submit({ smtpsPort, accomplice }: Attacked, address: string): Promise<string> {
  const from = `a@${accomplice.domain.name}`
  const client = await RawSmtpClient.loggedIn(smtpsPort, accomplice, address)
  const reply = await client.deliver(from, ['b@receiver.test'], `From: ${from}\r\n\r\nHello`)
  client.vanish()
  return reply
}

/** Sends RCPT TO with a local recipient to the inbound port, from a new client address; returns the last SMTP reply. */
async function bring({ inboundPort }: Attacked, address: string): Promise<string> {
  const client = await RawSmtpClient.connect(inboundPort, address)
  let reply = await client.reply()
  for (const line of ['EHLO mx.test', 'MAIL FROM:<>', 'RCPT TO:<postmaster>']) {
    if (/^2/.test(reply)) reply = await client.ask(line)
  }
  client.vanish()
  return reply
}

/** Connects repeatedly from new client addresses; throws if the service rejects a client. */
async function newcomers(attacked: Attacked): Promise<void> {
  const until = Date.now() + FOR_MS
  for (let count = 1; Date.now() < until; count++) {
    for (const visit of [submit, bring]) {
      const reply = await visit(attacked, `127.0.9.${count}`)
      if (!reply.startsWith('250')) throw new Error(`client ${count} got the reply ${reply}`)
    }
    await sleep(200)
  }
}

export const recipe: Recipe = {
  sentence:
    '20 networks hold 50 silent connections each to submission, 25 networks hold 20 each to inbound, and reconnect.',
  async run(attacked): Promise<Answered> {
    const { smtpPort, inboundPort, load } = attacked
    const hold = (port: number, networks: number, each: number): Promise<Answered> =>
      load('silent-connections.ts', {
        port,
        networks,
        each,
        forMs: FOR_MS + 1_000,
      } satisfies SilentConnections)
    const held = together(hold(smtpPort, 20, 50), hold(inboundPort, 25, 20))
    await sleep(1_500)
    await newcomers(attacked)
    return held
  },
}
