// Search words of messages, from subjects, tags, streams and metadata; a reader of the event log stores the words.

import { hash } from 'node:crypto'
import type { MetadataEntry } from '../../model/message.ts'
import type { Database } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { LoggedStream } from '../events/event-log.ts'
import { CountSketch } from './count-sketch.ts'

type MessageWord = Tables['message_words']

/**
 * Number of messages of a domain after which a word counts as frequent. A frequent word hardly narrows a search, so
 * further messages are not stored under this word, and a mark records that the word's list is incomplete.
 */
export const FREQUENT = 2_000
/** Prefix of marks; no search word begins with this character. */
const MARK = '\u0001'

/** Returns the key of the mark of a word; the key is also a prefix of the marks of longer words. */
export const markOf = (word: string): string => MARK + word

/**
 * Returns the search word for a tag or a stream: the name with a control character as prefix, so that the search word
 * differs from all words of subjects.
 */
export const tagWord = (tag: string): string => `\u0002${tag}`
export const streamWord = (stream: string): string => `\u0003${stream}`

/**
 * Returns the search word for a tag after the first, in the form in which the `words` of a message contain it: the words
 * are separated by spaces, so another character replaces the spaces of the tag.
 */
export const furtherTagWord = (tag: string): string => tagWord(tag).replaceAll(' ', SPACE)
const SPACE = '\u001f'

/**
 * Returns the search word for a Message-ID that the client has chosen, given without angle brackets. Message-IDs are
 * compared byte for byte (RFC 5322 §3.6.4) and may be long, so the search word is a hash.
 */
export const messageIdWord = (messageId: string): string =>
  `\u0004${hash('sha256', messageId, 'base64url').slice(0, 22)}`

/** Maximum length in bytes of a value of the metadata that its search word contains in full. */
const WHOLE_VALUE = 16
/** End of a word that contains its value in full, and the separator of a value and its hash. */
const END = '!'
const CUT = '#'

/**
 * Returns the search word for a value of the metadata. The word begins with a hash of the key and the first bytes of the
 * value, so that consecutive values, such as numbers of orders, are neighbours in the index: an index of random words
 * costs a page for each word. A longer value ends with its hash, and any other value with a mark, so that no word begins
 * with another word. The parts contain no wildcards of LIKE, and no two words differ by letter case alone.
 */
export function metadataWord([key, value]: MetadataEntry): string {
  const bytes = Buffer.from(value)
  if (bytes.length <= WHOLE_VALUE) return `\u0005${keyHash(key)}${plainText(value)}${END}`
  const start = plainText(bytes.toString('latin1', 0, WHOLE_VALUE))
  return `\u0005${keyHash(key)}${start}${CUT}${hash('sha256', bytes, 'hex').slice(0, 20)}`
}

/** Returns a text in which `=` and the hexadecimal code replace every character that a search word may not contain. */
const plainText = (text: string): string => text.replaceAll(UNFIT, escaped)
const UNFIT = /[^0-9a-z.@-]/gu
const escaped = (character: string): string => Buffer.from(character).toString('hex').replace(/../g, '=$&')

/** Hashes of the keys of metadata, because an installation uses few different keys. */
const keyHashes = new Map<string, string>()
const MAX_KEYS = 1_000

function keyHash(key: string): string {
  const known = keyHashes.get(key)
  if (known !== undefined) return known
  const made = hash('sha256', key, 'hex').slice(0, 12)
  if (keyHashes.size >= MAX_KEYS) keyHashes.clear()
  keyHashes.set(key, made)
  return made
}

/** Returns the search words in the column `words` of a message. */
export const wordsIn = (words: string): string[] =>
  words
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (word.startsWith(tagWord('')) ? word.replaceAll(SPACE, ' ') : word))

/** Counts of the words that this process has stored. */
let counts = new CountSketch()

/** Clears the counts of words, which do not apply to the next database that this process opens. */
export function forgetCountedWords(): void {
  counts = new CountSketch()
}

/**
 * Stores the search words of new messages, taken from the first event of each message; the `search` reader of the event
 * log.
 */
export async function keepWordsOf(db: Database, streams: readonly LoggedStream[]): Promise<void> {
  const kept: MessageWord[] = []
  const marks = new Map<string, MessageWord>()
  for (const [, domain_id, stream, events] of streams) {
    const group = counts.group(domain_id)
    const keep = (word: string, message_id: string): void => {
      if (counts.add(group, word) <= FREQUENT) kept.push({ domain_id, word, message_id })
      // The mark is written together with the first message that the list of a word omits.
      else marks.set(`${domain_id} ${word}`, { domain_id, word: markOf(word), message_id: '' })
    }
    for (const [, , messageId, , , words = null, tag = null] of events) {
      if (words === null) continue
      for (const word of wordsIn(words)) keep(word, messageId)
      keep(streamWord(stream), messageId)
      if (tag !== null) keep(tagWord(tag), messageId)
    }
  }
  await insertRows(db, 'message_words', [...marks.values()], 'on conflict do nothing')
  await insertRows(db, 'message_words', kept, 'on conflict do nothing')
}
