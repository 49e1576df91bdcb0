// Simulates a month of retention in a store of constant size. Measures the size of the store on each day, and
// acceptance with and without concurrent removal.

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeIdsOf } from '../../src/lib/ids.ts'
import type { Sweep } from '../../src/model/retention.ts'
import { type Store, storeBytes } from '../../src/store/database/store.ts'
import { feedsWithOld } from '../../src/store/events/feed-removal.ts'
import { hasOld, listSweeps } from '../../src/store/removal/retention.ts'
import { divideFrom } from '../../test/support/partitions.ts'
import { settled } from '../../test/support/store.ts'
import type { Options } from '../harness/options.ts'
import { figure, goal, heading, line, median } from '../harness/report.ts'
import { fillByCopies } from '../harness/retention-copies.ts'
import { endWaiting } from '../harness/retention-fill.ts'
import { type Node, Rig } from '../harness/rig.ts'
import type { HttpLoadCalls, LoadResult } from '../processes/http-load.ts'

const MESSAGES = 1_000_000
const DAY_MS = 86_400_000
const KEPT_DAYS = { content: 7, transcript: 14, record: 90 }
const DAYS = 30
const CHECK_MS = 100
const MAX_COMMIT_SECONDS = 0.05
const MAX_GROWTH = 0.05

const SETTINGS = {
  POSTRIDER_CONTENT_RETENTION: `${KEPT_DAYS.content}d`,
  POSTRIDER_TRANSCRIPT_RETENTION: `${KEPT_DAYS.transcript}d`,
  POSTRIDER_RECORD_RETENTION: `${KEPT_DAYS.record}d`,
}

/** Number of all commits, and number of commits that took longer than the limit. */
interface Commits {
  readonly count: number
  readonly long: number
}

/** Measured values of one simulated day. */
interface Day {
  /** Result of the first half of the day's messages, sent during the removal. */
  readonly beside: LoadResult
  /** Result of the second half of the day's messages, sent after the removal. */
  readonly alone: LoadResult
  readonly commits: { readonly beside: Commits; readonly removing: Commits; readonly alone: Commits }
  readonly removalSeconds: number
  readonly bytes: number
}

/** Runs the measurement `npm run bench -- retention`. */
export async function measureRetention(options: Options): Promise<void> {
  const rig = await Rig.open(options, {}, SETTINGS)
  try {
    // The start of a node creates the account and the domain. A running node would remove the filled rows.
    await (await rig.node('api')).process.stop()
    const store = await rig.openStore()
    rig.closeLater(() => store.close())
    const count = options.queued ?? MESSAGES
    heading(`retention: ${count} messages, ${JSON.stringify(KEPT_DAYS)} days, ${options.database}`)
    await fill(rig, store, count)
    if (options.database === 'postgres') {
      await rig.execute('vacuum analyze')
      // Autovacuum runs more often, because a simulated day is shorter than a real day.
      await rig.execute("alter system set autovacuum_naptime = '1s'")
      await rig.execute('select pg_reload_conf()')
    }
    await new Month(rig, await rig.node('api'), store, Math.round(count / KEPT_DAYS.record)).run()
  } finally {
    await rig.close()
  }
}

async function fill(rig: Rig, store: Store, count: number): Promise<void> {
  const began = performance.now()
  const { id, account_id } = await store.read
    .selectFrom('domains')
    .select(['id', 'account_id'])
    .executeTakeFirstOrThrow()
  const now = Date.now()
  const contentsFrom = now - KEPT_DAYS.content * DAY_MS
  if (rig.storage.databaseUrl !== undefined) await divideFrom(store, contentsFrom)
  const past = {
    ...{ owner: { accountId: account_id, domainId: id }, count, contentsFrom },
    ...{ from: now - KEPT_DAYS.record * DAY_MS, stepMs: Math.floor((KEPT_DAYS.record * DAY_MS) / count) },
    transcriptsFrom: now - KEPT_DAYS.transcript * DAY_MS,
  }
  await fillByCopies(store, (statements) => rig.execute(statements), past, rig.destinations)
  for (const [kind, days] of Object.entries(KEPT_DAYS)) {
    const mark = beforeIdsOf('msg', now - days * DAY_MS)
    await rig.execute(`insert into retention_marks values ('${kind}', '', '', '${mark}')`)
  }
  line('filled in', figure((performance.now() - began) / 1_000, 's'))
}

/** Simulated days of a node, one after another. */
class Month {
  readonly #rig: Rig
  readonly #node: Node
  readonly #store: Store
  readonly #perDay: number
  readonly #load
  #aheadMs = 0

  constructor(rig: Rig, node: Node, store: Store, perDay: number) {
    this.#rig = rig
    this.#node = node
    this.#store = store
    this.#perDay = perDay
    this.#load = rig.child<HttpLoadCalls>('http-load.ts')
  }

