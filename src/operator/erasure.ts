// Erasing a person: everything that is stored about an address, with a receipt; and showing it before that.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import { earlierResults } from '../lib/repeatable-run.ts'
import { inAnyCase, isAddress, parseAddress } from '../model/address.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { overwriteLog } from '../store/database/space.ts'
import { type Read, reading, type Store } from '../store/database/store.ts'
import {
  type FoundRow,
  openBulksOf,
  openListsOf,
  recipientsOf,
  rowsAbout,
  usersOf,
} from '../store/messages/about-address.ts'
import {
  addUp,
  type ErasedRows,
  eraseByAddress,
  eraseFromMessages,
  eraseMentions,
} from '../store/messages/erasure.ts'
import {
  deliveriesAbout,
  mentionsOf,
  type SearchedTable,
  type Subject,
  searchedFor,
} from '../store/messages/mentions.ts'
import { readWholeLog } from '../store/readers/log-readers.ts'

/** Proof of an erasure; it does not name the address. */
export interface Receipt {
  readonly erased_at: string
  /** Rows that were removed, or emptied of the address, by table. */
  readonly rows: ErasedRows
}

/** Whose data is meant; without either, the whole installation's. */
export type Scope = Pick<Subject, 'accountId' | 'domainId'>

const MAX_MESSAGES = 50
const MAX_ROWS = 200
const PAUSE_MS = 20

/**
 * Erases an address, in any case, a tag as it is written. Throws `validation_failed` for what is no address; `conflict`
 * while a message to it waits, a list with it is verified, or a user logs in with it: then nothing was changed.
 */
export async function erase(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  address: string,
  scope: Scope,
): Promise<Receipt> {
  const subject = subjectOf(address, scope)
  const recipients = await reading(recipientsOf(store.read, subject))
  await refuseOpen(store.read, subject)
  const ids = [...new Set(recipients.map(({ message_id }) => message_id))]
  let rows = erasedEarlier()
  // First, as nothing would lead to them without the messages.
  if (ids.length > 0) {
    const deliveries = deliveriesAbout(store.read, subject, new Set(ids))
    rows = addUp(rows, await eraseFound(store, 'webhook_deliveries', deliveries))
  }
  for (let start = 0; start < ids.length; start += MAX_MESSAGES) {
    const messageIds = ids.slice(start, start + MAX_MESSAGES)
    const erased = await behindReaders(store, () =>
      store.write(eraseFromMessages, { email: subject.email, messageIds }),
    )
    if (erased === 'waiting') throw waits()
    rows = addUp(rows, erased)
    await sleep(PAUSE_MS)
  }
  rows = addUp(rows, await store.write(eraseByAddress, subject))
  for (const table of searchedFor(subject)) rows = addUp(rows, await eraseFrom(store, table, subject))
  await overwriteLog(store.read)
  return { erased_at: new Date(clock.now()).toISOString(), rows }
}

/** Returns what an erasure that a crash cut has erased. */
function erasedEarlier(): ErasedRows {
  const results = [eraseFromMessages, eraseByAddress, eraseMentions].flatMap((write) =>
    earlierResults<ErasedRows | string>(write),
  )
  return addUp(...results.filter((result) => typeof result !== 'string'))
}

/** Erases an address from a table that has to be searched. */
const eraseFrom = (store: Store, table: SearchedTable, subject: Subject): Promise<ErasedRows> =>
  eraseFound(store, table, mentionsOf(store.read, table, subject, 'key'))

/** Erases the rows that a search finds: the writer gets their keys, and never searches. */
async function eraseFound(
  store: Store,
  table: SearchedTable,
  found: ReturnType<typeof mentionsOf>,
): Promise<ErasedRows> {
  let rows: ErasedRows = { [table === 'audit_log' ? 'audit_log_emptied' : table]: 0 }
  for (;;) {
    const { value, done } = await reading(found.next())
    if (done) return rows
    for (let start = 0; start < value.length; start += MAX_ROWS) {
      const keys = value.slice(start, start + MAX_ROWS)
      rows = addUp(rows, await behindReaders(store, () => store.write(eraseMentions, { table, keys })))
      await sleep(PAUSE_MS)
    }
  }
}

/** Erases when the event log has been read: its readers would write rows about the address afterwards. */
async function behindReaders<Result>(store: Store, step: () => Promise<Result | 'unread'>): Promise<Result> {
  for (;;) {
    await readWholeLog(store)
    const result = await step()
    if (result !== 'unread') return result
  }
}

/** All rows about an address. Throws `validation_failed` for what is no address. */
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
    'A message to this address waits or is being attempted; cancel it or let it end, then repeat this: what is final is erased then.',
  )
