// Clients that send POST requests, either as fast as the service responds or at a fixed interval.

import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAttack } from '../load.ts'

export interface Posts {
  readonly url: string
  readonly key: string
  readonly path: string
  /** Body of each request; `#` is replaced by a number that differs in each request. */
  readonly body: string
  readonly clients: number
  readonly forMs: number
  /** Interval between the POST requests of each client; a client with an interval does not wait for responses. */
  readonly everyMs?: number
}

answerAttack<Posts>(async ({ url, key, path, body, clients, forMs, everyMs }, answers) => {
  const agent = new Agent({ keepAlive: true })
  const until = Date.now() + forMs
  let number = 0
  const post = (): Promise<void> =>
    new Promise((resolve) => {
      const text = body.replaceAll('#', () => String(number++))
      const ended = (answer: string): void => {
        answers.count(answer)
        resolve()
      }
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }
      const signal = AbortSignal.timeout(60_000)
      const asked = request(new URL(path, url), { method: 'POST', agent, headers, signal }, (response) => {
        response.resume().once('end', () => ended(String(response.statusCode)))
        response.once('error', () => ended('broken'))
      })
      asked.once('error', () => ended('broken')).end(text)
    })
  const client = async (): Promise<void> => {
    const posted: Promise<void>[] = []
    while (Date.now() < until) {
      const answered = post()
      if (everyMs === undefined) await answered
      else {
        posted.push(answered)
        await sleep(everyMs)
      }
    }
    // A client with an interval waits at most a second for the last responses.
    if (everyMs !== undefined) await Promise.race([Promise.all(posted), sleep(1_000)])
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
})
