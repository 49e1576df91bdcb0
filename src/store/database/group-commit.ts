// Group commit: writes that gather while one commit is under way become the next commit. The file is long because a
// batch, its retries and its unknown outcomes share one state.

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

/** A write: handles all items that gathered in one transaction, and returns one result for each item. */
export interface Write<Item, Result> {
  (db: Database, items: readonly Item[]): Promise<readonly Result[]>
  /** Name of the function, by which the writer's thread finds the write. */
  readonly name: string
  /**
   * True if the write takes access away or limits it: the node forgets its remembered credentials before it answers.
   */
  readonly takesAccess?: boolean
  /**
   * True for bookkeeping next to an action, such as the count of login attempts: the write never carries an entry of
   * the audit log.
   */
  readonly unaudited?: boolean
  /**
   * Role of the write in a request that continues after a crash. `continued`: the write runs again on the remaining
   * work. `none`: the write has no effect until another write, so that a repetition skips it. By default the write runs
   * once.
   */
  readonly step?: 'continued' | 'none'
  /**
   * Returns the ID by which the audit log names the object that an item changes, if the request does not name the
   * object.
   */
  auditTarget?(item: Item): string | undefined
  /** Line of commits that the write uses, where a database has several. */
  readonly line?: CommitLine
  /** Returns the weight of an item that is one part of a large job: about its number of messages. */
  weightOf?(item: Item): number
  /** True if items and results survive JSON, except for the bytes in `bytesIn`; JSON crosses threads at less cost. */
  readonly isJson?: boolean
  /** Property of each item that holds bytes, or text that is only used as bytes. */
  readonly bytesIn?: string
  /** Returns the buffers of a result, which are moved to the asking thread instead of being copied. */
  readonly buffersOf?: (result: Result) => ArrayBuffer[]
}

/**
 * Lines of commits that do not wait for each other. `accepting`: senders wait for the answer. `ending`: ends of
 * attempts, which must never wait for slow writes. `other`: claims, upkeep and operators.
 */
export type CommitLine = 'accepting' | 'ending' | 'other'

/** Items of one kind of write, in order of arrival. */
export interface Group {
  readonly name: string
  readonly items: readonly unknown[]
}

/** Result of one item. */
export type ItemResult = { readonly value: unknown } | { readonly error: WriteFailure }

/** Error of the database in a form that crosses threads. */
export interface WriteFailure {
  readonly message: string
  /** True if the store cannot take the write now, and a later try makes sense. */
  readonly unavailable: boolean
  /** True if the store did not answer, so that the write may have taken place. */
  readonly unknown?: boolean
  /** State of the database as a sentence for people. */
  readonly state?: string | undefined
}

export type Transaction = <T>(work: (db: Database) => Promise<T>) => Promise<T>
/** Finds a write by its name. Throws for an unknown name. */
export type FindWrite = (name: string) => Write<unknown, unknown>

/**
 * The part of the store that the engine runs without knowing it: the writes by name, and the steps around a
 * transaction.
 */
export interface WriteProgram {
  readonly find: FindWrite
  /** Runs before the first write of a transaction. */
  begin(db: Database): void
  /** Runs after the last write of a transaction, inside the transaction. */
  end(db: Database): Promise<void>
  /** Runs when a database is opened: clears the caches in memory of the database before. */
  opened(): void
  /** Runs after the migrations of a PostgreSQL database. */
  migrated(db: Kysely<Tables>): Promise<void>
}

/**
 * Runs the groups in one transaction. If the transaction fails because of an item, each item is tried in a transaction
 * of its own, so that the others succeed; if a statement took too long, each group is.
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

/** Runs each group in a transaction of its own. After two groups that took too long, the others fail without a try. */
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
 * After a commit of BUSY_ITEMS writes, the next commit waits for half as many or for GATHER_MS: larger commits cost
 * less per write, and while one half of the clients is committed, the other half is answered and sends again.
 */
const BUSY_ITEMS = 16
const GATHER_MS = 3
/** A commit that fails only after this time met a database that does not answer. */
const SLOW_FAILURE_MS = 900

/** Figures about the commits of all lines. */
class CommitFigures {
  readonly items = new Distribution([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
  readonly seconds = new Distribution(SECONDS)
}

/**
 * Gathers writes and commits them in groups: at once while fewer than `most` commits are under way, otherwise when one
 * of them ends, or GATHER_MS after the end of a large commit. A lone write therefore never waits.
 */
export class GroupCommit {
  readonly #commit: (groups: readonly Group[]) => Promise<ItemResult[][]>
  readonly #most: number
  readonly #figures: CommitFigures
  #waiting: Waiting[] = []
  #running = 0
  /** State while writes gather: the number that starts the next commit, and the timer that ends the wait. */
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

  /** Number of writes that wait for the commits under way. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Number of commits under way; the pause in which the next commit gathers counts as one. */
  get running(): number {
    return this.#running
  }

  /** Resolves with the result when the write is on stable storage; rejects with a `WriteFailure`. */
  write(name: string, item: unknown, weight = 1): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ name, item, weight, resolve, reject })
      if (this.#gathering === undefined) {
        if (this.#running < this.#most) this.#flush()
      } else if (this.#waiting.length >= this.#gathering.enough) this.#endGather()
    })
  }

  /** Lets writes gather; no commit begins meanwhile. */
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

  /** Resolves when no commit is under way. */
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
   * Removes the items of the next commit from the waiting ones, up to MAX_WEIGHT: single items before parts of large
   * jobs, so that senders of single items do not wait for whole batches. At least one part goes with each commit.
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
   * Refuses all waiting groups at once after a commit that the database did not answer, so that they need no wait of
   * their own.
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
    // Starts the next commit before answering, as the work after the answers takes time.
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

/** Gives each waiting write its result. */
function answer(groups: readonly Waiting[][], results: readonly ItemResult[][]): void {
  groups.forEach((group, at) => {
    group.forEach((one, index) => {
      const result = results[at]?.[index] as ItemResult
      if ('error' in result) one.reject(result.error)
      else one.resolve(result.value)
    })
  })
}

/** Commits that have not ended. */
export interface CommitsUnderWay {
  readonly underWay: number
  /** Resolves when no commit is under way. */
  settled(): Promise<void>
}

/** Lines of commits of a database: one line for each number in `most`; all other writes use `other`. */
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
        help: 'Writes that wait for the commit under way',
        kind: 'gauge',
        read: () => [...this.#lines.values()].reduce((sum, { waiting }) => sum + waiting, 0),
      },
    ]
  }
}
