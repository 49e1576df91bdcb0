// The words by which messages are found: those of their subjects, their tags and streams. A reader of the event log
// keeps them.

import { hash } from 'node:crypto'
import type { Database } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { LoggedStream } from '../events/event-log.ts'

type MessageWord = Tables['message_words']

/**
 * So many messages of a domain have a frequent word, at least. Such a word narrows no search, so that it is not kept of
 * any more messages: a mark says that what is there is not all.
 */
export const FREQUENT = 2_000
const MAX_COUNTED = 10_000
/** Before a word: no word begins with it. */
const MARK = '\u0001'

/** Key of the mark of a word, and of all that begins with it. */
export const markOf = (word: string): string => MARK + word

/** A tag and a stream as words; no word of a subject begins like them. */
export const tagWord = (tag: string): string => `\u0002${tag}`
export const streamWord = (stream: string): string => `\u0003${stream}`

/**
 * A Message-ID that the client has chosen, without its angle brackets, as a word. IDs are compared byte for byte
 * (RFC 5322 §3.6.4) and may be long, so that the word is a hash.
 */
export const messageIdWord = (messageId: string): string =>
  `\u0004${hash('sha256', messageId, 'base64url').slice(0, 22)}`

/** Number of times that this process met each word, those met lately. */
let met = new Map<string, number>()
let metBefore = new Map<string, number>()

/** Forgets the counts, which say nothing of the next database that this process opens. */
export function forgetMetWords(): void {
  met = new Map()
  metBefore = new Map()
}

/** Keeps the words of the messages that these events begin with; the `search` reader of the event log. */
export async function keepWordsOf(db: Database, streams: readonly LoggedStream[]): Promise<void> {
  const kept: MessageWord[] = []
  const marks: MessageWord[] = []
  for (const [domain_id, words] of messagesByWord(streams)) {
    for (const [word, messages] of words) {
      const left = FREQUENT - meet(`${domain_id} ${word}`, messages.length)
      for (const message_id of left < messages.length ? messages.slice(0, Math.max(0, left)) : messages) {
        kept.push({ domain_id, word, message_id })
      }
      // The mark comes with the first that is left out.
      if (left < messages.length) marks.push({ domain_id, word: markOf(word), message_id: '' })
    }
  }
  await insertRows(db, 'message_words', marks, 'on conflict do nothing')
  await insertRows(db, 'message_words', kept, 'on conflict do nothing')
}

/** The messages that have each word, by domain. */
function messagesByWord(streams: readonly LoggedStream[]): Map<string, Map<string, string[]>> {
  const domains = new Map<string, Map<string, string[]>>()
  for (const [, domain_id, stream, events] of streams) {
    let byWord = domains.get(domain_id)
    if (byWord === undefined) {
      byWord = new Map()
      domains.set(domain_id, byWord)
    }
    const add = (word: string, messageId: string): void => {
      const messages = byWord.get(word)
      if (messages === undefined) byWord.set(word, [messageId])
      else messages.push(messageId)
    }
    for (const [, , messageId, , , words = null, tag = null] of events) {
      if (words === null) continue
      for (const word of words.split(' ')) if (word !== '') add(word, messageId)
      add(streamWord(stream), messageId)
      if (tag !== null) add(tagWord(tag), messageId)
    }
  }
  return domains
}

/** Counts a word as met by so many more messages; answers by how many it was met before. */
function meet(key: string, more: number): number {
  const before = met.get(key) ?? metBefore.get(key) ?? 0
  met.set(key, before + more)
  // Two maps in turn: what was not met for a while goes with the older one, and nothing is ever taken out singly.
  if (met.size === MAX_COUNTED) {
    metBefore = met
    met = new Map()
  }
  return before
}
