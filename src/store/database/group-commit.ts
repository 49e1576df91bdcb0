// Group commit: writes that arrive while one commit is in progress form the next commit. The file is long because
// batches, their retries and their unknown outcomes share one state.

import type { Kysely } from 'kysely'
import { Distribution, type Figure, SECONDS } from '../../lib/figures.ts'
import {
  type Database,
  isConflict,
  isOutcomeUnknown,
  isUnavailable,
  tookTooLong,
  whyReadOnly,
} from './dialect.ts'
import type { Tables } from './schema.ts'

/** A write function: handles all collected items in one transaction, and returns one result for each item. */
export interface Write<Item, Result> {
  (db: Database, items: readonly Item[]): Promise<readonly Result[]>
  /** Name of the function, by which the writer thread finds the write function. */
  readonly name: string
  /** True if the write revokes or restricts access: the node clears its cache of credentials before responding. */
  readonly takesAccess?: boolean
  /**
   * True for a write that accompanies an action, such as counting login attempts: the write never adds an entry to the
   * audit log.
   */
  readonly unaudited?: boolean
  /**
   * Behaviour of the write when a repeated request continues an interrupted request. A write with `continued` runs
   * again, and processes the remaining rows. A write with `none` is not recorded as a step, because the write has no
   * effect before a later write. Any other write runs only once.
   */
  readonly step?: 'continued' | 'none'
  /**
   * Returns the ID that the audit log records for the object that an item changes, if the request does not name the
   * object.
   */
  auditTarget?(item: Item): string | undefined
  /** Commit line of the write, for databases with several commit lines. */
  readonly line?: CommitLine
  /** Returns the weight of an item that is part of a large job: approximately the number of messages in the item. */
  weightOf?(item: Item): number
  /**
   * True if items and results can be encoded as JSON, except for the bytes in `bytesIn`; passing JSON between threads
   * costs less than cloning objects.
   */
  readonly isJson?: boolean
  /** Name of the item property that contains bytes, or text that is only used as bytes. */
  readonly bytesIn?: string
  /** Returns the buffers of a result that are transferred to the requesting thread instead of being copied. */
  readonly buffersOf?: (result: Result) => ArrayBuffer[]
}

/**
 * Commit lines, which do not wait for each other. The line `accepting` runs writes for which senders wait. The line
 * `ending` runs writes of the results of delivery attempts, which must never wait for slow writes. The line `other`
 * runs claims, maintenance and changes by operators.
 */
export type CommitLine = 'accepting' | 'ending' | 'other'

/** Items of one kind of write, in order of arrival. */
export interface Group {
  readonly name: string
  readonly items: readonly unknown[]
}

/** Result of one item. */
export type ItemResult = { readonly value: unknown } | { readonly error: WriteFailure }

/** Error of the database in a form that can be passed between threads. */
export interface WriteFailure {
  readonly message: string
  /** True if the store cannot accept the write now, but a later attempt may succeed. */
  readonly unavailable: boolean
  /** True if the write may have succeeded, because the database did not answer. */
  readonly unknown?: boolean
  /** State of the database as a sentence for users. */
  readonly state?: string | undefined
}

export type Transaction = <T>(work: (db: Database) => Promise<T>) => Promise<T>
/** Finds a write function by its name, and throws if the name is unknown. */
export type FindWrite = (name: string) => Write<unknown, unknown>

/**
 * The parts of the store that the commit engine calls: the write functions by name, and the steps before and after the
 * writes of a transaction.
 */
export interface WriteProgram {
  readonly find: FindWrite
  /** Runs before the first write of a transaction. */
  begin(db: Database): void
  /** Runs after the last write of a transaction, inside the transaction. */
  end(db: Database): Promise<void>
  /** Runs when a database is opened, and clears the in-memory caches of the previous database. */
  opened(): void
  /** Runs after the migrations of a PostgreSQL database. */
  migrated(db: Kysely<Tables>): Promise<void>
}

/**
 * Runs all groups of writes in one transaction. If the transaction fails because of one item, runs each item again in a
 * separate transaction, so that the other items succeed. If a statement took too long, runs each group again in a
 * separate transaction.
 */
export async function commitGroups(
  groups: readonly Group[],
  transaction: Transaction,
  program: WriteProgram,
  triesLeft = 3,
): Promise<ItemResult[][]> {
  try {
    return await transaction(async (db) => {
      program.begin(db)
      const results: ItemResult[][] = []
      for (const group of groups) results.push(await runGroup(db, group, program.find))
      await program.end(db)
      return results
    })
  } catch (error) {
    if (isConflict(error) && triesLeft > 0) return commitGroups(groups, transaction, program, triesLeft - 1)
    if (tookTooLong(error) && groups.length > 1) return commitEach(groups, transaction, program)
    const alone = groups.length === 1 && groups[0]?.items.length === 1
    const unavailable = isUnavailable(error) || isConflict(error)
    if (alone || unavailable) {
      const message = String((error as Error).message ?? error)
      const failed = {
        error: { message, unavailable, unknown: isOutcomeUnknown(error), state: whyReadOnly(error) },
      }
      return groups.map((group) => group.items.map(() => failed))
    }
  }
  const results: ItemResult[][] = []
  for (const { name, items } of groups) {
    const one: ItemResult[] = []
    for (const item of items) {
      const [[result] = []] = await commitGroups([{ name, items: [item] }], transaction, program)
      one.push(result as ItemResult)
    }
    results.push(one)
  }
  return results
}

