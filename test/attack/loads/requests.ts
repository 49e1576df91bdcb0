// Clients that ask for one address as fast as they are answered.

import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAttack } from '../load.ts'

export interface Requests {
  readonly url: string
  /** Asked for in turns where they are several. */
  readonly path: string | readonly string[]
  /** Key of the one who asks, where there is one. */
  readonly key?: string
  readonly clients: number
  readonly forMs: number
}

answerAttack<Requests>(async ({ url, path, key, clients, forMs }, answers) => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const until = Date.now() + forMs
  const paths = [path].flat()
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  let number = 0
  const ask = (): Promise<string> =>
    new Promise((resolve) => {
      const next = new URL(paths[number++ % paths.length] as string, url)
      const options = { agent, headers, signal: AbortSignal.timeout(60_000) }
      const asked = get(next, options, (response) => {
        response.resume().once('end', () => resolve(String(response.statusCode)))
        response.once('error', () => resolve('broken'))
      })
      asked.once('error', () => resolve('broken'))
    })
  const client = async (): Promise<void> => {
    while (Date.now() < until) answers.count(await ask())
  }
  // What is not answered by then is given up: files take long.
  await Promise.race([Promise.all(Array.from({ length: clients }, client)), sleep(forMs + 1_000)])
  agent.destroy()
})
