// Decides which account's statement uses one of the few database readers next, based on the recent reading time of each
// account.

import { AsyncLocalStorage } from 'node:async_hooks'
import { Problem } from '../../model/problem.ts'
import { FairQueue } from '../../threads/fair-queue.ts'

/** Account on whose behalf data is read. */
export interface Reader {
  readonly accountId: string
  /** True if no client waits for the result any longer, so that no further statement is started. */
  readonly isGone?: (() => boolean) | undefined
  /**
   * True if a single statement of this work may take long; the account then counts as a heavy reader from the start.
   */
  readonly isLong?: boolean | undefined
}

/**
 * Context of an account while work of the account is in progress. Work that continues in the background after
 * `readingFor` has ended counts as the service's own work.
 */
interface Current extends Reader {
  isOver: boolean
}

const current = new AsyncLocalStorage<Current>()

/**
 * Runs work whose read statements use the turns of an account. Statements that run outside of `readingFor` belong to
 * the service itself.
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
  /** Maximum number of statements of all accounts together; the service's own statements do not count. */
  readonly all: number
  /** Maximum number of concurrent statements of all heavy readers together; other accounts share the rest of `all`. */
  readonly heavy: number
  /** Maximum number of statements of one account, and of one heavy reader. */
  readonly each: number
  readonly eachHeavy: number
}

/** Turn of one statement. */
export interface ReadTurn {
  /** True if the statement may take long, or if the recent statements of the account took much time. */
  readonly isHeavy: boolean
  /** Releases the reader after `usedMs` milliseconds in which the database was busy with the statement. */
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
 * Recent reading time, in milliseconds, that makes an account a heavy reader: about 14 % of one reader's time, or one
 * statement of this length.
 */
const HEAVY_MS = 200

/**
 * Gives turns to the account that has used the database least. A short read comes before the reads of an account that
 * reads continuously. Places for other accounts stay free, however much one account reads.
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

  /**
   * Waits until the current work gets a turn to read. Rejects with `Problem` `unavailable` if the client has
   * disconnected.
   */
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
      const next = this.#waiting.next((_, { reader }) => this.#hasEnough(reader))
      if (next === undefined) return
      const { reader, begin, refuse } = next.job
      if (reader.isGone?.()) refuse(new Problem('unavailable', 'The client has gone.'))
      else begin(this.#turnOf(reader))
    }
  }

  #hasEnough(reader: Reader): boolean {
    const held = this.#held.get(reader.accountId) ?? 0
    const { heavy, each, eachHeavy } = this.#places
    return this.#isHeavy(reader) ? held >= eachHeavy || this.#heavy >= heavy : held >= each
  }

  #isHeavy({ accountId, isLong = false }: Reader): boolean {
    return isLong || this.#recent.of(accountId) >= HEAVY_MS
  }

  #turnOf(reader: Reader): ReadTurn {
    const { accountId } = reader
    const isHeavy = this.#isHeavy(reader)
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
  /** Value of performance.now() to which `amount` refers. */
  at: number
}

/** Half-life of recorded reading time, and time after which a record is dropped. */
const HALF_LIFE_MS = 1_000
const FORGOTTEN_MS = 20 * HALF_LIFE_MS

/** Recent reading time of each account, which decays exponentially. */
class RecentUse {
  /** Recorded reading time by account, in the order of the last use. */
  readonly #uses = new Map<string, Use>()

  /** Returns the recent reading time of an account, with exponential decay. */
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
