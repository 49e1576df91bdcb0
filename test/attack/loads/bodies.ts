// Sends complete request bodies that consist of a repeated pattern, from several concurrent clients.

import { Agent, request } from 'node:http'
import { answerAttack } from '../load.ts'

export interface Bodies {
  readonly url: string
  readonly path: string
  readonly key?: string
  /** Beginning of the body. */
  readonly head: string
  /** Repeated part of the body; `#` is replaced by the number of the repetition. */
  readonly part: string
  /** Number of repetitions of the part. */
  readonly times: number
  /** End of the body. */
  readonly tail: string
  readonly count: number
  readonly atOnce: number
}

answerAttack<Bodies>(async (given, answers) => {
  const { url, path, key, head, part, times, tail, count, atOnce } = given
  const parts = part.includes('#')
    ? Array.from({ length: times }, (_, i) => part.replaceAll('#', String(i))).join('')
    : part.repeat(times)
  const body = Buffer.from(head + parts + tail)
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    origin: new URL(url).origin,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
  const send = (): Promise<void> =>
    new Promise((resolve) => {
      const end = (answer: string): void => {
        answers.count(answer)
        resolve()
      }
      const asked = request(new URL(path, url), { method: 'POST', agent, headers }, (response) => {
        response.resume().once('end', () => end(String(response.statusCode)))
        response.once('error', () => end('broken'))
      })
      asked.once('error', () => end('broken')).end(body)
    })
  await Promise.all(Array.from({ length: count }, send))
  agent.destroy()
})
