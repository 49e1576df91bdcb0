// Client of the dashboard for measurements: logs in as the user of the playground, and repeats requests.

import { setTimeout } from 'node:timers/promises'
import type { Node } from './rig.ts'

const TIMES = 30
const PAUSE_MS = 500

/** Client of the dashboard with the session of a user. */
export class Page {
  readonly #url: string
  readonly #cookie: string

  private constructor(url: string, cookie: string) {
    this.#url = url
    this.#cookie = cookie
  }

  static async open({ started: { url, playground } }: Node): Promise<Page> {
    const answer = await fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify(playground.dashboard_login),
    })
    const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0]
    if (answer.status !== 200 || cookie === undefined)
      throw new Error(`the login was refused: ${answer.status}`)
    return new Page(url, cookie)
  }

  /**
   * Repeats a request; returns the number of rows in the response, and the response times in milliseconds. Waits and
   * retries if the rate limit rejects a request.
   */
  async measure(path: string, count = TIMES): Promise<{ rows: number; times: number[] }> {
    const times: number[] = []
    let rows = 0
    while (times.length < count) {
      const startedAt = performance.now()
      const answer = await fetch(`${this.#url}${path}`, { headers: { cookie: this.#cookie } })
      const body = (await answer.json()) as Partial<Record<'data' | 'buckets' | 'messages', unknown[]>>
      if (answer.status === 429) {
        await setTimeout(PAUSE_MS)
        continue
      }
      times.push(performance.now() - startedAt)
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`)
      rows = (body.data ?? body.buckets ?? body.messages ?? []).length
    }
    return { rows, times }
  }
}
