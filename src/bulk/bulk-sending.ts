// Accepts and cancels bulks.

import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { earlierResults } from '../lib/repeatable-run.ts'
import { BULK_LIMITS, type BulkMessage } from '../model/bulk.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { tagsOf } from '../model/send-request.ts'
import { discardBulk } from '../store/bulk/bulk-removal.ts'
import {
  addBulkRows,
  cancelBulk,
  countOpenBulks,
  findBulk,
  hasWaitingMessages,
  openBulk,
  queueBulk,
  type ReadRow,
} from '../store/bulk/bulks.ts'
import { reading, type Store } from '../store/database/store.ts'
import type { Owner } from '../store/messages/owner.ts'
import { findRepeated, IDEMPOTENCY_MS } from '../store/requests/idempotency-keys.ts'
import type { Idempotency } from '../submission/accept.ts'
import { repeated } from '../submission/answer.ts'
import type { Sender } from '../submission/authorize.ts'
import { InFlightKeys } from '../submission/in-flight-keys.ts'
import { type BulkCheck, checkBulk } from './bulk-check.ts'
import type { BulkContents, StoredBulkContent } from './bulk-content.ts'
import { type GivenContent, noRows, readRow, tooManyRows } from './given-bulk.ts'

/** A bulk as submitted. */
export interface GivenBulk extends GivenContent {
  /** Name of the bulk, given by the user. */
  readonly name: string | null
  /** Idempotency key of the request, if given. */
  readonly idempotency: Idempotency | undefined
}

export interface AcceptedBulk {
  readonly bulk_id: string
  readonly status: 'queued'
}

export interface BulkSendingOptions {
  readonly store: Store
  readonly clock: Clock
  readonly contents: BulkContents
  /** Function that is called when a bulk is queued. */
  readonly onQueued: () => void
}

/** Maximum number of rows, and of characters of rows, per write, so that other writes can run in between. */
const CHUNK_ROWS = 1_000
const CHUNK_CHARACTERS = 1_000_000
/**
 * Maximum number of unfinished bulks of one account. Programs for newsletters send a list as many bulks of a thousand
 * rows.
 */
const MAX_OPEN = 100
/** Maximum number of problems that are reported if all rows are invalid. */
const MAX_REPORTED = 20

export class BulkSending {
  readonly #options: BulkSendingOptions
  readonly #inFlight = new InFlightKeys()

  constructor(options: BulkSendingOptions) {
    this.#options = options
  }

  /**
   * Stores a bulk, and returns its ID when the whole bulk is on stable storage; the rows become messages later. Throws
   * `Problem`: the problems of sending the message, `validation_failed` for too many rows or no valid row, and
   * `rate_limit_exceeded` for too many unfinished bulks.
   */
  accept(sender: Sender, given: GivenBulk): Promise<AcceptedBulk> {
    return this.#inFlight.once(sender, given.idempotency?.key, () => this.#accept(sender, given))
  }

  /** Checks a bulk as `accept` does, and all of its rows, without storing the bulk. Throws `Problem` as `accept` does. */
  check(sender: Sender, given: GivenContent): Promise<BulkCheck> {
    const { clock, contents } = this.#options
    return checkBulk(contents, sender, newId('blk', clock.now()), given)
  }

  /**
   * Ends a bulk early, or cancels the waiting messages of a finished bulk. May be repeated. Returns false if no message
   * waits any more.
   */
  async cancel({ accountId, domainId }: Owner, id: string): Promise<boolean> {
    const { store, onQueued } = this.#options
    const owner = { accountId, domainId }
    if (earlierResults(cancelBulk).includes(true)) return true
    for (;;) {
      const bulk = await reading(findBulk(store.read, owner, id))
      if (bulk === undefined) return false
      if (bulk.status === 'cancelling') return true
      const isOver = bulk.finished_at !== null
      if (isOver && !(await reading(hasWaitingMessages(store.read, id)))) return false
      // The write returns false if the bulk has finished since the read, or if another request cancels the bulk.
      if (!(await store.write(cancelBulk, { owner, id, isOver }))) continue
      onQueued()
      return true
    }
  }

