// Clients that ask for one address as fast as they are answered.

import { Agent, get } from 'node:http'
import { answerAttack } from '../load.ts'

export interface Requests {
  readonly url: string
  readonly path: string
  readonly clients: number
  readonly forMs: number
}

answerAttack<Requests>(async ({ url, path, clients, forMs }, answers) => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const until = Date.now() + forMs
  const ask = (): Promise<string> =>
    new Promise((resolve) => {
      const asked = get(new URL(path, url), { agent, signal: AbortSignal.timeout(20_000) }, (response) => {
        response.resume().once('end', () => resolve(String(response.statusCode)))
        response.once('error', () => resolve('broken'))
      })
      asked.once('error', () => resolve('broken'))
    })
  const client = async (): Promise<void> => {
    while (Date.now() < until) answers.count(await ask())
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
})
