// The line for password hashes: devices that are known first, then strangers by what speaks against them.

import { Problem } from '../model/problem.ts'

/**
 * Standing of a client. `known`: a device that has logged in before, or a user who is logged in. A stranger is ranked by
 * recent failed tries: of their network, then of the prefix that their network is in, then at the login they name. Fewer
 * tries go first.
 */
export type Standing = 'known' | { readonly network: number; readonly prefix: number; readonly login: number }

/** Standing of strangers without any recent try, such as holders of a link. */
export const NEW_STRANGER: Standing = { network: 0, prefix: 0, login: 0 }

/** Hashes at once: each takes a processor and 19 MiB, and a crowd must not take all of both. */
const AT_ONCE = 2
/** Hashes of strangers at once: one place is left for known devices, so that they wait for no stranger's hash. */
const STRANGERS_AT_ONCE = 1
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
  #runningStrangers = 0
  readonly #known: (() => void)[] = []
  /** The one that goes first is last. */
  readonly #strangers: Waiting[] = []

  /** Does `work` when its turn has come. Throws `rate_limit_exceeded` for strangers whom others have crowded out. */
  async do<T>(standing: Standing, work: () => Promise<T>): Promise<T> {
    const turn = this.#turn(standing)
    this.#dispatch()
    await turn
    try {
      return await work()
    } finally {
      this.#running--
      if (standing !== 'known') this.#runningStrangers--
      this.#dispatch()
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

  #dispatch(): void {
    while (this.#running < AT_ONCE) {
      const known = this.#known.shift()
      const stranger =
        known === undefined && this.#runningStrangers < STRANGERS_AT_ONCE ? this.#strangers.pop() : undefined
      if (known === undefined && stranger === undefined) return
      this.#running++
      if (stranger !== undefined) this.#runningStrangers++
      const begin = known ?? stranger?.begin
      begin?.()
    }
  }
}

/** Negative where the first one goes before the other. */
const compare = (one: Exclude<Standing, 'known'>, other: Exclude<Standing, 'known'>): number =>
  one.network - other.network || one.prefix - other.prefix || one.login - other.login

const crowdedOut = (): Problem =>
  new Problem('rate_limit_exceeded', 'Too many logins at this moment; try again in a few seconds.', {
    retryAfter: RETRY_AFTER_S,
  })
