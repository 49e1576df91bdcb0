// Clients that send GET requests as fast as the service responds.

import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAttack } from '../load.ts'

export interface Requests {
  readonly url: string
  /** Path of the requests; several paths are requested in turn. */
  readonly path: string | readonly string[]
  /** API key of the requests; undefined for unauthenticated requests. */
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
  // Unfinished requests are abandoned a second after the end, because file downloads take long.
  await Promise.race([Promise.all(Array.from({ length: clients }, client)), sleep(forMs + 1_000)])
  agent.destroy()
})