  async #accept(sender: Sender, given: GivenBulk): Promise<AcceptedBulk> {
    const { name, message, shapeProblems, rows, idempotency } = given
    const { store, clock, contents, onQueued } = this.#options
    const before = idempotency && (await this.#before(sender, idempotency))
    if (before !== undefined) return before
    await this.#refuseTooMany(sender.accountId)
    const now = clock.now()
    const id = newId('blk', now)
    const content = await contents.prepare(sender, id, message, shapeProblems)
    const answer: AcceptedBulk = { bulk_id: id, status: 'queued' }
    const claim = idempotency && {
      ...{ ...idempotency, keyId: sender.keyId, messageId: '', now },
      response: JSON.stringify(answer),
    }
    const { accountId } = sender
    let isQueued = false
    await this.#open(sender, id, { name, message, content, now })
    try {
      const counts = await this.#addRows(sender, id, rows)
      const queued = await store.write(queueBulk, { accountId, id, ...counts, idempotency: claim })
      if (queued.kind !== 'accepted') return repeated<AcceptedBulk>(queued)
      isQueued = true
    } finally {
      if (!isQueued) await this.#discard(accountId, id)
    }
    onQueued()
    return answer
  }

  /** Removes the stored parts of a bulk that is not accepted; a later clean-up removes the rest. */
  async #discard(accountId: string, id: string): Promise<void> {
    const { store } = this.#options
    const discard = (): Promise<boolean> =>
      store.write(discardBulk, { accountId, id, limit: CHUNK_ROWS }).catch(() => false)
    while (await discard());
  }

  /** Returns the response to an earlier request with the same idempotency key; undefined without an earlier request. */
  async #before({ keyId }: Sender, idempotency: Idempotency): Promise<AcceptedBulk | undefined> {
    const { store, clock } = this.#options
    const since = clock.now() - IDEMPOTENCY_MS
    const before = await reading(findRepeated(store.read, { keyId, ...idempotency }, since))
    return before && repeated<AcceptedBulk>(before)
  }

  async #refuseTooMany(accountId: string): Promise<void> {
    if ((await reading(countOpenBulks(this.#options.store.read, accountId))) < MAX_OPEN) return
    const detail = `An account has at most ${MAX_OPEN} unfinished bulks; wait until one of the bulks is done.`
    throw new Problem('rate_limit_exceeded', detail, { retryAfter: 60 })
  }

  async #open(
    { accountId, domainId, keyId, inboxId }: Sender,
    id: string,
    {
      name,
      message,
      content,
      now,
    }: {
      readonly name: string | null
      readonly message: BulkMessage
      readonly content: StoredBulkContent
      readonly now: number
    },
  ): Promise<void> {
    const owner = { account_id: accountId, domain_id: domainId }
    await this.#options.store.write(openBulk, {
      bulk: {
        ...{ id, ...owner, key_id: keyId, name, tag: tagsOf(message)[0] ?? null },
        ...{ stream: content.stream, template_id: content.templateId, subject: content.subject },
        ...{ status: 'loading', problem: null, retry_at: now },
        ...{ total: 0, accepted: 0, refused: 0, contents: 0, lease: null, lease_until: null },
        ...{ created_at: now, finished_at: null, inbox_id: inboxId },
      },
      content: { bulk_id: id, ...owner, source: content.source, base: content.base },
    })
  }

  /** Stores the rows as they are parsed. Throws `Problem` for too many rows, or if no row is valid. */
  async #addRows(
    { accountId: account_id, domainId: domain_id }: Sender,
    id: string,
    rows: GivenContent['rows'],
  ): Promise<{ readonly total: number; readonly refused: number }> {
    const bulk = { id, account_id, domain_id }
    const reported: FieldProblem[] = []
    const seen = new Set<string>()
    let chunk: ReadRow[] = []
    let characters = 0
    let total = 0
    let refused = 0
    const keep = async (): Promise<void> => {
      if (chunk.length > 0) await this.#options.store.write(addBulkRows, { bulk, rows: chunk })
      chunk = []
      characters = 0
    }
    for await (const given of rows) {
      if (++total > BULK_LIMITS.rows) throw tooManyRows()
      const row = readRow(given, seen)
      if (row.refusal !== null) {
        refused++
        if (reported.length < MAX_REPORTED) reported.push(...problemsOf(row))
      }
      chunk.push(row)
      characters += (row.data ?? row.refusal ?? '').length
      if (chunk.length === CHUNK_ROWS || characters >= CHUNK_CHARACTERS) await keep()
    }
    await keep()
    if (total === 0) throw noRows()
    if (refused === total) throw invalidFields(reported)
    return { total, refused }
  }
}

const problemsOf = ({ line, refusal }: ReadRow): FieldProblem[] =>
  (JSON.parse(refusal ?? '[]') as FieldProblem[]).map((problem) => ({
    ...problem,
    path: `line ${line}${problem.path === '' ? '' : `: ${problem.path}`}`,
  }))