/**
 * Runs each group in a separate transaction. The remaining groups fail without an attempt after two groups have taken
 * too long.
 */
async function commitEach(
  groups: readonly Group[],
  transaction: Transaction,
  program: WriteProgram,
): Promise<ItemResult[][]> {
  const results: ItemResult[][] = []
  const slow: ItemResult[] = []
  for (const group of groups) {
    const [failure] = slow.slice(1)
    const [one = []] =
      failure === undefined
        ? await commitGroups([group], transaction, program)
        : [group.items.map(() => failure)]
    if (failure === undefined)
      slow.push(...one.slice(0, 1).filter((it) => 'error' in it && it.error.unavailable))
    results.push(one)
  }
  return results
}

async function runGroup(db: Database, group: Group, find: FindWrite): Promise<ItemResult[]> {
  const values = await find(group.name)(db, group.items)
  if (values.length !== group.items.length) throw new Error(`${group.name} lost a result`)
  return values.map((value) => ({ value }))
}

interface Waiting {
  readonly name: string
  readonly item: unknown
  readonly weight: number
  readonly resolve: (value: unknown) => void
  readonly reject: (failure: WriteFailure) => void
}

/** Maximum weight of one commit. */
const MAX_WEIGHT = 512
/**
 * Number of writes from which a commit counts as large. The next commit after a large commit waits until half as many
 * writes have arrived, but at most GATHER_MS. Larger commits cost less per write: while the writes of one half of the
 * clients are committed, the clients of the other half receive results and send new writes.
 */
const BUSY_ITEMS = 16
const GATHER_MS = 3
/** Minimum duration of a failed commit after which the database is assumed not to respond. */
const SLOW_FAILURE_MS = 900

/** Metrics of the commits of all lines. */
class CommitFigures {
  readonly items = new Distribution([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
  readonly seconds = new Distribution(SECONDS)
}

/**
 * Collects writes and commits them in groups: immediately while fewer than `most` commits are in progress, otherwise
 * when a commit ends, or GATHER_MS after the end of a large commit. A write that arrives alone therefore never waits.
 */
export class GroupCommit {
  readonly #commit: (groups: readonly Group[]) => Promise<ItemResult[][]>
  readonly #most: number
  readonly #figures: CommitFigures
  #waiting: Waiting[] = []
  #running = 0
  /**
   * State while writes are being collected: the number of writes that starts the next commit, and the timer that ends
   * the wait.
   */
  #gathering: { readonly enough: number; readonly timer: NodeJS.Timeout } | undefined
  #idle: PromiseWithResolvers<void> | undefined

  constructor(
    commit: (groups: readonly Group[]) => Promise<ItemResult[][]>,
    most: number,
    figures = new CommitFigures(),
  ) {
    this.#commit = commit
    this.#most = most
    this.#figures = figures
  }

  /** Number of writes that wait for the commits in progress. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Number of commits in progress; a pause for collecting the writes of the next commit counts as one commit. */
  get running(): number {
    return this.#running
  }

  /** Resolves with the result of the write when the write is on stable storage; rejects with a `WriteFailure`. */
  write(name: string, item: unknown, weight = 1): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ name, item, weight, resolve, reject })
      if (this.#gathering === undefined) {
        if (this.#running < this.#most) this.#flush()
      } else if (this.#waiting.length >= this.#gathering.enough) this.#endGather()
    })
  }

  /** Collects writes for the next commit; no commit begins meanwhile. */
  #gather(enough: number): void {
    this.#running++
    this.#gathering = { enough, timer: setTimeout(() => this.#endGather(), GATHER_MS) }
  }

  #endGather(): void {
    clearTimeout(this.#gathering?.timer)
    this.#gathering = undefined
    this.#running--
    if (this.#waiting.length > 0) this.#flush()
    else this.#settleIdle()
  }

  /** Resolves when no commit is in progress. */
  async settled(): Promise<void> {
    if (this.#running === 0) return
    this.#idle ??= Promise.withResolvers()
    await this.#idle.promise
  }

  #settleIdle(): void {
    if (this.#running > 0) return
    this.#idle?.resolve()
    this.#idle = undefined
  }

  /**
   * Removes the items of the next commit from the waiting items, up to MAX_WEIGHT. Single items come before parts of
   * large jobs, so that senders of single items do not wait for whole batches. Each commit contains at least one part
   * of a large job if any part is waiting.
   */
  #take(): Waiting[] {
    if (this.#waiting.every(({ weight }) => weight === 1)) return this.#waiting.splice(0, MAX_WEIGHT)
    const singles = this.#waiting.filter(({ weight }) => weight === 1)
    const parts = this.#waiting.filter(({ weight }) => weight !== 1)
    const taken = [...singles.slice(0, MAX_WEIGHT), ...parts.slice(0, 1)]
    let weight = taken.reduce((sum, one) => sum + one.weight, 0)
    for (const part of parts.slice(1)) {
      weight += part.weight
      if (weight > MAX_WEIGHT) break
      taken.push(part)
    }
    const leaving = new Set(taken)
    this.#waiting = this.#waiting.filter((one) => !leaving.has(one))
    return taken
  }

  #flush(): void {
    const taken = this.#take()
    const byName = new Map<string, Waiting[]>()
    for (const one of taken) {
      const same = byName.get(one.name)
      if (same === undefined) byName.set(one.name, [one])
      else same.push(one)
    }
    const groups = [...byName].map(([name, all]) => ({ name, items: all.map((one) => one.item) }))
    this.#running++
    const began = performance.now()
    const settle = (results: readonly ItemResult[][]): void => {
      const ms = performance.now() - began
      this.#figures.items.observe(taken.length)
      this.#figures.seconds.observe(ms / 1_000)
      if (ms > SLOW_FAILURE_MS) this.#refuseWaiting(results)
      this.#settle([...byName.values()], results)
    }
    this.#commit(groups).then(settle, (error: Error) => {
      const failure = { message: error.message, unavailable: true }
      settle(groups.map((group) => group.items.map(() => ({ error: failure }))))
    })
  }

  /**
   * Refuses all waiting writes immediately after a commit that the database did not answer, so that the writes do not
   * each wait for a timeout.
   */
  #refuseWaiting(results: readonly ItemResult[][]): void {
    const [first] = results.flat()
    if (first === undefined || !('error' in first) || !first.error.unavailable) return
    const failure = { message: first.error.message, unavailable: true }
    for (const { reject } of this.#waiting.splice(0)) reject(failure)
  }

  #settle(groups: readonly Waiting[][], results: readonly ItemResult[][]): void {
    this.#running--
    const carried = groups.reduce((sum, group) => sum + group.length, 0)
    const enough = carried >= BUSY_ITEMS ? carried / 2 : 1
    // Starts the next commit before passing on the results, because the callers' further work takes time.
    if (this.#waiting.length >= enough) {
      this.#flush()
      setImmediate(() => answer(groups, results))
      return
    }
    if (enough > 1 && this.#gathering === undefined) this.#gather(enough)
    answer(groups, results)
    this.#settleIdle()
  }
}

