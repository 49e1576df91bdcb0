// postrider verify: verifies addresses like the API, but uses no credits.

import { text } from 'node:stream/consumers'
import { Lifecycle } from '../lib/lifecycle.ts'
import { silentLog } from '../lib/log.ts'
import { startVerificationAlone } from '../node/verification.ts'
import { listAccounts } from '../store/access/accounts.ts'
import type { Read } from '../store/database/store.ts'
import { NodeName } from '../store/node/node-identity.ts'
import type { AccountVerification } from '../verification/account-verification.ts'
import { type AddressTable, resultsAsCsv } from '../verification/csv.ts'
import { readAddressTable } from '../verification/table-in.ts'
import type { Verification } from '../verification/verify.ts'
import type { Answer, Context } from './command.ts'
import { chooseAccount, withStore } from './open.ts'
import { readTable } from './table-input.ts'
import { fields, printable } from './text.ts'

const AT_ONCE = 100

export function verify(
  context: Context,
  given: {
    readonly address: string | undefined
    readonly detailed: boolean
    readonly account: string | undefined
  },
): Promise<Answer> {
  return withStore(context, async ({ config, store, clock }) => {
    const accountId = await whoseMail(store.read, given.account)
    const lifecycle = new Lifecycle()
    try {
      const node = new NodeName()
      const verification = await startVerificationAlone({
        config,
        store,
        clock,
        log: silentLog,
        node,
        lifecycle,
      })
      if (given.address === undefined || given.address === '-') {
        return await verifyCsv(verification, accountId, await readTable(context, readAddressTable))
      }
      const verified = await verification.verify(accountId, given.address, false)
      return given.detailed ? detailed(verified) : simple(verified)
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

const simple = ({ email, result, internalResult }: Verification): Answer => ({
  document: { email, result },
  text: `${printable(email)}: ${result} (${internalResult})`,
})

const detailed = (verified: Verification): Answer => ({
  document: verified,
  text: fields(Object.entries(verified).map(([name, value]) => [name, String(value)])),
})

async function verifyCsv(
  verification: AccountVerification,
  accountId: string | undefined,
  { columns, rows: addresses }: AddressTable,
): Promise<Answer> {
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
  const lines = results.map((answer, index) => ({ answer, cells: addresses[index]?.cells ?? [] }))
  const csv = await text(resultsAsCsv(each(lines), columns))
  return { document: { data: results }, text: csv.trimEnd() }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

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
    this.#done++
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
