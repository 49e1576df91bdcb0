// Asks the hosts of links whether the pages exist, without following links that work only once.

import type { HttpAnswer, HttpProblem, OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import { KeyedSemaphore } from '../threads/keyed-semaphore.ts'

/** Result for one address; undefined if nothing is known. */
export type LinkState =
  | {
      /** Status of the first answer, and of the answer after redirects; 0 without an answer. */
      readonly first: number
      readonly last: number
      /** Reason why the page does not exist; undefined if it does. */
      readonly dead?: string | undefined
    }
  | undefined

const TIMEOUT_MS = 10_000
/** Time for all links of a message, in milliseconds. */
const ALL_MS = 20_000
const MAX_LINKS = 100
const MAX_REDIRECTS = 3
const PER_HOST = 2
/** Maximum number of requests at once for one message. */
const AT_ONCE = 10
const KEEP_MS = 600_000
const MAX_KEPT = 5_000

/** Answers of hosts that refuse programs, or ask for a login: the page exists. */
const ALIVE = new Set([401, 403, 405, 429, 999])

/**
 * Links that may work only once, or that do something when they are followed. A HEAD request may use the link up as
 * well.
 */
const ONCE =
  /unsub|opt-?out|abmeld|confirm|verif|activat|reset|login|log-?in|sign-?in|magic|invite|invitation|token|otp|one-?time|auth|session|secret|signature|[?&](?:t|k|key|code|sig|hash|jwt|ticket)=|\/[A-Za-z\d_-]{32,}(?:[/?#]|$)/i

/** True if a link must not be requested. */
export const worksOnce = (url: string): boolean => ONCE.test(url)

/** Requests links. Answers are kept for ten minutes. */
export class LinkProbe {
  readonly #http: Pick<OutgoingHttp, 'request'>
  readonly #hosts = new KeyedSemaphore(PER_HOST)
  readonly #kept = new Map<string, { readonly state: LinkState; readonly until: number }>()

  constructor(http: Pick<OutgoingHttp, 'request'>) {
    this.#http = http
  }

  /**
   * Returns the states of links by their addresses. The second value is false if some links were not requested, because
   * there are too many, time was over, or a link works only once.
   */
  async states(urls: readonly string[]): Promise<readonly [ReadonlyMap<string, LinkState>, boolean]> {
    const all = [...new Set(urls)].filter((url) => /^https?:\/\//i.test(url))
    const asked = all.filter((url) => !worksOnce(url)).slice(0, MAX_LINKS)
    const until = performance.now() + ALL_MS
    const states = new Map<string, LinkState>()
    const left = [...asked]
    const work = async (): Promise<void> => {
      for (let url = left.shift(); url !== undefined; url = left.shift()) {
        states.set(url, await this.#stateOf(url, until))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    const isComplete =
      asked.length === all.length && [...states.values()].every((state) => state !== undefined)
    return [states, isComplete]
  }

  async #stateOf(url: string, until: number): Promise<LinkState> {
    const now = performance.now()
    const kept = this.#kept.get(url)
    if (kept !== undefined && kept.until > now) return kept.state
    if (now >= until) return undefined
    const state = await this.#ask(url, until)
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear()
    if (state !== undefined) this.#kept.set(url, { state, until: performance.now() + KEEP_MS })
    return state
  }

  async #ask(first: string, until: number): Promise<LinkState> {
    let url = URL.parse(first)
    let firstStatus: number | undefined
    for (let redirects = 0; url !== null; redirects++) {
      const answer = await this.#request(url, until)
      if (answer === undefined) return undefined
      if ('problem' in answer) return stateOfProblem(answer, firstStatus ?? 0)
      const { status, headers } = answer
      firstStatus ??= status
      const { location } = headers
      // A redirect to a login page or to a link that works once shows that the host knows the address.
      if (status < 300 || status >= 400 || location === undefined) return stateOfStatus(status, firstStatus)
      url = URL.parse(location, url)
      if (redirects === MAX_REDIRECTS || url === null || worksOnce(url.href)) {
        return { first: firstStatus, last: status }
      }
    }
    return undefined
  }

  /** Sends HEAD, and GET for the first byte to a host that does not know HEAD. */
  async #request(url: URL, until: number): Promise<HttpAnswer | HttpProblem | undefined> {
    const release = await this.#hosts.acquire(url.host)
    try {
      const timeoutMs = Math.min(TIMEOUT_MS, until - performance.now())
      if (timeoutMs <= 0) return undefined
      const limits = { timeoutMs, maxBytes: 1_024, longAnswer: 'cut' } as const
      const answer = await this.#http.request(url, { method: 'HEAD', ...limits })
      if ('problem' in answer || (answer.status !== 405 && answer.status !== 501)) return answer
      const left = until - performance.now()
      if (left <= 0) return undefined
      const again = { ...limits, timeoutMs: Math.min(TIMEOUT_MS, left), headers: { range: 'bytes=0-0' } }
      return await this.#http.request(url, { method: 'GET', ...again })
    } finally {
      release?.()
    }
  }
}

const stateOfStatus = (last: number, first: number): LinkState =>
  last < 400 || ALIVE.has(last) ? { first, last } : { first, last, dead: `The host answers ${last}.` }

/** Returns the state after a request without an answer; a slow host and a forbidden address tell nothing. */
function stateOfProblem({ problem, detail }: HttpProblem, first: number): LinkState {
  if (problem === 'too_large') return { first: first || 200, last: 200 }
  return problem === 'timeout' || problem === 'forbidden' ? undefined : { first, last: 0, dead: detail }
}
