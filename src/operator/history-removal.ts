// The hourly removal of what is older than it is kept, made by one node at a time.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import type { Retention } from '../model/retention.ts'
import { giveBackSpace } from '../store/database/space.ts'
import { reading, type Store } from '../store/database/store.ts'
import { feedsWithOld, forgetFeed } from '../store/events/feed-removal.ts'
import { removeOldInbound } from '../store/inbound/inbound-removal.ts'
import { findAccountsWithHistory, forgetHistory } from '../store/messages/history-removal.ts'
import { listRedactions } from '../store/messages/redaction.ts'
import {
  forgetNotesOfOtherRules,
  hasOld,
  hasSkipped,
  listSweeps,
  removeOld,
  type Sweep,
} from '../store/messages/retention.ts'
import { SingletonJob } from '../store/node/singleton-jobs.ts'
import { forgetDeliveries, webhooksWithOld } from '../store/webhooks/deliveries.ts'
import { forgetOrphanedLinks } from '../store/workspace/unsubscribe.ts'
import { Pace } from './pace.ts'
import type { RemovalTime } from './removal-time.ts'

const EVERY_MS = 3_600_000
const REDACT_EVERY_MS = 10_000
const LOOK_AT_CLOCK_MS = 60_000
/** The pause behind a look is so many times as long as the look. */
const REST_FACTOR = 4
const JOB_LEASE_MS = 5 * 60_000
/** Links to unsubscribe are looked through once in so many rounds. */
const LINK_ROUNDS = 24
const MAX_MESSAGES = 400
/** How often, and how long each time, a sweep waits for the readers of the event log; then it goes on in an hour. */
const MAX_WAITS = 40
const WAIT_MS = 250
/** Of 4 KiB each. */
const MAX_PAGES = 512

export interface HistoryRemovalOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly time: RemovalTime
  /** Lifetime of messages. */
  readonly retention: Retention
  /** Lifetime of entries of the audit log. */
  readonly auditMs: number
  /** Lifetime of the figures of what was sent. */
  readonly figuresMs: number
  readonly webhooksMs: number
  /** Lifetime of the log of API requests. */
  readonly requestsMs: number
}

/** Removes a little at a time, so that no other write waits for it. */
export class HistoryRemoval implements Part {
  readonly name = 'removal of old history'
  readonly #options: HistoryRemovalOptions
  readonly #job: SingletonJob
  readonly #looking: Periodic
  #round = 0
  #roundAt = 0
  #clockLookAt = Number.NEGATIVE_INFINITY

