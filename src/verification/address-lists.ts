// Accepts lists of addresses to be verified one by one, each address once.

import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { earlierResults } from '../lib/repeatable-run.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { reading, type Store } from '../store/database/store.ts'
import { countCredits } from '../store/verification/verification-credits.ts'
import {
  addVerificationAddresses,
  cancelVerification,
  countOpenVerifications,
  type ListedAddress,
  openVerification,
  queueVerification,
} from '../store/verification/verifications.ts'
import { Pacer } from '../threads/pacer.ts'
import { creditsExhausted, MAX_KEPT_LENGTH } from './account-verification.ts'
import type { AddressRow, AddressTable } from './csv.ts'

export interface AddressListsOptions {
  readonly store: Store
  readonly clock: Clock
  /** Called when a list is ready to be processed. */
  readonly onQueued: () => void
}

/** Number of addresses in one write; other writes run between the writes of a list. */
const CHUNK = 1_000
/** Maximum number of unfinished lists of one account. */
const MAX_OPEN = 20

/** Counts of the addresses in a list. */
export interface ListSummary {
  readonly total: number
  readonly duplicates: number
  readonly invalid: number
}

/** Pacer that lets the event loop run other work between addresses. */
const pacer = new Pacer()

export class AddressLists {
  readonly #options: AddressListsOptions

  constructor(options: AddressListsOptions) {
    this.#options = options
  }

  /**
   * Stores a list, and returns the ID of the list when the whole list is on stable storage. `name` is the user's name
   * for the list. Throws `validation_failed` for addresses that cannot be stored, `rate_limit_exceeded` for too many
   * lists, `verification_credits_exhausted`, or `unavailable`.
   */
  async accept(
    holder: { readonly accountId: string; readonly keyId: string },
    { columns, rows }: AddressTable,
    name: string | null = null,
  ): Promise<string> {
    const { accountId, keyId } = holder
    const { store, clock, onQueued } = this.#options
    const id = newId('ver', clock.now())
    if (earlierResults(queueVerification).length > 0) return id
    refuseNul(columns, rows)
    refuseLong(rows)
    await this.#refuseTooMany(accountId)
    await store.write(openVerification, {
      id,
      account_id: accountId,
      key_id: keyId,
      name,
      columns: columns.length === 0 ? null : JSON.stringify(columns),
      status: 'loading',
      total: 0,
      duplicates: 0,
      deliverable: 0,
      undeliverable: 0,
      risky: 0,
      unknown: 0,
      lease: null,
      lease_until: null,
      created_at: clock.now(),
      finished_at: null,
    })
    let total = 0
    for (const chunk of chunks(distinct(rows, columns.length))) {
      await store.write(addVerificationAddresses, { accountId, verificationId: id, addresses: chunk })
      total += chunk.length
    }
    await store.write(queueVerification, { accountId, id, total, duplicates: rows.length - total })
    onQueued()
    return id
  }

  /**
   * Returns the numbers of distinct addresses and of duplicates, and how many of the distinct addresses are invalid.
   * Throws `validation_failed` for addresses that cannot be stored.
   */
  async summarize({ columns, rows }: AddressTable): Promise<ListSummary> {
    refuseNul(columns, rows)
    refuseLong(rows)
    let total = 0
    let invalid = 0
    for (const { email } of distinct(rows, 0)) {
      await pacer.turn()
      total++
      if (!isAddress(parseAddress(email))) invalid++
    }
    return { total, duplicates: rows.length - total, invalid }
  }

  /** Ends a list early; returns false if the list has already ended. */
  async cancel(accountId: string, id: string): Promise<boolean> {
    const { store, clock } = this.#options
    return store.write(cancelVerification, { accountId, id, now: clock.now() })
  }

  async #refuseTooMany(accountId: string): Promise<void> {
    const { read } = this.#options.store
    const [credits, open] = await reading(
      Promise.all([countCredits(read, accountId), countOpenVerifications(read, accountId)]),
    )
    if (credits === 0) throw creditsExhausted()
    if (open < MAX_OPEN) return
    const detail = `An account has at most ${MAX_OPEN} lists under way; wait until one is done.`
    throw new Problem('rate_limit_exceeded', detail, { retryAfter: 60 })
  }
}

/** Refuses NUL characters, which PostgreSQL text cannot contain, and which no address contains. */
function refuseNul(columns: readonly string[], rows: readonly AddressRow[]): void {
  const holdsNul = (texts: readonly string[]): boolean => texts.some((one) => one.includes('\0'))
  const at = rows.findIndex(({ email, cells }) => email.includes('\0') || holdsNul(cells))
  if (at < 0 && !holdsNul(columns)) return
  throw invalidFields([
    {
      path: `[${Math.max(0, at)}]`,
      code: 'invalid_characters',
      message: 'The row contains a NUL; remove the NUL.',
    },
  ])
}

function refuseLong(rows: readonly AddressRow[]): void {
  const at = rows.findIndex(({ email }) => email.length > MAX_KEPT_LENGTH)
  if (at < 0) return
  const message = `An address has at most ${MAX_KEPT_LENGTH} characters; remove it.`
  throw invalidFields([{ path: `[${at}]`, code: 'too_long', message }])
}

/** Yields each address once, trimmed, in the order of the list, with the cells of its first row. */
function* distinct(rows: readonly AddressRow[], columns: number): Generator<ListedAddress> {
  const seen = new Set<string>()
  let position = 0
  for (const { email: given, cells } of rows) {
    const email = given.trim()
    const address = parseAddress(email)
    const name = isAddress(address) ? address.email : email
    if (seen.has(name)) continue
    seen.add(name)
    yield {
      position: position++,
      email,
      cells: columns === 0 ? null : JSON.stringify(cells.slice(0, columns)),
    }
  }
}

function* chunks<T>(items: Iterable<T>): Generator<T[]> {
  let chunk: T[] = []
  for (const item of items) {
    chunk.push(item)
    if (chunk.length === CHUNK) {
      yield chunk
      chunk = []
    }
  }
  if (chunk.length > 0) yield chunk
}
