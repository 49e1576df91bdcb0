// The line for password hashes: devices that are known first, then strangers by what speaks against them.

import { Problem } from '../model/problem.ts'

/**
 * Standing of a client. `known`: a device that has logged in before, or a user who is logged in. A stranger stands by the
 * tries of late from their network, and with the login they name; fewer go first, their network's before their login's.
 */
export type Standing = 'known' | { readonly network: number; readonly login: number }

/** Standing of strangers of whom nothing is known, such as holders of a link. */
export const NEW_STRANGER: Standing = { network: 0, login: 0 }

/** Hashes at once: they take processors and memory, and a crowd must not take all of both. */
const AT_ONCE = 2
/** Strangers that wait at once. */
const MAX_WAITING = 64
const RETRY_AFTER_S = 2

interface Waiting {
  readonly standing: Exclude<Standing, 'known'>
  begin(): void
  refuse(problem: Problem): void
}

/**
 * Does so many at once, and lets the others wait. Of strangers with the same standing the last to come goes first: under
 * a crowd those that are served are served at once, and the others are refused soon, in place of all being late.
 */
export class HashQueue {
  #running = 0
  readonly #known: (() => void)[] = []
  /** The one that goes first is last. */
  readonly #strangers: Waiting[] = []

  /** Does `work` when its turn has come. Throws `rate_limit_exceeded` for strangers whom others have crowded out. */
  async do<T>(standing: Standing, work: () => Promise<T>): Promise<T> {
    if (this.#running < AT_ONCE) this.#running++
    else await this.#turn(standing)
    try {
      return await work()
    } finally {
      this.#running--
      this.#next()
    }
  }

  /**
   * Throws `rate_limit_exceeded` when a stranger would be crowded out at once: before anything else is done for them, so
   * that a crowd costs no more than its requests.
   */
  requireRoom(standing: Standing): void {
    const [last] = this.#strangers
    if (standing === 'known' || this.#strangers.length < MAX_WAITING || last === undefined) return
    if (compare(standing, last.standing) > 0) throw crowdedOut()
  }

  #turn(standing: Standing): Promise<void> {
    return new Promise((resolve, reject) => {
      if (standing === 'known') this.#known.push(resolve)
      else this.#insert({ standing, begin: resolve, refuse: reject })
    })
  }

  #insert(stranger: Waiting): void {
    const place = this.#strangers.findIndex(({ standing }) => compare(stranger.standing, standing) > 0)
    // The last of the array goes first: a newcomer stands after its equals, and goes before them.
    if (place === -1) this.#strangers.push(stranger)
    else this.#strangers.splice(place, 0, stranger)
    if (this.#strangers.length > MAX_WAITING) this.#strangers.shift()?.refuse(crowdedOut())
  }

  #next(): void {
    const begin = this.#known.shift() ?? this.#strangers.pop()?.begin
    if (begin === undefined) return
    this.#running++
    begin()
  }
}

/** Negative where the first one goes before the other. */
const compare = (one: Exclude<Standing, 'known'>, other: Exclude<Standing, 'known'>): number =>
  one.network - other.network || one.login - other.login

const crowdedOut = (): Problem =>
  new Problem('rate_limit_exceeded', 'Too many logins at this moment; try again in a few seconds.', {
    retryAfter: RETRY_AFTER_S,
  })
