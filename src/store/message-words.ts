// The words by which messages are found by their subjects.

import type { Database } from './dialect.ts'
import { insertRows } from './dialect.ts'
import type { Tables } from './schema.ts'

type MessageWord = Tables['message_words']

/**
 * So many messages of a domain have a frequent word, at least. Such a word narrows no search, so that it is not kept of
 * any more messages: a mark says that what is there is not all.
 */
export const FREQUENT = 2_000
/** The mark is written with so many further messages, and by then it has been committed. */
const MARKED = 500
const MOST_COUNTED = 10_000
/** Before a word: no word begins with it. */
const MARK = '\u0001'

/** What the mark of a word, and of what begins with it, stands under. */
export const markOf = (word: string): string => MARK + word

/** How often each word was met by this process, those met lately; frequent ones that are marked are at infinity. */
let met = new Map<string, number>()
let metBefore = new Map<string, number>()

/** What was met in one database says nothing of the next one that this process opens. */
export function forgetMetWords(): void {
  met = new Map()
  metBefore = new Map()
}

/** Keeps the words of messages, but of frequent ones no more than that. */
export async function keepWords(db: Database, rows: readonly MessageWord[]): Promise<void> {
  const kept: MessageWord[] = []
  const marks = new Map<string, MessageWord>()
  const doubtful = new Map<string, MessageWord[]>()
  for (const row of rows) {
    const key = `${row.domain_id} ${row.word}`
    const count = meet(key)
    if (count === Number.POSITIVE_INFINITY) continue
    if (count > FREQUENT) marks.set(key, { ...row, word: markOf(row.word), message_id: '' })
    if (count <= FREQUENT + MARKED) kept.push(row)
    else doubtful.set(key, [...(doubtful.get(key) ?? []), row])
  }
  for (const [key, unsure] of doubtful) {
    if (await isMarked(db, marks.get(key) as MessageWord)) remember(key, Number.POSITIVE_INFINITY)
    else kept.push(...unsure)
  }
  await insertRows(db, 'message_words', [...marks.values()], 'on conflict do nothing')
  await insertRows(db, 'message_words', kept)
}

function meet(key: string): number {
  const count = (met.get(key) ?? metBefore.get(key) ?? 0) + 1
  remember(key, count)
  return count
}

/** Two maps in turn: what was not met for a while goes with the older one, and nothing is ever taken out singly. */
function remember(key: string, count: number): void {
  met.set(key, count)
  if (met.size < MOST_COUNTED) return
  metBefore = met
  met = new Map()
}

async function isMarked(db: Database, { domain_id, word }: MessageWord): Promise<boolean> {
  const row = await db
    .selectFrom('message_words')
    .select('word')
    .where('domain_id', '=', domain_id)
    .where('word', '=', word)
    .executeTakeFirst()
  return row !== undefined
}
