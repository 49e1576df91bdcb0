// Turns at reading: which account's statement is next at the few readers of the database, by how long theirs have taken.

import { AsyncLocalStorage } from 'node:async_hooks'
import { Problem } from '../../model/problem.ts'
import { FairQueue } from '../../threads/fair-queue.ts'

/** For whom something is read. */
export interface Reader {
  readonly accountId: string
  /** True if nobody waits for it any more: then none of its statements is begun. */
  readonly isGone?: (() => boolean) | undefined
}

/** A reader while its work goes on; what that left behind in the background is the service's own. */
interface Current extends Reader {
  isOver: boolean
}

const current = new AsyncLocalStorage<Current>()

/** Does work whose statements are read in the turns of an account; without it they are the service's own. */
export async function readingFor<T>(reader: Reader, work: () => Promise<T>): Promise<T> {
  const context: Current = { ...reader, isOver: false }
  try {
    return await current.run(context, work)
  } finally {
    context.isOver = true
  }
}

/** Statements of accounts that are under way at once. */
export interface ReadPlaces {
  /** Of all accounts. The service's own are beside them. */
  readonly all: number
  /** Of all accounts that have read for long in the last seconds: the other places are for those who have not. */
  readonly heavy: number
  /** Of one account, and of one that has read for long. */
  readonly each: number
  readonly eachHeavy: number
}

/** A statement's turn. */
export interface ReadTurn {
  /** Its account has read for long in the last seconds. */
  readonly isHeavy: boolean
  /** Gives the place back. @param usedMs time for which the database was busy with it, in milliseconds */
  end(usedMs: number): void
}

/** The service's own statements wait for none. */
export const OF_THE_SERVICE: ReadTurn = { isHeavy: false, end() {} }

interface Waiting {
  readonly reader: Reader
  readonly begin: (turn: ReadTurn) => void
  readonly refuse: (error: Error) => void
}

/**
 * An account that read for so many milliseconds lately is a heavy one: some 14 % of the time of a reader, or one statement
 * that took so long.
 */
const HEAVY_MS = 200

/**
 * Gives accounts their turns, the account that has used least of the database first: a short read comes before those of an
 * account that reads all the time, and however much that one asks for, places are left.
 */
export class ReadTurns {
  readonly #places: ReadPlaces
  readonly #waiting = new FairQueue<Waiting>(Number.POSITIVE_INFINITY)
  readonly #recent = new RecentUse()
  /** Turns of each account under way. */
  readonly #held = new Map<string, number>()
  #all = 0
  #heavy = 0

  constructor(places: ReadPlaces) {
    this.#places = places
  }

  /** A turn for the work that is under way here. Rejects with `Problem` `unavailable` when its client has gone. */
  async take(): Promise<ReadTurn> {
    const reader = current.getStore()
    if (reader === undefined || reader.isOver) return OF_THE_SERVICE
    return new Promise((begin, refuse) => {
      this.#waiting.add(reader.accountId, { reader, begin, refuse }, 1)
      this.#dispatch()
    })
  }

  #dispatch(): void {
    while (this.#all < this.#places.all) {
      const next = this.#waiting.next((accountId) => this.#hasEnough(accountId))
      if (next === undefined) return
      const { reader, begin, refuse } = next.job
      if (reader.isGone?.()) refuse(new Problem('unavailable', 'The client has gone.'))
      else begin(this.#turnOf(next.owner))
    }
  }

  #hasEnough(accountId: string): boolean {
    const held = this.#held.get(accountId) ?? 0
    const { heavy, each, eachHeavy } = this.#places
    return this.#isHeavy(accountId) ? held >= eachHeavy || this.#heavy >= heavy : held >= each
  }

  #isHeavy(accountId: string): boolean {
    return this.#recent.of(accountId) >= HEAVY_MS
  }

  #turnOf(accountId: string): ReadTurn {
    const isHeavy = this.#isHeavy(accountId)
    this.#count(accountId, isHeavy, 1)
    return {
      isHeavy,
      end: (usedMs) => {
        this.#count(accountId, isHeavy, -1)
        this.#recent.add(accountId, usedMs)
        this.#waiting.used(accountId, usedMs)
        this.#dispatch()
      },
    }
  }

  #count(accountId: string, isHeavy: boolean, by: 1 | -1): void {
    const held = (this.#held.get(accountId) ?? 0) + by
    if (held === 0) this.#held.delete(accountId)
    else this.#held.set(accountId, held)
    this.#all += by
    if (isHeavy) this.#heavy += by
  }
}

interface Use {
  amount: number
  /** Milliseconds of performance.now() at which that was the amount. */
  at: number
}

/** Time in which half of a use is forgotten, and all of it. */
const HALF_LIFE_MS = 1_000
const FORGOTTEN_MS = 20 * HALF_LIFE_MS

/** Uses by name, which fade. */
class RecentUse {
  /** In the order of their last use. */
  readonly #uses = new Map<string, Use>()

  /** Returns the use of a name, of which half is forgotten in each half-life. */
  of(name: string): number {
    const use = this.#uses.get(name)
    return use === undefined ? 0 : left(use, performance.now())
  }

  add(name: string, amount: number): void {
    const now = performance.now()
    const use = this.#uses.get(name)
    this.#uses.delete(name)
    this.#uses.set(name, { amount: amount + (use === undefined ? 0 : left(use, now)), at: now })
    for (const [oldest, { at }] of this.#uses) {
      if (now - at < FORGOTTEN_MS) break
      this.#uses.delete(oldest)
    }
  }
}

const left = ({ amount, at }: Use, now: number): number => amount * 0.5 ** ((now - at) / HALF_LIFE_MS)
