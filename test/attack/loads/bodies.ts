// Sends complete bodies of a repeated pattern from a number of concurrent clients.

import { Agent, request } from 'node:http'
import { answerAttack } from '../load.ts'

export interface Bodies {
  readonly url: string
  readonly path: string
  readonly key?: string
  /**
   * Beginning of the body, followed by the repeated part (`#` in the part stands for a number), the number of
   * repetitions, and the end.
   */
  readonly head: string
  readonly part: string
  readonly times: number
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