/** Resolves or rejects each waiting write with its result. */
function answer(groups: readonly Waiting[][], results: readonly ItemResult[][]): void {
  groups.forEach((group, at) => {
    group.forEach((one, index) => {
      const result = results[at]?.[index] as ItemResult
      if ('error' in result) one.reject(result.error)
      else one.resolve(result.value)
    })
  })
}

/** The commits of a database that are in progress. */
export interface CommitsUnderWay {
  readonly underWay: number
  /** Resolves when no commit is in progress. */
  settled(): Promise<void>
}

/** The commit lines of a database: one line for each entry in `most`; all other writes use the line `other`. */
export class CommitLines implements CommitsUnderWay {
  readonly #lines: ReadonlyMap<CommitLine, GroupCommit>
  readonly #figures = new CommitFigures()

  constructor(
    commit: (groups: readonly Group[]) => Promise<ItemResult[][]>,
    most: Readonly<Partial<Record<CommitLine, number>>> & { readonly other: number },
  ) {
    const lines = Object.entries(most) as [CommitLine, number][]
    this.#lines = new Map(
      lines.map(([line, count]) => [line, new GroupCommit(commit, count, this.#figures)] as const),
    )
  }

  /** See `GroupCommit.write`. */
  write<Item>(write: Pick<Write<Item, unknown>, 'name' | 'line' | 'weightOf'>, item: Item): Promise<unknown> {
    const { name, line = 'other' } = write
    const commits = this.#lines.get(line) ?? (this.#lines.get('other') as GroupCommit)
    return commits.write(name, item, write.weightOf?.(item))
  }

  get underWay(): number {
    return [...this.#lines.values()].reduce((sum, { running }) => sum + running, 0)
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#lines.values()].map((commits) => commits.settled()))
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_commit_writes',
        help: 'Writes per commit',
        kind: 'histogram',
        read: () => this.#figures.items,
      },
      {
        name: 'postrider_commit_seconds',
        help: 'Duration of commits until they are on stable storage',
        kind: 'histogram',
        read: () => this.#figures.seconds,
      },
      {
        name: 'postrider_writes_waiting',
        help: 'Writes that wait for the commit in progress',
        kind: 'gauge',
        read: () => [...this.#lines.values()].reduce((sum, { waiting }) => sum + waiting, 0),
      },
    ]
  }
}
