// A dashboard user: calls the API like a browser, with cookie and origin.

import type { Answer, TestApp } from './app.ts'

/** A browser that keeps its cookies. */
export class Person {
  readonly #app: TestApp
  /** `name=value`; empty without one. */
  cookie = ''
  /** Cookie of a device that has logged in before; empty without one. */
  device = ''

  constructor(app: TestApp) {
    this.#app = app
  }

  /** Returns a logged-in user; by default the owner of the playground. */
  static async loggedIn(app: TestApp, { email, password } = app.playground.dashboard_login): Promise<Person> {
    const person = new Person(app)
    const { status, body } = await person.call('POST', '/api/session', { email, password })
    if (status !== 200) throw new Error(`not let in: ${JSON.stringify(body)}`)
    return person
  }

  /** Calls like the page; given headers replace the usual ones, and an empty one removes it. */
  async call(
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.callAt(this.#app.app.url, method, path, body, headers)
  }

  /** The same for a page opened under another host name. */
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
