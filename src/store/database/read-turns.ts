// Turns at reading: decides which account's statement uses one of the few database readers next, by the time that its
// statements have taken.

import { AsyncLocalStorage } from 'node:async_hooks'
import { Problem } from '../../model/problem.ts'
import { FairQueue } from '../../threads/fair-queue.ts'

/** Account for which something is read. */
export interface Reader {
  readonly accountId: string
  /** True if nobody waits for the result any more; no further statement is begun then. */
  readonly isGone?: (() => boolean) | undefined
}

/** A reader while its work goes on. Work that continues in the background after that counts as the service's own. */
interface Current extends Reader {
  isOver: boolean
}

const current = new AsyncLocalStorage<Current>()

/**
 * Does work whose statements are read in the turns of an account. Statements outside of such work are the service's
 * own.
 */
export async function readingFor<T>(reader: Reader, work: () => Promise<T>): Promise<T> {
  const context: Current = { ...reader, isOver: false }
  try {
    return await current.run(context, work)
  } finally {
    context.isOver = true
  }
}

/** Maximum numbers of concurrent statements of accounts. */
export interface ReadPlaces {
  /** For all accounts together; the service's own statements do not count. */
  readonly all: number
  /** For all heavy readers together; the other places are for the other accounts. */
  readonly heavy: number
  /** For one account, and for one heavy reader. */
  readonly each: number
  readonly eachHeavy: number
}

/** Turn of one statement. */
export interface ReadTurn {
  /** True if the account is a heavy reader: it has read for long in the last seconds. */
  readonly isHeavy: boolean
  /** Releases the place. @param usedMs time for which the database was busy with the statement, in milliseconds */
  end(usedMs: number): void
}

/** The turn of the service's own statements, which never wait. */
export const OF_THE_SERVICE: ReadTurn = { isHeavy: false, end() {} }

interface Waiting {
  readonly reader: Reader
  readonly begin: (turn: ReadTurn) => void
  readonly refuse: (error: Error) => void
}

/**
 * Recent reading time in milliseconds that makes an account a heavy reader: some 14 % of the time of one reader, or one
 * statement of this length.
 */
const HEAVY_MS = 200

/**
 * Gives turns to the account that has used the database least: a short read comes before the reads of an account that
 * reads all the time, and that account leaves places free however much it asks for.
 */
export class ReadTurns {
  readonly #places: ReadPlaces
  readonly #waiting = new FairQueue<Waiting>(Number.POSITIVE_INFINITY)
  readonly #recent = new RecentUse()
  /** Number of current turns of each account. */
  readonly #held = new Map<string, number>()
  #all = 0
  #heavy = 0

  constructor(places: ReadPlaces) {
    this.#places = places
  }

  /** Waits for a turn for the current work. Rejects with `Problem` `unavailable` when the client has gone. */
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
  /** Time of the amount, as performance.now(). */
  at: number
}

/** Time in which half of a use fades, and time after which it is dropped. */
const HALF_LIFE_MS = 1_000
const FORGOTTEN_MS = 20 * HALF_LIFE_MS

/** Uses by name, which fade with time. */
class RecentUse {
  /** In the order of the last use. */
  readonly #uses = new Map<string, Use>()

  /** Returns the use of a name, which halves in each half-life. */
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
