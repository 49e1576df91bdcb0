// postrider verify: verifies addresses like the API; on the machine of the service without credits.

import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Static } from 'typebox'
import type { ListView } from '../api/contract/verification.ts'
import { Lifecycle } from '../lib/lifecycle.ts'
import { silentLog } from '../lib/log.ts'
import { inAnyCase } from '../model/address.ts'
import { Problem } from '../model/problem.ts'
import { startVerificationAlone } from '../node/verification.ts'
import { listAccounts } from '../store/access/accounts.ts'
import type { Read } from '../store/database/store.ts'
import { NodeName } from '../store/node/node-identity.ts'
import type { AccountVerification } from '../verification/account-verification.ts'
import { type AddressRow, type AddressTable, resultsAsCsv } from '../verification/csv.ts'
import { readAddressTable } from '../verification/table-in.ts'
import type { Verification } from '../verification/verify.ts'
import { type Api, pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { chooseAccount, withAnyApi, withApi, withStore } from './open.ts'
import { readTable } from './table-input.ts'
import { fields, printable } from './text.ts'

const AT_ONCE = 100

interface Given {
  readonly address: string | undefined
  readonly detailed: boolean
  readonly account: string | undefined
}

/** Verifies one address, or the addresses of a CSV on standard input. */
export function verify(context: Context, { address, detailed: isDetailed, account }: Given): Promise<Answer> {
  if (address === undefined || address === '-') return verifyTable(context, account)
  return withAnyApi(context, account, async (api) => {
    const verified = await api.get<Verification>('/v1/verifyEmailDetailed', { email: address })
    return isDetailed ? detailed(verified) : simple(verified)
  })
}

const simple = ({ email, result, internalResult }: Verification): Answer => ({
  document: { email, result },
  text: `${printable(email)}: ${result} (${internalResult})`,
})

const detailed = (verified: Verification): Answer => ({
  document: verified,
  text: fields(Object.entries(verified).map(([name, value]) => [name, String(value)])),
})

/**
 * Verifies a CSV. An installation elsewhere verifies the addresses as a list, for credits; on the machine the command
 * verifies the addresses itself.
 */
async function verifyTable(context: Context, account: string | undefined): Promise<Answer> {
  const addresses = await readTable(context, readAddressTable)
  if (context.remote !== undefined) {
    return withApi(context, account, async (api) => {
      return resultsOf(addresses, await verifyList(api, addresses.rows, new Progress(addresses.rows.length)))
    })
  }
  return withStore(context, async ({ config, store, clock }) => {
    const accountId = await whoseMail(store.read, account)
    const lifecycle = new Lifecycle()
    try {
      const node = new NodeName()
      const parts = { ...{ config, store, clock, node, lifecycle }, log: silentLog }
      return await verifyCsv(await startVerificationAlone(parts), accountId, addresses)
    } finally {
      await lifecycle.stop()
    }
  })
}

/** Returns the ID of the account whose delivery history is used: the named account, or the only account. */
async function whoseMail(read: Read, named: string | undefined): Promise<string | undefined> {
  if (named !== undefined) return (await chooseAccount(read, named)).id
  const accounts = await listAccounts(read)
  return accounts.length === 1 ? accounts[0]?.id : undefined
}

async function verifyCsv(
  verification: AccountVerification,
  accountId: string | undefined,
  table: AddressTable,
): Promise<Answer> {
  const { rows: addresses } = table
  const results = new Array<Verification>(addresses.length)
  // The order is random, because adjacent addresses often share a domain, whose hosts accept few concurrent probes.
  const waiting = [...addresses.keys()].map((index) => ({ index, lot: Math.random() }))
  waiting.sort((a, b) => a.lot - b.lot)
  const progress = new Progress(addresses.length)
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      results[next.index] = await verification.verify(accountId, addresses[next.index]?.email as string, true)
      progress.step()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  progress.end()
  return resultsOf(table, results)
}

/** Returns the results of the rows of a CSV, in their order. */
async function resultsOf({ columns, rows }: AddressTable, results: readonly Verification[]): Promise<Answer> {
  const lines = results.map((answer, index) => ({ answer, cells: rows[index]?.cells ?? [] }))
  const csv = await text(resultsAsCsv(each(lines), columns))
  return { document: { data: results }, text: csv.trimEnd() }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

/** Pause between two questions for the progress of a list, in milliseconds. */
const POLL_MS = 2_000

/**
 * Returns the result of each row, in the order of the rows. Throws `conflict` if the list is cancelled or waits for
 * credits.
 */
async function verifyList(
  api: Api,
  rows: readonly AddressRow[],
  progress: Progress,
): Promise<Verification[]> {
  const addresses = rows.map(({ email }) => email)
  const { verification_id: id } = await api.post<{ verification_id: string }>('/v1/verifications', addresses)
  const path = pathOf`/v1/verifications/${id}`
  for (;;) {
    const { status, done, waiting_for: cause } = await api.get<Static<typeof ListView>>(path)
    progress.reach(done)
    if (status === 'done') break
    if (status === 'cancelled') throw new Problem('conflict', `The list ${id} was cancelled.`)
    if (cause === 'credits') {
      throw new Problem(
        'verification_credits_exhausted',
        `The account has no credits left after ${done} addresses; the list ${id} continues when the account has credits.`,
      )
    }
    await sleep(POLL_MS)
  }
  progress.end()
  const results = new Map<string, Verification>()
  for await (const page of api.pages<Verification>(`${path}/results`)) {
    for (const one of page) results.set(nameOf(one.email), one)
  }
  return addresses.map((email) => {
    const found = results.get(nameOf(email))
    if (found === undefined) throw new Problem('not_found', `The list ${id} has no result for ${email}.`)
    return found
  })
}

/** Returns the same text for all spellings of an address, which a list verifies once. */
const nameOf = (email: string): string => inAnyCase(email.trim())

const BAR_WIDTH = 30
const REDRAW_MS = 200

/** Shows a progress bar on standard error if standard error is a terminal. */
class Progress {
  readonly #total: number
  readonly #shown = process.stderr.isTTY === true
  #done = 0
  #drawnAt = 0

  constructor(total: number) {
    this.#total = total
  }

  step(): void {
    this.reach(this.#done + 1)
  }

  /** Notes the number of ended items. */
  reach(done: number): void {
    this.#done = done
    if (performance.now() - this.#drawnAt >= REDRAW_MS) this.#draw()
  }

  end(): void {
    this.#draw()
    if (this.#shown) process.stderr.write('\n')
  }

  #draw(): void {
    if (!this.#shown) return
    this.#drawnAt = performance.now()
    const filled = Math.round((BAR_WIDTH * this.#done) / this.#total)
    const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '.')
    process.stderr.write(`\r[${bar}] ${this.#done} of ${this.#total}`)
  }
}
