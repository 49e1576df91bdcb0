// Manages manual suppressions: adds addresses to the suppression lists of a domain's streams, and removes addresses.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import { inAnyCase, isAddress, parseAddress } from '../model/address.ts'
import { type FieldProblem, invalidFields, MAX_PROBLEMS, Problem } from '../model/problem.ts'
import { DEFAULT_STREAM } from '../model/stream.ts'
import { SUPPRESSION_REASONS, type SuppressionReason, WHOLE_DOMAIN } from '../model/suppression.ts'
import { reading, type Store } from '../store/database/store.ts'
import { type Owner, wholeAccount } from '../store/messages/owner.ts'
import { listStreams } from '../store/workspace/streams.ts'
import { addSuppressions, listSuppressions, removeSuppressions } from '../store/workspace/suppression-list.ts'
import { LISTED_SUPPRESSIONS, type Suppression } from '../store/workspace/suppressions.ts'

/** Address to suppress in a stream, as given by the client; omitted fields have defaults. */
export interface SuppressionInput {
  readonly email: string
  /** Alias of the stream; `*` for all streams of the domain. The first stream is the default. */
  readonly stream?: string | undefined
  /** Reason of the suppression; `manual` by default. */
  readonly reason?: string | undefined
  /** Line number of the entry in a table, as a spreadsheet counts lines. */
  readonly line?: number
}

/** Problem of an entry, with the line number if the entry comes from a table. */
interface EntryProblem extends FieldProblem {
  readonly line?: number
}

/** Result of adding many suppressions. */
export interface AddedSuppressions {
  readonly added: number
  /** Number of addresses that were already suppressed. */
  readonly existing: number
  readonly rejected: number
  /** Problems of the first hundred refused entries. */
  readonly problems: readonly EntryProblem[]
}

interface Entry {
  readonly stream: string
  readonly email: string
  readonly reason: SuppressionReason
}

/** Number of addresses that are parsed or written at once, so that other work runs in between. */
const PIECE = 1_000

