// Queue of password hashes, which serves known devices first, then the strangers with the fewest failed login attempts.

import { type Clock, systemClock } from '../lib/clock.ts'
import { Problem } from '../model/problem.ts'

/**
 * Priority of a client in the hash queue. `known` means a device that has logged in before, or a user who is logged in.
 * Strangers are ranked by the number of recent failed attempts: first of their network, then of the prefix of the
 * network, then of the login that they name. Strangers with fewer failed attempts go first.
 */
export type HashPriority =
  | 'known'
  | { readonly network: number; readonly prefix: number; readonly login: number }

/** Priority of strangers without recent login attempts, such as holders of an invitation link. */
export const NEW_STRANGER: HashPriority = { network: 0, prefix: 0, login: 0 }

/**
 * Maximum number of concurrent hashes; each hash occupies a processor and 19 MiB. The hash of a stranger begins alone, so
 * that known devices never wait for a stranger.
 */
const AT_ONCE = 2
/**
 * Pause before the hash of a stranger with failed attempts, as a multiple of the duration of the last stranger's hash:
 * guesses take at most a third of one processor, so that they do not slow down the hashes of users.
 */
const PAUSE = 2
/** Maximum number of strangers waiting for a hash. */
const MAX_WAITING = 64
/** Maximum time for which a stranger waits, in milliseconds; a client would give up later. */
const MAX_WAIT_MS = 5_000
const RETRY_AFTER_S = 2

interface Waiting {
  readonly priority: Exclude<HashPriority, 'known'>
  begin(): void
  refuse(problem: Problem): void
}

/**
 * Runs a bounded number of password hashes at a time, and few hashes of strangers with failed attempts. The last arrival
 * goes first among strangers of equal priority, so that some strangers are served immediately during an overload and the
 * other strangers are refused soon; otherwise all strangers would be served late.
 */
export class HashQueue {
  #running = 0
  readonly #known: (() => void)[] = []
  /** Waiting hashes of strangers in ascending priority; the last hash in the list runs first. */
  readonly #strangers: Waiting[] = []
  /** End of the pause of strangers with failed attempts, in milliseconds of the monotonic clock. */
  #pausedUntil = 0
  #isPausing = false
  readonly #clock: Clock

  constructor(clock = systemClock) {
    this.#clock = clock
  }

  /** Runs `work` when its turn comes. Throws `rate_limit_exceeded` for a stranger displaced by other strangers. */
  async do<T>(priority: HashPriority, work: () => Promise<T>): Promise<T> {
    const turn = this.#turn(priority)
    this.#dispatch()
    await turn
    const began = this.#clock.monotonic()
    try {
      return await work()
    } finally {
      this.#running--
      if (priority !== 'known') {
        const now = this.#clock.monotonic()
        this.#pausedUntil = Math.max(this.#pausedUntil, now + PAUSE * (now - began))
      }
      this.#dispatch()
    }
  }

  /**
   * Throws `rate_limit_exceeded` if the queue would refuse a stranger of this priority at once. Call before any other
   * work for a stranger, so that an overload costs no more than reading the requests.
   */
  requireRoom(priority: HashPriority): void {
    const [last] = this.#strangers
    if (priority === 'known' || this.#strangers.length < MAX_WAITING || last === undefined) return
    if (compare(priority, last.priority) > 0) throw crowdedOut()
  }

  #turn(priority: HashPriority): Promise<void> {
    return new Promise((resolve, reject) => {
      if (priority === 'known') {
        this.#known.push(resolve)
        return
      }
      const stop = this.#clock.after(MAX_WAIT_MS, () => {
        this.#strangers.splice(this.#strangers.indexOf(stranger), 1)
        reject(crowdedOut())
      })
      const stranger: Waiting = {
        priority,
        begin() {
          stop()
          resolve()
        },
        refuse(problem) {
          stop()
          reject(problem)
        },
      }
      this.#insert(stranger)
    })
  }

  #insert(stranger: Waiting): void {
    const place = this.#strangers.findIndex(({ priority }) => compare(stranger.priority, priority) > 0)
    // The last element runs first, so a new stranger is inserted after the strangers of equal priority.
    if (place === -1) this.#strangers.push(stranger)
    else this.#strangers.splice(place, 0, stranger)
    if (this.#strangers.length > MAX_WAITING) this.#strangers.shift()?.refuse(crowdedOut())
  }

  #dispatch(): void {
    while (this.#running < AT_ONCE) {
      const known = this.#known.shift()
      const stranger = known === undefined ? this.#nextStranger() : undefined
      if (known === undefined && stranger === undefined) return
      this.#running++
      const begin = known ?? stranger?.begin
      begin?.()
    }
  }

  /**
   * Removes and returns the next stranger, unless another client has the turn or a pause has to end first. A hash beside
   * the hash of a known device would slow it down.
   */
  #nextStranger(): Waiting | undefined {
    const next = this.#strangers.at(-1)
    if (next === undefined || this.#running > 0) return undefined
    const pauseMs = hasFailed(next.priority) ? this.#pausedUntil - this.#clock.monotonic() : 0
    if (pauseMs <= 0) return this.#strangers.pop()
    if (!this.#isPausing) this.#clock.after(pauseMs, this.#onPauseEnd)
    this.#isPausing = true
    return undefined
  }

  readonly #onPauseEnd = (): void => {
    this.#isPausing = false
    this.#dispatch()
  }
}

/**
 * Returns the rank of a prefix: each rank has twice as many recent attempts as the rank before. A prefix has many users,
 * some of whom mistype a password or log in at the same time; a prefix that guesses has many times as many attempts.
 */
const rankOf = (prefix: number): number => Math.floor(Math.log2(prefix + 1))

/** Rank from which a prefix counts as one that guesses: 31 recent attempts. */
const GUESSING_RANK = 5

/** True if recent attempts from the network of a stranger failed, or many from its prefix. */
const hasFailed = ({ network, prefix }: Waiting['priority']): boolean =>
  network > 0 || rankOf(prefix) >= GUESSING_RANK

/** Compares two priorities; negative if the first priority goes before the second. */
const compare = (one: Exclude<HashPriority, 'known'>, other: Exclude<HashPriority, 'known'>): number =>
  one.network - other.network || rankOf(one.prefix) - rankOf(other.prefix) || one.login - other.login

const crowdedOut = (): Problem =>
  new Problem('rate_limit_exceeded', 'Too many logins at this moment; try again in a few seconds.', {
    retryAfter: RETRY_AFTER_S,
  })