  async run(): Promise<void> {
    // The first day is a warm-up that brings the store and the processes into their steady state.
    const start = await this.#day()
    report(0, start)
    const days: Day[] = []
    for (let left = DAYS; left > 0; left--) {
      days.push(await this.#day())
      report(days.length, days.at(-1) as Day)
    }
    summarise(start, days)
  }

  async #day(): Promise<Day> {
    const { process } = this.#node
    const before = await this.#commits()
    this.#aheadMs += DAY_MS
    const began = performance.now()
    await process.ask('advance', DAY_MS)
    const beside = await this.#accept()
    const loaded = await this.#commits()
    await this.#untilRemoved()
    const removalSeconds = (performance.now() - began) / 1_000
    const removed = await this.#commits()
    const alone = await this.#accept()
    const after = await this.#commits()
    await endWaiting(this.#store)
    await settled(this.#store)
    const bytes = await storeBytes(this.#store.read, this.#rig.storage)
    const commits = {
      beside: difference(loaded, before),
      removing: difference(removed, loaded),
      alone: difference(after, removed),
    }
    return { beside, alone, commits, removalSeconds, bytes }
  }

  #accept(): Promise<LoadResult> {
    const { url, playground } = this.#node.started
    return this.#load.ask('run', {
      ...{ url, key: playground.sending_key, connections: 64, destinations: this.#rig.destinations },
      count: Math.round(this.#perDay / 2),
    })
  }

  /**
   * Waits until no row is past its retention, and the unused space of the database has been returned to the file
   * system.
   */
  async #untilRemoved(): Promise<void> {
    const { read } = this.#store
    const now = Date.now() + this.#aheadMs - 60_000
    const kept = Object.fromEntries(Object.entries(KEPT_DAYS).map(([kind, days]) => [kind, days * DAY_MS]))
    const sweeps = await listSweeps(read, kept as never)
    for (;;) {
      const old = await Promise.all(sweeps.map((sweep) => hasOld(read, sweep, this.#until(sweep, now))))
      const feeds = await feedsWithOld(read, now - KEPT_DAYS.record * DAY_MS)
      if (!old.includes(true) && feeds.length === 0 && !(await this.#hasSurplus())) return
      await sleep(CHECK_MS)
    }
  }

  /** Returns the time up to which a sweep must have removed data; contents on PostgreSQL are removed by whole days. */
  #until({ kind, keptMs }: Sweep, now: number): number {
    const isByDay = kind === 'content' && this.#rig.storage.databaseUrl !== undefined
    return isByDay ? now - ((now - keptMs) % DAY_MS) : now
  }

  async #hasSurplus(): Promise<boolean> {
    if (this.#rig.storage.databaseUrl !== undefined) return false
    const pragma = async (name: string): Promise<number> => {
      const { rows } = await sql<Record<string, number>>`pragma ${sql.raw(name)}`.execute(this.#store.read)
      return Number(rows[0]?.[name])
    }
    return (await pragma('freelist_count')) > Math.ceil((await pragma('page_count')) * 0.05)
  }

  async #commits(): Promise<Commits> {
    const answer = await fetch(`${this.#node.started.url}/metrics`)
    const text = await answer.text()
    const value = (name: string): number =>
      Number(
        text
          .split('\n')
          .find((one) => one.startsWith(name))
          ?.split(' ')[1] ?? 0,
      )
    const count = value('postrider_commit_seconds_count')
    return {
      count,
      long: count - value(`postrider_commit_seconds_bucket{le="${MAX_COMMIT_SECONDS}"}`),
    }
  }
}

const difference = (one: Commits, before: Commits): Commits => ({
  count: one.count - before.count,
  long: one.long - before.long,
})

function report(day: number, { beside, alone, commits, removalSeconds, bytes }: Day): void {
  line(
    `day ${day}`,
    figure(bytes / 1e6, 'MB'),
    figure(removalSeconds, 's'),
    `${figure(beside.perSecond)} ${figure(alone.perSecond)} /s`,
    `${figure(beside.max)} ${figure(alone.max)} ms`,
    ['beside', 'removing', 'alone']
      .map((part) => commits[part as keyof Day['commits']])
      .map(({ count, long }) => `${long}/${count}`)
      .join(' '),
  )
}

function summarise(start: Day, days: readonly Day[]): void {
  const all = (part: keyof Day['commits']): Commits => {
    const each = days.map(({ commits }) => commits[part])
    const sum = (name: keyof Commits): number => each.reduce((total, one) => total + one[name], 0)
    return { count: sum('count'), long: sum('long') }
  }
  const sizes = days.map(({ bytes }) => bytes)
  const [least, most] = [Math.min(start.bytes, ...sizes), Math.max(start.bytes, ...sizes)]
  const rate = (part: 'beside' | 'alone'): number => median(days.map((day) => day[part].perSecond))
  const p99 = (part: 'beside' | 'alone'): number => median(days.map((day) => day[part].p99))
  line('size, first, least, most', ...[start.bytes, least, most].map((bytes) => figure(bytes / 1e6, 'MB')))
  line('accepted beside removal, alone', ...[rate('beside'), rate('alone')].map((one) => figure(one, '/s')))
  line('p99 beside removal, alone', ...[p99('beside'), p99('alone')].map((one) => figure(one, 'ms')))
  line('removal of a day', figure(median(days.map(({ removalSeconds }) => removalSeconds)), 's'))
  for (const part of ['beside', 'removing', 'alone'] as const) {
    const { count, long } = all(part)
    line(`commits over 50 ms, ${part}`, `${long} of ${count}`)
  }
  goal('size flat within 5 %', most <= start.bytes * (1 + MAX_GROWTH))
  const share = (part: keyof Day['commits']): number => all(part).long / all(part).count
  // Slow commits also occur without any removal, so the shares of slow commits are compared.
  goal('no commit over 50 ms by removal', share('removing') <= share('alone'))
  goal('accept rate within 10 %', rate('beside') >= 0.9 * rate('alone'))
}
