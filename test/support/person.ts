// A dashboard user, who calls the API like a browser, with a cookie and an Origin field.

import type { Answer, TestApp } from './app.ts'

/** A client that stores its cookies. */
export class Person {
  readonly #app: TestApp
  /** Session cookie as `name=value`; empty if there is none. */
  cookie = ''
  /** Cookie of a device with an earlier login; empty if there is none. */
  device = ''

  constructor(app: TestApp) {
    this.#app = app
  }

  /** Logs in; returns the owner of the playground by default. */
  static async loggedIn(app: TestApp, { email, password } = app.playground.dashboard_login): Promise<Person> {
    const person = new Person(app)
    const { status, body } = await person.call('POST', '/api/session', { email, password })
    if (status !== 200) throw new Error(`the login was refused: ${JSON.stringify(body)}`)
    return person
  }

  /**
   * Calls the API like the dashboard page; given headers replace the usual headers, and an empty string removes a
   * header.
   */
  async call(
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.callAt(this.#app.app.url, method, path, body, headers)
  }

  /** Calls the API like a dashboard page that was opened under another host name. */
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
