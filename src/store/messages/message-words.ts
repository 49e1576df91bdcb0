// The words by which messages are found: those of their subjects, their tags and streams. A reader of the event log
// keeps them.

import type { Database } from '../database/dialect.ts'
import { insertRows } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { LoggedEvent } from '../events/event-log.ts'

type MessageWord = Tables['message_words']

/**
 * So many messages of a domain have a frequent word, at least. Such a word narrows no search, so that it is not kept of
 * any more messages: a mark says that what is there is not all.
 */
export const FREQUENT = 2_000
const MAX_COUNTED = 10_000
/** Before a word: no word begins with it. */
const MARK = '\u0001'

/** What the mark of a word, and of what begins with it, stands under. */
export const markOf = (word: string): string => MARK + word

/** A tag and a stream as words; no word of a subject begins like them. */
export const tagWord = (tag: string): string => `\u0002${tag}`
export const streamWord = (stream: string): string => `\u0003${stream}`

/** How often each word was met by this process, those met lately. */
let met = new Map<string, number>()
let metBefore = new Map<string, number>()

/** What was met in one database says nothing of the next one that this process opens. */
export function forgetMetWords(): void {
  met = new Map()
  metBefore = new Map()
}

/** Keeps the words of the messages that these events begin with; the `search` reader of the event log. */
export const keepWordsOf = (db: Database, events: readonly LoggedEvent[]): Promise<void> =>
  keepWords(
    db,
    events.flatMap(({ domainId: domain_id, messageId: message_id, stream, tag, words }) => {
      if (words === null) return []
      const all = words.split(' ').filter((word) => word !== '')
      all.push(streamWord(stream))
      if (tag !== null) all.push(tagWord(tag))
      return all.map((word) => ({ domain_id, word, message_id }))
    }),
  )

/** Keeps words, but of frequent ones no more than that; the mark comes with the first that is left out. */
async function keepWords(db: Database, rows: readonly MessageWord[]): Promise<void> {
  const kept: MessageWord[] = []
  const marks = new Map<string, MessageWord>()
  for (const row of rows) {
    const key = `${row.domain_id} ${row.word}`
    if (meet(key) <= FREQUENT) kept.push(row)
    else if (!marks.has(key)) marks.set(key, { ...row, word: markOf(row.word), message_id: '' })
  }
  await insertRows(db, 'message_words', [...marks.values()], 'on conflict do nothing')
  await insertRows(db, 'message_words', kept, 'on conflict do nothing')
}

function meet(key: string): number {
  const count = (met.get(key) ?? metBefore.get(key) ?? 0) + 1
  met.set(key, count)
  // Two maps in turn: what was not met for a while goes with the older one, and nothing is ever taken out singly.
  if (met.size === MAX_COUNTED) {
    metBefore = met
    met = new Map()
  }
  return count
}
