// Processes one bulk: converts the rows to messages in parts, or cancels the messages.

import type { Clock } from '../lib/clock.ts'
import type { Run } from '../lib/leased-runs.ts'
import type { Log } from '../lib/log.ts'
import { parseWritten } from '../lib/written-numbers.ts'
import type { BulkRow } from '../model/bulk.ts'
import { PermittedRecipients } from '../model/permitted-recipients.ts'
import { Problem } from '../model/problem.ts'
import {
  type Bulk,
  findBulkContent,
  findBulkSender,
  listPendingRows,
  listSentRows,
  othersWait,
  type PendingRow,
} from '../store/bulk/bulks.ts'
import { reading, type Store } from '../store/database/store.ts'
import type { HeldWork } from '../store/node/leased-work.ts'
import { cancelRecipients, OPERATOR_BATCH } from '../store/queue/queue-control.ts'
import { type Refused, refused } from '../submission/answer.ts'
import { type Sender, senderOf } from '../submission/authorize.ts'
import type { BulkPartEnd } from '../submission/bulk-part.ts'
import type { Submission } from '../submission/submit.ts'
import type { BulkContents, OpenedBulkContent } from './bulk-content.ts'

export interface BulkRunOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly submission: Submission
  readonly contents: BulkContents
}

/** A bulk under a lease of this node. */
export interface HeldBulk extends HeldWork {
  readonly bulk: Bulk
}

/** End of a run: the bulk is finished, waits for a problem to end or for its next turn, or is held by another node. */
export interface BulkEnd {
  readonly status: 'done' | 'cancelled' | 'paused' | 'queued' | 'lost'
  readonly problem?: Refused
}

export const LOST: BulkEnd = { status: 'lost' }
export const STOPPED: BulkEnd = { status: 'queued' }
const TURN_IS_OVER = STOPPED

/** Maximum number of rows per write, so that other writes can run in between. */
const PART_ROWS = 200
/** Time after which a bulk gives way to bulks of other accounts. */
const TURN_MS = 5_000
/** Pause after a part, as a share of the part's duration, so that other requests are processed in between. */
const REST_SHARE = 0.25
/** Pause before a part is tried again after the store, or memory of this node, was unavailable. */
const UNAVAILABLE_MS = 500
/** Number of consecutive failures to store a part after which the bulk is left to another run. */
const MAX_FAILURES = 20

/** One run of a bulk; `run` is called once. */
export class BulkRun implements Run<BulkEnd> {
  readonly #held: HeldBulk
  readonly #options: BulkRunOptions
  #end: BulkEnd | undefined

  constructor(held: HeldBulk, options: BulkRunOptions) {
    this.#held = held
    this.#options = options
  }

  async run(): Promise<BulkEnd> {
    try {
      return this.#held.bulk.status === 'cancelling' ? await this.#cancel() : await this.#accept()
    } catch (error) {
      this.#options.log.error({ err: error, bulk_id: this.#held.id }, 'a bulk could not be processed')
      const problem = error instanceof Problem ? refused(error) : undefined
      return this.#end ?? { status: 'paused', ...(problem === undefined ? {} : { problem }) }
    }
  }

  stop(why: BulkEnd): void {
    this.#end ??= why
  }

  async #accept(): Promise<BulkEnd> {
    const { read } = this.#options.store
    const { id, bulk } = this.#held
    const stored = await reading(findBulkContent(read, id))
    if (stored === undefined) throw new Error('the content of a bulk is missing')
    const content = this.#options.contents.open({ accountId: bulk.account_id }, stored)
    const turnBegan = performance.now()
    let after = 0
    let failures = 0
    while (this.#end === undefined) {
      if (await this.#makesRoom(performance.now() - turnBegan)) return TURN_IS_OVER
      const rows = await reading(listPendingRows(read, id, after, PART_ROWS))
      if (rows.length === 0) return { status: 'done' }
      const sender = await this.#sender()
      if (sender === undefined) return { status: 'cancelled', problem: refused(domainGone()) }
      const began = performance.now()
      const end = await this.#acceptPart(sender, content, rows)
      if (end === undefined) {
        if (++failures === MAX_FAILURES) throw unavailable()
        await this.#pause(UNAVAILABLE_MS)
        continue
      }
      failures = 0
      if (end.isLost) return LOST
      if (end.problem !== undefined) return { status: 'paused', problem: refused(end.problem) }
      after = end.line ?? after
      await this.#pause(REST_SHARE * (performance.now() - began))
    }
    return this.#end
  }