  constructor(options: HistoryRemovalOptions) {
    const { store, clock, log } = options
    this.#options = options
    this.#job = new SingletonJob({ store, clock, name: 'remove old history', leaseMs: JOB_LEASE_MS })
    this.#looking = new Periodic({
      ...{ name: this.name, clock, log, everyMs: REDACT_EVERY_MS, restFactor: REST_FACTOR },
      failure: 'old history could not be removed',
      step: () => this.#look(),
    })
  }

  start(): void {
    this.#roundAt = this.#options.clock.now()
    this.#looking.start()
  }

  stop(): Promise<void> {
    return this.#looking.stop()
  }

  /** Redacts what has become final, and makes a whole round when an hour has passed. */
  async #look(): Promise<void> {
    await this.redact()
    await this.#lookAtClock()
    const now = this.#options.clock.now()
    // A clock that was ahead and is set back puts off no round.
    if (Math.abs(now - this.#roundAt) < EVERY_MS) return
    this.#roundAt = now
    await this.run()
  }

  /** Removes the contents of final messages in streams that store none. */
  async redact(): Promise<void> {
    const { store, clock } = this.#options
    for (const sweep of await reading(listRedactions(store.read))) {
      if (await reading(hasSkipped(store.read, sweep))) await this.#steps(sweep, ['skipped'], clock.now())
    }
  }

  /** Often enough that a clock that jumped is told soon. */
  async #lookAtClock(): Promise<void> {
    const { clock, time } = this.#options
    if (Math.abs(clock.monotonic() - this.#clockLookAt) < LOOK_AT_CLOCK_MS || !(await this.#goesOn())) return
    this.#clockLookAt = clock.monotonic()
    await time.look()
  }

  /** One round. Nothing goes by its age while the clock is in doubt. */
  async run(): Promise<void> {
    if (!(await this.#goesOn())) return
    const now = await this.#options.time.look()
    if (now !== undefined) {
      await this.#removeHistory(now)
      await this.#removeMessages(now)
      await this.#removeInbound(now)
      await this.#removeFeeds(now)
      await this.#removeDeliveries(now)
    }
    if (this.#round++ % LINK_ROUNDS === 0) await this.#removeLinks()
    await this.#giveBackSpace()
  }

  async #removeHistory(now: number): Promise<void> {
    const { store, auditMs, figuresMs, requestsMs } = this.#options
    const since = { audit: now - auditMs, figures: now - figuresMs, requests: now - requestsMs }
    const pace = new Pace(1)
    for (const accountId of await reading(findAccountsWithHistory(store.read, since))) {
      while (await this.#goesOn()) {
        if (!(await pace.step(() => store.write(forgetHistory, { accountId, ...since })))) break
      }
    }
  }

  async #removeMessages(now: number): Promise<void> {
    const { store, log, retention } = this.#options
    const removed: Record<Sweep['kind'], number> = { content: 0, transcript: 0, record: 0 }
    for (const sweep of await reading(listSweeps(store.read, retention))) {
      removed[sweep.kind] += await this.#sweep(sweep, now)
    }
    await this.#forgetNotes()
    if (Object.values(removed).some((count) => count > 0)) log.info({ removed }, 'old messages were removed')
  }

  async #removeInbound(now: number): Promise<void> {
    const { store, retention } = this.#options
    const pace = new Pace(MAX_MESSAGES)
    for (const sweep of await reading(listSweeps(store.read, retention))) {
      const step = (): Promise<number> =>
        pace.step((limit) => store.write(removeOldInbound, { sweep, now, limit }))
      while ((await this.#goesOn()) && (await step()) > 0);
    }
  }

  /** So that what is noted is bounded by the queue, whatever becomes of domains, streams and their rules. */
  async #forgetNotes(): Promise<void> {
    const { store, retention } = this.#options
    const [sweeps, redactions] = await reading(
      Promise.all([listSweeps(store.read, retention), listRedactions(store.read)]),
    )
    const rules = [...sweeps, ...redactions]
    const pace = new Pace(MAX_MESSAGES)
    const step = (): Promise<number> =>
      pace.step((limit) => store.write(forgetNotesOfOtherRules, { rules, limit }))
    while ((await this.#goesOn()) && (await step()) > 0);
  }

  /** Answers how much was removed. */
  async #sweep(sweep: Sweep, now: number): Promise<number> {
    if (!(await reading(hasOld(this.#options.store.read, sweep, now)))) return 0
    return this.#steps(sweep, ['skipped', 'new'], now)
  }

  /** Looks at what was skipped before, or at what has become old since, to the end; answers how much was removed. */
  async #steps(sweep: Sweep, parts: readonly ('skipped' | 'new')[], now: number): Promise<number> {
    const { store } = this.#options
    const pace = new Pace(MAX_MESSAGES)
    let removed = 0
    let waited = 0
    for (const part of parts) {
      for (let after = '', ended = false; !ended && (await this.#goesOn()); ) {
        const skippedAfter = part === 'skipped' ? after : undefined
        let asked = 0
        const step = await pace.step((limit) => {
          asked = limit
          return store.write(removeOld, { sweep, now, limit, skippedAfter })
        })
        removed += step.removed
        after = step.lastId ?? after
        ended = step.looked < asked
        if (!step.waits) continue
        ended = ++waited > MAX_WAITS
        await sleep(WAIT_MS)
      }
    }
    return removed
  }

  /** Removes from the feeds what is older than records are kept; what a stream keeps for less is left out when read. */
  async #removeFeeds(now: number): Promise<void> {
    const { store, retention } = this.#options
    const pace = new Pace(1)
    for (const { kind, domainId, stream, keptMs } of await reading(listSweeps(store.read, retention))) {
      if (kind !== 'record' || stream !== '') continue
      const before = now - keptMs
      for (const id of domainId === '' ? await reading(feedsWithOld(store.read, before)) : [domainId]) {
        while (await this.#goesOn()) {
          if (!(await pace.step(() => store.write(forgetFeed, { domainId: id, before })))) break
        }
      }
    }
  }

  /** Removes old deliveries of webhooks, and all of those that are deleted. */
  async #removeDeliveries(now: number): Promise<void> {
    const { store, webhooksMs } = this.#options
    const before = now - webhooksMs
    const pace = new Pace(1)
    for (const webhookId of await reading(webhooksWithOld(store.read, before))) {
      while (await this.#goesOn()) {
        if (!(await pace.step(() => store.write(forgetDeliveries, { webhookId, before })))) break
      }
    }
  }

  async #removeLinks(): Promise<void> {
    const pace = new Pace(1)
    for (let after: string | undefined = ''; after !== undefined && (await this.#goesOn()); ) {
      const from: string = after
      after = await pace.step(() => this.#options.store.write(forgetOrphanedLinks, { after: from }))
    }
  }

  async #giveBackSpace(): Promise<void> {
    const pace = new Pace(MAX_PAGES)
    const step = (): Promise<number> =>
      pace.step((pages) => this.#options.store.write(giveBackSpace, { pages }))
    while ((await this.#goesOn()) && (await step()) > 0);
  }

  /** Tells if this node has the job and is not stopping. */
  async #goesOn(): Promise<boolean> {
    return !this.#looking.stopping.aborted && (await this.#job.hold())
  }
}