/** Manages the suppression lists. Every method throws a `Problem` if the request as a whole is refused. */
export class SuppressionList {
  readonly #store: Store
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Adds a suppression. Returns its stored form, and true if the suppression is new.
   * @param known problems of the input that are already known, to be reported together with further problems
   */
  async add(
    owner: Owner,
    input: SuppressionInput,
    known: readonly FieldProblem[] = [],
  ): Promise<{ suppression: Suppression; isNew: boolean }> {
    const entry = this.#one(input, await this.#streamsOf(owner), known)
    const { accountId, domainId } = owner
    const added = await this.#store.write(addSuppressions, {
      accountId,
      domainId,
      entries: [entry],
      now: this.#clock.now(),
    })
    const suppression = await this.#find(owner, entry)
    if (suppression === undefined)
      throw new Problem('conflict', 'The suppression was removed by a concurrent request.')
    return { suppression, isNew: added === 1 }
  }

  /**
   * Adds many suppressions. An invalid entry does not prevent the other entries from being added.
   * @param misshapen number of entries of the request that are left out, because they have the wrong shape
   */
  async addAll(owner: Owner, inputs: readonly SuppressionInput[], misshapen = 0): Promise<AddedSuppressions> {
    const { accountId, domainId } = owner
    const { entries, problems, rejected } = await this.#read(owner, inputs)
    const counts = { total: entries.length + rejected + misshapen, valid: entries.length }
    let added = 0
    for (let start = 0; ; start += PIECE) {
      const piece = entries.slice(start, start + PIECE)
      const isLast = start + PIECE >= entries.length
      const finishes = isLast && counts.total > LISTED_SUPPRESSIONS ? { ...counts, added } : undefined
      const now = this.#clock.now()
      added += await this.#store.write(addSuppressions, {
        accountId,
        domainId,
        entries: piece,
        now,
        finishes,
      })
      if (isLast) break
    }
    return { added, existing: entries.length - added, rejected, problems }
  }

  /** Removes a suppression. A suppression because of a complaint stays unless `force` is set. */
  async remove(owner: Owner, input: SuppressionInput, force: boolean): Promise<void> {
    const entry = this.#one(input, await this.#streamsOf(owner))
    const { accountId, domainId } = owner
    const item = { accountId, domainId, entries: [entry], force, now: this.#clock.now() }
    const { removed, kept } = await this.#store.write(removeSuppressions, item)
    if (removed > 0) return
    if (kept > 0) {
      throw new Problem(
        'conflict',
        'The recipient complained about this mail; use force only if the recipient has asked for the mail again.',
      )
    }
    const elsewhere = await reading(
      listSuppressions(this.#store.read, owner, { email: entry.email }, 10, undefined),
    )
    const streams = elsewhere.map(({ stream }) => stream).join(', ')
    const hint = streams === '' ? '' : ` Streams in which it is suppressed: ${streams}.`
    const list = domainId === wholeAccount(accountId).domainId ? 'account' : `stream ${entry.stream}`
    throw new Problem('not_found', `This address is not suppressed in the ${list}.${hint}`)
  }

  /**
   * Removes many suppressions. Ignores the reasons in the input, because a table may contain reasons of another
   * service.
   */
  async removeAll(owner: Owner, inputs: readonly SuppressionInput[], force: boolean) {
    const addresses = inputs.map((input) => ({ ...input, reason: undefined }))
    const { entries, problems, rejected } = await this.#read(owner, addresses)
    let removed = 0
    let kept = 0
    for (const piece of pieces(entries)) {
      const { accountId, domainId } = owner
      const item = { accountId, domainId, entries: piece, force, now: this.#clock.now() }
      const result = await this.#store.write(removeSuppressions, item)
      removed += result.removed
      kept += result.kept
    }
    return { removed, complaints_kept: kept, missing: entries.length - removed - kept, rejected, problems }
  }

  async #find(owner: Owner, { stream, email }: Entry): Promise<Suppression | undefined> {
    const [found] = await reading(listSuppressions(this.#store.read, owner, { stream, email }, 1, undefined))
    return found
  }

  async #streamsOf(owner: Owner): Promise<ReadonlySet<string>> {
    const streams = await reading(listStreams(this.#store.read, owner))
    return new Set([WHOLE_DOMAIN, ...streams.map(({ alias }) => alias)])
  }

  #one(input: SuppressionInput, streams: ReadonlySet<string>, known: readonly FieldProblem[] = []): Entry {
    const entry = readEntry(input, '', streams)
    const found = Array.isArray(entry) ? entry : []
    const problems = [...known, ...found.filter(({ path }) => known.every((one) => one.path !== path))]
    if (problems.length > 0) throw invalidFields(problems)
    return entry as Entry
  }

  async #read(owner: Owner, inputs: readonly SuppressionInput[]) {
    const streams = await this.#streamsOf(owner)
    const entries = new Map<string, Entry>()
    const problems: EntryProblem[] = []
    let rejected = 0
    for (const [index, input] of inputs.entries()) {
      if (index % PIECE === 0) await nextTurn()
      const entry = readEntry(input, `suppressions[${index}].`, streams)
      if (Array.isArray(entry)) {
        rejected++
        const { line } = input
        const found = line === undefined ? entry : entry.map((problem) => ({ ...problem, line }))
        problems.push(...found.slice(0, MAX_PROBLEMS - problems.length))
      } else {
        const { stream, email } = entry as Entry
        const key = `${stream} ${inAnyCase(email)}`
        if (entries.get(key)?.reason !== 'complaint') entries.set(key, entry as Entry)
      }
    }
    return { entries: [...entries.values()], problems, rejected }
  }
}

function* pieces<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += PIECE) yield all.slice(start, start + PIECE)
}

const isReason = (text: string): text is SuppressionReason =>
  (SUPPRESSION_REASONS as readonly string[]).includes(text)

function readEntry(
  { email, stream = DEFAULT_STREAM, reason = 'manual' }: SuppressionInput,
  path: string,
  streams: ReadonlySet<string>,
): Entry | FieldProblem[] {
  const problems: FieldProblem[] = []
  const address = parseAddress(email)
  if (!isAddress(address)) {
    const message = `This is not an email address: it ${address.problem}.`
    problems.push({ path: `${path}email`, code: 'invalid_email', message })
  }
  if (!streams.has(stream)) {
    const message = `There is no stream "${stream.slice(0, 100)}" in this domain.`
    problems.push({ path: `${path}stream`, code: 'not_found', message })
  }
  if (!isReason(reason)) {
    const message = `The reason must be one of ${SUPPRESSION_REASONS.join(', ')}.`
    problems.push({ path: `${path}reason`, code: 'invalid_value', message })
  }
  if (problems.length > 0 || !isAddress(address) || !isReason(reason)) return problems
  return { stream, email: address.email, reason }
}
