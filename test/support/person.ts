// A user at the dashboard: calls its API as their browser would, with its cookie and its origin.

import type { Answer, TestApp } from './app.ts'

/** A browser that keeps the cookies that it is given. */
export class Person {
  readonly #app: TestApp
  /** `name=value`; empty while there is none. */
  cookie = ''
  /** The cookie that tells a device that has logged in before; empty while there is none. */
  device = ''

  constructor(app: TestApp) {
    this.#app = app
  }

  /** A user who has logged in; as the owner of the playground unless told. */
  static async loggedIn(app: TestApp, { email, password } = app.playground.dashboard_login): Promise<Person> {
    const person = new Person(app)
    const { status, body } = await person.call('POST', '/api/session', { email, password })
    if (status !== 200) throw new Error(`not let in: ${JSON.stringify(body)}`)
    return person
  }

  /** A call as the page makes it; headers given replace the usual ones, and an empty one takes it away. */
  async call(
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.callAt(this.#app.app.url, method, path, body, headers)
  }

  /** The same while the page is open under another name of the host. */
  async callAt(
    url: string,
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const usual = {
      origin: url,
      authorization: '',
      cookie: [this.cookie, this.device].filter((one) => one !== '').join('; '),
    }
    const given = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== '')
    const answer = await this.#app.callWith(method, new URL(path, url).href, body, Object.fromEntries(given))
    for (const set of answer.headers.getSetCookie()) {
      const pair = set.split(';', 1)[0] ?? ''
      const kept = pair.endsWith('=') ? '' : pair
      if (pair.includes('postrider_device=')) this.device = kept
      else this.cookie = kept
    }
    return answer
  }
}
