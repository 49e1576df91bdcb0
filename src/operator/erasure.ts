// Lists the data stored about an address; erases the data and issues a receipt.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import { earlierResults } from '../lib/repeatable-run.ts'
import { inAnyCase, isAddress, parseAddress } from '../model/address.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { inWords } from '../model/retention.ts'
import { overwriteLog } from '../store/database/space.ts'
import { type Read, reading, type Store } from '../store/database/store.ts'
import {
  type FoundRow,
  openBulksOf,
  openListsOf,
  recipientsOf,
  rowsAbout,
  usersOf,
} from '../store/person/about-address.ts'
import {
  addUp,
  type ErasedRows,
  eraseByAddress,
  eraseFromMessages,
  eraseMail,
} from '../store/person/erasure.ts'
import { type MailTable, mailOf, mailTablesFor, type Subject } from '../store/person/mail-of-address.ts'
import { readWholeLog } from '../store/readers/log-readers.ts'

/** Proof of an erasure; the proof does not contain the address. */
export interface Receipt {
  readonly erased_at: string
  /** Number of rows removed or cleared, by table. */
  readonly rows: ErasedRows
  /** Explanation, by table, of the rows that may still quote the address, and of the lifetime of these rows. */
  readonly kept: Readonly<Record<string, string>>
}

export interface ErasureParts {
  readonly store: Store
  readonly clock: Clock
  /** Lifetime of webhook deliveries, in milliseconds. */
  readonly webhooksMs: number
  /** Lifetime of audit entries, in milliseconds. */
  readonly auditMs: number
}

/** Owner of the data: an account, a domain, or the whole installation if both are missing. */
export type Scope = Pick<Subject, 'accountId' | 'domainId'>

const MAX_MESSAGES = 50
const MAX_ROWS = 200
const PAUSE_MS = 20

/**
 * Erases an address. The comparison of addresses is case-insensitive; an address with a tag (`a+tag@`) is another
 * address. Throws `validation_failed` for an invalid address. Throws `conflict`, and erases nothing, while a message to
 * the address is queued, a list or bulk with the address is being processed, or the address is the login of a user.
 */
export async function erase(parts: ErasureParts, address: string, scope: Scope): Promise<Receipt> {
  const { store, clock } = parts
  const subject = subjectOf(address, scope)
  const recipients = await reading(recipientsOf(store.read, subject))
  await refuseOpen(store.read, subject)
  const ids = [...new Set(recipients.map(({ message_id }) => message_id))]
  let rows = erasedEarlier()
  for (let start = 0; start < ids.length; start += MAX_MESSAGES) {
    const messageIds = ids.slice(start, start + MAX_MESSAGES)
    const erased = await afterReaders(store, () =>
      store.write(eraseFromMessages, { email: subject.email, messageIds }),
    )
    if (erased === 'waiting') throw waits()
    rows = addUp(rows, erased)
    await sleep(PAUSE_MS)
  }
  rows = addUp(rows, await store.write(eraseByAddress, subject))
  for (const table of mailTablesFor(subject)) rows = addUp(rows, await eraseMailOf(store, table, subject))
  await overwriteLog(store.read)
  return { erased_at: new Date(clock.now()).toISOString(), rows, kept: keptRows(parts) }
}

/** Returns the numbers of rows that were erased before a crash interrupted this erasure. */
function erasedEarlier(): ErasedRows {
  const results = [eraseFromMessages, eraseByAddress, eraseMail].flatMap((write) =>
    earlierResults<ErasedRows | string>(write),
  )
  return addUp(...results.filter((result) => typeof result !== 'string'))
}

/** Describes the rows that an erasure leaves, with the time after which these rows are removed. */
const keptRows = ({ webhooksMs, auditMs }: ErasureParts): Receipt['kept'] => ({
  webhook_deliveries: `Deliveries of webhooks, whose answers may quote payloads, end after ${inWords(webhooksMs)}.`,
  audit_log: `The audit log keeps actors and actions for ${inWords(auditMs)}.`,
})

/** Erases the received mails of an address. The search runs outside the writer; the writer only receives IDs. */
async function eraseMailOf(store: Store, table: MailTable, subject: Subject): Promise<ErasedRows> {
  const found = mailOf(store.read, table, subject)
  let rows: ErasedRows = { [table]: 0 }
  for (;;) {
    const { value, done } = await reading(found.next())
    if (done) return rows
    for (let start = 0; start < value.length; start += MAX_ROWS) {
      const ids = value.slice(start, start + MAX_ROWS)
      rows = addUp(rows, await afterReaders(store, () => store.write(eraseMail, { table, ids })))
      await sleep(PAUSE_MS)
    }
  }
}

/**
 * Runs an erasing step after the readers of the event log have read the whole log. A reader that lags would otherwise
 * write rows about the address after the erasure.
 */
async function afterReaders<Result>(store: Store, step: () => Promise<Result | 'unread'>): Promise<Result> {
  for (;;) {
    await readWholeLog(store)
    const result = await step()
    if (result !== 'unread') return result
  }
}

/** Returns all rows about an address. Throws `validation_failed` for an invalid address. */
export const everythingAbout = (read: Read, address: string, scope: Scope): AsyncGenerator<FoundRow> =>
  rowsAbout(read, subjectOf(address, scope))

function subjectOf(text: string, scope: Scope): Subject {
  const address = parseAddress(text.trim())
  if (isAddress(address)) return { ...scope, email: inAnyCase(address.email) }
  const message = `This is not an email address: it ${address.problem}.`
  throw invalidFields([{ path: 'email', code: 'invalid_email', message }])
}

async function refuseOpen(read: Read, subject: Subject): Promise<void> {
  const recipients = await reading(recipientsOf(read, subject))
  if (recipients.some(({ waits }) => waits)) throw waits()
  const [list] = await reading(openListsOf(read, subject))
  if (list !== undefined) {
    throw new Problem(
      'conflict',
      `The list ${list} with this address is still being verified; erase it when the list is done. Nothing was changed.`,
    )
  }
  const [bulk] = await reading(openBulksOf(read, subject))
  if (bulk !== undefined) {
    throw new Problem(
      'conflict',
      `The bulk ${bulk} with this address is still being sent; erase it when the bulk is done, or cancel it. Nothing was changed.`,
    )
  }
  if (subject.domainId === undefined && (await reading(usersOf(read, subject))).length > 0) {
    throw new Problem(
      'conflict',
      'A user logs in with this address; delete the user first (postrider user delete). Nothing was changed.',
    )
  }
}

const waits = (): Problem =>
  new Problem(
    'conflict',
    'A message to this address is waiting or being attempted; cancel the message or wait for its end, then repeat the erasure.',
  )
