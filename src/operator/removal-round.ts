// One round of the removal of old data, in small steps that do not delay other writes.

import { setTimeout as sleep } from 'node:timers/promises'
import { beforeIdsOf } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { PacedSteps } from '../lib/paced-steps.ts'
import { REPORT_DAYS } from '../model/report.ts'
import type { Retention, Sweep } from '../model/retention.ts'
import { releaseSpace } from '../store/database/space.ts'
import { reading, type Store } from '../store/database/store.ts'
import { feedsWithOld, forgetFeed } from '../store/events/feed-removal.ts'
import { removeOldInbound } from '../store/inbound/inbound-removal.ts'
import { removeOldTestMails } from '../store/inboxes/mails.ts'
import { listRedactions } from '../store/messages/redaction.ts'
import { contentDays, removeDay } from '../store/removal/content-days.ts'
import { findAccountsWithHistory, forgetHistory } from '../store/removal/history-removal.ts'
import {
  forgetNotesOfOtherRules,
  hasOld,
  hasSkipped,
  listSweeps,
  removeOld,
} from '../store/removal/retention.ts'
import { removeOldReports } from '../store/reports/report-removal.ts'
import { forgetIdempotencyKeys, IDEMPOTENCY_MS } from '../store/requests/idempotency-keys.ts'
import { forgetDeliveries, webhooksWithOld } from '../store/webhooks/deliveries.ts'
import { forgetOrphanedLinks } from '../store/workspace/unsubscribe.ts'

const MAX_MESSAGES = 400
const DAY_MS = 86_400_000
/** Minimum retention at which contents are removed by whole days, up to a day late. */
const MIN_KEPT_BY_DAY_MS = 7 * 86_400_000
/** Maximum number of rows of one table per step. */
const MAX_ROWS = 1_000
/** Maximum number of database pages (4 KiB) per step. */
const MAX_PAGES = 512
/** Maximum number of waits for the readers of the event log; the sweep then continues in the next round. */
const MAX_WAITS = 40
/** Duration of one wait for the readers of the event log. */
const WAIT_MS = 250

/** Options of a removal round; lifetimes are in milliseconds. */
export interface RemovalRoundOptions {
  readonly store: Store
  readonly log: Log
  /** Lifetime of messages. */
  readonly retention: Retention
  /** Lifetime of audit entries. */
  readonly auditMs: number
  /** Lifetime of sending statistics. */
  readonly figuresMs: number
  readonly webhooksMs: number
  /** Lifetime of the log of API requests. */
  readonly requestsMs: number
}

/**
 * Removes old data as long as `goesOn` returns true. Every part throws errors of the store; the next call of a part
 * continues where the part stopped.
 */
export class RemovalRound {
  readonly #options: RemovalRoundOptions
  readonly #goesOn: () => Promise<boolean>
  readonly #stopping: AbortSignal

  /**
   * @param goesOn returns false if this round has to end; a later round or another node then does the rest
   * @param stopping aborts long steps
   */
  constructor(options: RemovalRoundOptions, goesOn: () => Promise<boolean>, stopping: AbortSignal) {
    this.#options = options
    this.#goesOn = goesOn
    this.#stopping = stopping
  }

  /** Removes the contents of final messages in streams that store no contents. */
  async redact(now: number): Promise<void> {
    const { store } = this.#options
    for (const sweep of await reading(listRedactions(store.read))) await this.#skipped(sweep, now)
  }

  /** Returns the functions of this round that remove data by age. */
  partsByAge(now: number): (() => Promise<void>)[] {
    return [
      () => this.#removeHistory(now),
      () => this.#removeMessages(now),
      () => this.#removeInbound(now),
      () => this.#removeTestMails(now),
      () => this.#removeReports(now),
      () => this.#removeFeeds(now),
      () => this.#removeDeliveries(now),
      () => this.#removeIdempotencyKeys(now),
    ]
  }

