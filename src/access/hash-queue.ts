// The queue of password hashes: known devices first, then strangers with the fewest failed tries.

import { Problem } from '../model/problem.ts'

/**
 * Priority of a client. `known`: a device that has logged in before, or a user who is logged in. Strangers are ranked
 * by recent failed tries: of their network, then of the prefix of that network, then for the login they name. Fewer
 * tries go first.
 */
export type HashPriority =
  | 'known'
  | { readonly network: number; readonly prefix: number; readonly login: number }

/** Priority of strangers without recent tries, such as holders of a link. */
export const NEW_STRANGER: HashPriority = { network: 0, prefix: 0, login: 0 }

/** Maximum concurrent hashes: each takes a processor and 19 MiB. */
const AT_ONCE = 2
/** Maximum concurrent hashes of strangers: known devices never wait for one of them. */
const STRANGERS_AT_ONCE = 1
/** Maximum number of waiting strangers. */
const MAX_WAITING = 64
const RETRY_AFTER_S = 2

interface Waiting {
  readonly priority: Exclude<HashPriority, 'known'>
  begin(): void
  refuse(problem: Problem): void
}

/**
 * Runs a bounded number of hashes; the others wait. Among strangers of equal priority the last to come goes first: in
 * a crowd, some are then served at once and the others refused soon, instead of all being late.
 */
export class HashQueue {
  #running = 0
  #runningStrangers = 0
  readonly #known: (() => void)[] = []
  /** Waiting hashes in ascending priority: the last hash runs first. */
  readonly #strangers: Waiting[] = []

  /** Runs `work` in its turn. Throws `rate_limit_exceeded` for strangers that others have crowded out. */
  async do<T>(priority: HashPriority, work: () => Promise<T>): Promise<T> {
    const turn = this.#turn(priority)
    this.#dispatch()
    await turn
    try {
      return await work()
    } finally {
      this.#running--
      if (priority !== 'known') this.#runningStrangers--
      this.#dispatch()
    }
  }

  /**
   * Throws `rate_limit_exceeded` if a stranger would be crowded out at once. Called before any other work for the
   * stranger, so that a crowd costs no more than its requests.
   */
  requireRoom(priority: HashPriority): void {
    const [last] = this.#strangers
    if (priority === 'known' || this.#strangers.length < MAX_WAITING || last === undefined) return
    if (compare(priority, last.priority) > 0) throw crowdedOut()
  }

  #turn(priority: HashPriority): Promise<void> {
    return new Promise((resolve, reject) => {
      if (priority === 'known') this.#known.push(resolve)
      else this.#insert({ priority, begin: resolve, refuse: reject })
    })
  }

  #insert(stranger: Waiting): void {
    const place = this.#strangers.findIndex(({ priority }) => compare(stranger.priority, priority) > 0)
    // The last element goes first: a newcomer is inserted after its equals, and goes before them.
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

/** Negative if the first one goes before the second. */
const compare = (one: Exclude<HashPriority, 'known'>, other: Exclude<HashPriority, 'known'>): number =>
  one.network - other.network || one.prefix - other.prefix || one.login - other.login

const crowdedOut = (): Problem =>
  new Problem('rate_limit_exceeded', 'Too many logins at this moment; try again in a few seconds.', {
    retryAfter: RETRY_AFTER_S,
  })
