// Group commit: writes that gather while one commit is under way become the next commit.

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

/** A write: what it does for all items that came together, in one transaction; one result for each item. */
export interface Write<Item, Result> {
  (db: Database, items: readonly Item[]): Promise<readonly Result[]>
  /** The name of the function, by which the writer's thread finds it. */
  readonly name: string
  /** Takes access away or limits it: a node that wrote it forgets its remembered credentials before it answers. */
  readonly takesAccess?: boolean
  /** Bookkeeping beside an action, such as the count of login attempts: never carries an entry of the audit log. */
  readonly unaudited?: boolean
  /**
   * Part of a request that is continued after a crash. `continued`: the write is done again, on what is left. `none`: what
   * it does counts for nothing until another write, so that no run needs it. By default it is done once.
   */
  readonly step?: 'continued' | 'none'
  /** The ID by which the audit log names what an item changes, where the request does not name it. */
  auditTarget?(item: Item): string | undefined
  /** The line of commits that it goes by, where a database has several. */
  readonly line?: CommitLine
  /** How much an item adds to a commit, where it is a part of many: about the messages in it. */
  weightOf?(item: Item): number
  /** Items and results survive JSON, but for the bytes in `bytesIn`: they are handed to another thread at less cost. */
  readonly isJson?: boolean
  /** The property of each item that holds bytes, or text that is only used as bytes. */
  readonly bytesIn?: string
  /** The buffers of a result: they are moved to the thread that asked instead of being copied. */
  readonly buffersOf?: (result: Result) => ArrayBuffer[]
}

/**
 * Lines of commits that do not wait for each other: accepting is answered to senders, the ends of attempts must never
 * stand behind anything slow; claims, upkeep and operators share the last one.
 */
export type CommitLine = 'accepting' | 'ending' | 'other'

/** Items of one kind of write, in the order they came. */
export interface Group {
  readonly name: string
  readonly items: readonly unknown[]
}

/** Result of one item. */
export type ItemResult = { readonly value: unknown } | { readonly error: WriteFailure }

/** An error of the database in a form that crosses threads. */
export interface WriteFailure {
  readonly message: string
  /** The store cannot take it now; trying again later makes sense. */
  readonly unavailable: boolean
  /** The store did not answer: it may have been written all the same. */
  readonly unknown?: boolean
  /** The state of the database, for people. */
  readonly state?: string | undefined
}

export type Transaction = <T>(work: (db: Database) => Promise<T>) => Promise<T>
/** Finds a write by its name. Throws for one that there is not. */
export type FindWrite = (name: string) => Write<unknown, unknown>

/** Program of the engine, which knows no noun: the writes by name, and the steps around a transaction. */
export interface WriteProgram {
  readonly find: FindWrite
  /** Before the first write of a transaction. */
  begin(db: Database): void
  /** After the last write of a transaction, within it. */
  end(db: Database): Promise<void>
  /** A database is opened: caches in memory of another one are emptied. */
  opened(): void
  /** After the migrations of a PostgreSQL database. */
  migrated(db: Kysely<Tables>): Promise<void>
}

/**
 * Runs the groups in one transaction. When that fails for a fault in one of the items, each item is tried in a
 * transaction of its own, so that a bad one does not take the others with it; when a statement took too long, each group
 * is.
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

/** Runs each group in a transaction of its own; once two of them took too long, the others are not tried. */
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

/** Items of a commit, as they weigh. */
const MAX_WEIGHT = 512
/**
 * Behind a commit of so many, the next one waits for company, until half as many have come or a moment has passed: the
 * more share a page, the less each costs, and while the one half is committed, the other is answered and asks again.
 */
const BUSY_ITEMS = 16
const GATHER_MS = 3
/** A commit that fails only after so long has met a database that does not answer. */
const SLOW_FAILURE_MS = 900

/** Counts the commits of all lines together. */
class CommitFigures {
  readonly items = new Distribution([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
  readonly seconds = new Distribution(SECONDS)
}

/**
 * Gathers writes and hands them on in groups: at once when fewer than `most` commits are under way, else when
 * one of them ends, or a moment later when that was a large one. A lone write therefore never waits for company.
 */
export class GroupCommit {
  readonly #commit: (groups: readonly Group[]) => Promise<ItemResult[][]>
  readonly #most: number
  readonly #figures: CommitFigures
  #waiting: Waiting[] = []
  #running = 0
  /** While writes come together: how many begin the next commit, and what ends the wait before. */
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

  /** Writes behind the commits under way. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Commits under way, and the pause in which the next one gathers. */
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

  /** Lets writes come together; meanwhile none is committed. */
  #gather(enough: number): void {
    this.#running++
    this.#gathering = { enough, timer: setTimeout(() => this.#endGather(), GATHER_MS) }
  }

  #endGather(): void {
    clearTimeout(this.#gathering?.timer)
    this.#gathering = undefined
    this.#running--
    if (this.#waiting.length > 0) this.#flush()
    else this.#tellIdle()
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    if (this.#running === 0) return
    this.#idle ??= Promise.withResolvers()
    await this.#idle.promise
  }

  #tellIdle(): void {
    if (this.#running > 0) return
    this.#idle?.resolve()
    this.#idle = undefined
  }

  /**
   * Takes the items of the next commit out of those that wait: as many as weigh enough, single ones before parts of many,
   * so that those who send one by one do not stand behind whole batches; of the parts one at least goes with each commit.
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
   * Refuses at once the groups that waited behind a commit that the database did not answer, instead of after a wait of
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
    // What follows the answers takes its time: the next commit goes out first, and is under way meanwhile.
    if (this.#waiting.length >= enough) {
      this.#flush()
      setImmediate(() => answer(groups, results))
      return
    }
    if (enough > 1 && this.#gathering === undefined) this.#gather(enough)
    answer(groups, results)
    this.#tellIdle()
  }
}

/** Tells each of those that waited for a commit what came of it. */
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
  /** Resolves when none is under way any more. */
  settled(): Promise<void>
}

/** The lines of a database: one for each that it has a number of commits at once for, and all others go by `other`. */
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

  /** As `GroupCommit.write`. */
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
        help: 'How many writes shared a commit',
        kind: 'histogram',
        read: () => this.#figures.items,
      },
      {
        name: 'postrider_commit_seconds',
        help: 'How long commits took, until they were on stable storage',
        kind: 'histogram',
        read: () => this.#figures.seconds,
      },
      {
        name: 'postrider_writes_waiting',
        help: 'Writes that wait for the commit before them',
        kind: 'gauge',
        read: () => [...this.#lines.values()].reduce((sum, { waiting }) => sum + waiting, 0),
      },
    ]
  }
}