  /** Removes unsubscribe links whose newest message was removed. */
  async removeLinks(): Promise<void> {
    let after: string | undefined = ''
    await new PacedSteps(MAX_ROWS).untilDone(this.#goesOn, async (limit) => {
      after = await this.#options.store.write(forgetOrphanedLinks, { after: after ?? '', limit })
      return after !== undefined
    })
  }

  async releaseSpace(): Promise<void> {
    const { store } = this.#options
    await new PacedSteps(MAX_PAGES).untilDone(this.#goesOn, (pages) => store.write(releaseSpace, { pages }))
  }

  async #removeHistory(now: number): Promise<void> {
    const { store, auditMs, figuresMs, requestsMs } = this.#options
    const since = { audit: now - auditMs, figures: now - figuresMs, requests: now - requestsMs }
    const paced = new PacedSteps(MAX_ROWS)
    for (const accountId of await reading(findAccountsWithHistory(store.read, since))) {
      await paced.untilDone(this.#goesOn, (limit) =>
        store.write(forgetHistory, { accountId, ...since, limit }),
      )
    }
  }

  async #removeMessages(now: number): Promise<void> {
    const { store, log, retention } = this.#options
    const removed: Record<Sweep['kind'], number> = { content: 0, transcript: 0, record: 0 }
    for (const sweep of await reading(listSweeps(store.read, retention))) {
      const isByDay = sweep.kind === 'content' && sweep.domainId === ''
      removed[sweep.kind] += await (isByDay ? this.#contents(sweep, now) : this.#sweep(sweep, now))
    }
    await this.#forgetNotes()
    if (Object.values(removed).some((count) => count > 0)) log.info({ removed }, 'old messages were removed')
  }

  async #removeInbound(now: number): Promise<void> {
    const { store, retention } = this.#options
    const paced = new PacedSteps(MAX_MESSAGES)
    for (const sweep of await reading(listSweeps(store.read, retention))) {
      await paced.untilDone(this.#goesOn, (limit) => store.write(removeOldInbound, { sweep, now, limit }))
    }
  }

  async #removeTestMails(now: number): Promise<void> {
    await new PacedSteps(MAX_MESSAGES).untilDone(
      this.#goesOn,
      async (limit) => (await this.#options.store.write(removeOldTestMails, { now, limit })) >= limit,
    )
  }

  async #removeReports(now: number): Promise<void> {
    const since = { raw: now - REPORT_DAYS.raw * DAY_MS, rows: now - REPORT_DAYS.rows * DAY_MS }
    await new PacedSteps(MAX_MESSAGES).untilDone(this.#goesOn, (limit) =>
      this.#options.store.write(removeOldReports, { ...since, limit }),
    )
  }

  /** Removes records of skipped messages, if the records belong to retention rules that are no longer in force. */
  async #forgetNotes(): Promise<void> {
    const { store, retention } = this.#options
    const [sweeps, redactions] = await reading(
      Promise.all([listSweeps(store.read, retention), listRedactions(store.read)]),
    )
    const rules = [...sweeps, ...redactions]
    await new PacedSteps(MAX_MESSAGES).untilDone(this.#goesOn, (limit) =>
      store.write(forgetNotesOfOtherRules, { rules, limit }),
    )
  }

  /**
   * Removes contents by the rule of the installation. A partition with the contents of a day is removed as a whole once
   * the youngest content is old enough. Contents with a short retention are removed one by one, because the removal of
   * a whole day would be late.
   */
  async #contents(sweep: Sweep, now: number): Promise<number> {
    const { store } = this.#options
    const days = await reading(contentDays(store.read))
    if (days.length === 0) return this.#sweep(sweep, now)
    let removed =
      sweep.keptMs < MIN_KEPT_BY_DAY_MS ? await this.#sweep(sweep, now) : await this.#skipped(sweep, now)
    for (const day of days) {
      removed += await this.#sweep({ ...sweep, until: day.from }, now)
      if (day.until > beforeIdsOf('msg', now - sweep.keptMs) || !(await this.#goesOn())) return removed
      const together = await store.unlimited?.((db) => removeDay(db, day), this.#stopping)
      // The table is in use, for example by a dump; the next round tries again.
      if (together === 'in use') return removed
      removed +=
        typeof together === 'number' ? together : await this.#sweep({ ...sweep, until: day.until }, now)
    }
    return removed + (await this.#sweep(sweep, now))
  }

  /** Checks the messages again that earlier sweeps skipped; returns the number of removals. */
  async #skipped(sweep: Sweep, now: number): Promise<number> {
    if (!(await reading(hasSkipped(this.#options.store.read, sweep)))) return 0
    return this.#steps(sweep, ['skipped'], now)
  }

  /**
   * Runs a sweep; returns the number of removals. A sweep with `until` leaves out the messages that earlier sweeps
   * skipped.
   */
  async #sweep(sweep: Sweep, now: number): Promise<number> {
    if (!(await reading(hasOld(this.#options.store.read, sweep, now)))) return 0
    return this.#steps(sweep, sweep.until === undefined ? ['skipped', 'new'] : ['new'], now)
  }

  /** Checks all skipped messages, all messages that have become old, or both; returns the number of removals. */
  async #steps(sweep: Sweep, parts: readonly ('skipped' | 'new')[], now: number): Promise<number> {
    const { store } = this.#options
    const paced = new PacedSteps(MAX_MESSAGES)
    let removed = 0
    let waited = 0
    for (const part of parts) {
      for (let after = '', ended = false; !ended && (await this.#goesOn()); ) {
        const skippedAfter = part === 'skipped' ? after : undefined
        let asked = 0
        const step = await paced.step((limit) => {
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

  /**
   * Removes the entries of the event feeds whose age exceeds the retention of records. A shorter retention of a stream
   * applies when the feed is read.
   */
  async #removeFeeds(now: number): Promise<void> {
    const { store, retention } = this.#options
    const paced = new PacedSteps(MAX_ROWS)
    for (const { kind, domainId, stream, keptMs } of await reading(listSweeps(store.read, retention))) {
      if (kind !== 'record' || stream !== '') continue
      const before = now - keptMs
      for (const id of domainId === '' ? await reading(feedsWithOld(store.read, before)) : [domainId]) {
        await paced.untilDone(this.#goesOn, (limit) =>
          store.write(forgetFeed, { domainId: id, before, isOfAll: domainId === '', limit }),
        )
      }
    }
  }

  /** Removes old webhook deliveries, and all deliveries of deleted webhooks. */
  async #removeDeliveries(now: number): Promise<void> {
    const { store, webhooksMs } = this.#options
    const before = now - webhooksMs
    const paced = new PacedSteps(MAX_ROWS)
    for (const webhookId of await reading(webhooksWithOld(store.read, before))) {
      await paced.untilDone(this.#goesOn, (limit) =>
        store.write(forgetDeliveries, { webhookId, before, limit }),
      )
    }
  }

  /** Removes expired idempotency keys. An expired key that a request uses again is dropped by that request. */
  async #removeIdempotencyKeys(now: number): Promise<void> {
    const { store } = this.#options
    await new PacedSteps(MAX_ROWS).untilDone(this.#goesOn, (limit) =>
      store.write(forgetIdempotencyKeys, { before: now - IDEMPOTENCY_MS, limit }),
    )
  }
}
