// Erasing the data stored under an address, with a receipt; and listing it before that.

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
  /** Rows that may still quote the address without a key, by table, and their end. */
  readonly kept: Readonly<Record<string, string>>
}

export interface ErasureParts {
  readonly store: Store
  readonly clock: Clock
  /** Lifetimes in milliseconds of webhook deliveries and of audit entries. */
  readonly webhooksMs: number
  readonly auditMs: number
}

/** The owner of the data; without account and domain, the whole installation. */
export type Scope = Pick<Subject, 'accountId' | 'domainId'>

const MAX_MESSAGES = 50
const MAX_ROWS = 200
const PAUSE_MS = 20

/**
 * Erases an address: case does not matter, a tag counts as written. Throws `validation_failed` for an invalid
 * address, `conflict` while a message to it waits, a list with it is verified, or a user logs in with it; nothing is
 * changed then.
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

/** Returns the rows erased by an erasure that a crash interrupted. */
function erasedEarlier(): ErasedRows {
  const results = [eraseFromMessages, eraseByAddress, eraseMail].flatMap((write) =>
    earlierResults<ErasedRows | string>(write),
  )
  return addUp(...results.filter((result) => typeof result !== 'string'))
}

/** Returns the rows that an erasure leaves, with the time after which they end. */
const keptRows = ({ webhooksMs, auditMs }: ErasureParts): Receipt['kept'] => ({
  webhook_deliveries: `Deliveries of webhooks, whose answers may quote payloads, end after ${inWords(webhooksMs)}.`,
  audit_log: `The audit log keeps who did what for ${inWords(auditMs)}.`,
})

/** Erases the received mails of an address. The search runs outside the writer, which receives IDs. */
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
 * Erases after the event log has been read completely; its readers would otherwise write rows about the address
 * later.
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
    'A message to this address waits or is being attempted; cancel it or let it end, then repeat the erasure.',
  )