  /** True if another waiting bulk goes before this bulk, whose turn has lasted `turnMs` milliseconds. */
  #makesRoom(turnMs: number): Promise<boolean> {
    const { store, clock } = this.#options
    const { accountId } = this.#held
    return reading(othersWait(store.read, accountId, { now: clock.now(), cancelled: turnMs < TURN_MS }))
  }

  /** Accepts the messages of a part of the bulk; returns undefined if the messages cannot be accepted now. */
  async #acceptPart(
    sender: Sender,
    content: OpenedBulkContent,
    rows: readonly PendingRow[],
  ): Promise<BulkPartEnd | undefined> {
    const { submission, clock, log } = this.#options
    const { accountId, id, lease } = this.#held
    try {
      const end = await submission.submitBulkPart(sender, {
        held: { accountId, id, lease },
        rows,
        base: content.base,
        common: content.common,
        template: content.template,
        requestOf: ({ data }) => content.requestOf(parseWritten(data) as BulkRow, clock.now()),
      })
      return end.problem?.code === 'unavailable' && end.line === undefined ? undefined : withoutDelay(end)
    } catch (error) {
      log.warn({ err: error, bulk_id: id }, 'rows of a bulk could not be accepted')
      if (error instanceof Problem && error.code !== 'unavailable') throw error
      return undefined
    }
  }

  /** Reads the sender again, because a sender that was paused or suspended during the run must not send. */
  async #sender(): Promise<Sender | undefined> {
    const { bulk } = this.#held
    const found = await reading(findBulkSender(this.#options.store.read, bulk))
    if (found === undefined) return undefined
    const { recipients, ...sender } = found
    const permitted = recipients === null ? null : new PermittedRecipients(JSON.parse(recipients))
    return senderOf({ ...sender, id: bulk.key_id, inbox_id: bulk.inbox_id }, permitted)
  }

  /** Cancels the messages of the bulk; attempts under way are not affected. */
  async #cancel(): Promise<BulkEnd> {
    const { store, clock } = this.#options
    const { id, bulk } = this.#held
    const owner = { accountId: bulk.account_id, domainId: bulk.domain_id }
    for (let after = 0; this.#end === undefined; ) {
      const rows = await reading(listSentRows(store.read, id, after, OPERATOR_BATCH))
      if (rows.length === 0) return { status: 'cancelled' }
      const began = performance.now()
      const messageIds = rows.map(({ message_id }) => message_id)
      await store.write(cancelRecipients, {
        selection: { owner, messageIds },
        by: 'sender',
        now: clock.now(),
      })
      after = rows.at(-1)?.line ?? after
      await this.#pause(REST_SHARE * (performance.now() - began))
    }
    return this.#end
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, Math.ceil(ms)))
  }
}

/**
 * Removes the problem `unavailable` from the result of a part that stored rows, because the next part may succeed
 * immediately.
 */
const withoutDelay = (end: BulkPartEnd): BulkPartEnd => {
  if (end.problem?.code !== 'unavailable') return end
  const { problem: _, ...kept } = end
  return kept
}

const unavailable = (): Problem =>
  new Problem(
    'unavailable',
    'The messages of the bulk could not be stored for a while; the bulk is tried again.',
  )

const domainGone = (): Problem => new Problem('not_found', 'The domain was deleted.')
