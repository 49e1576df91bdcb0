// Search words of messages, from subjects, tags, streams and metadata; a reader of the event log stores the words.

import { hash, randomInt } from 'node:crypto'
import type { MetadataEntry } from '../../model/message.ts'
import type { Database } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import type { LoggedStream } from '../events/event-log.ts'

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

/** Number of counters in each of the two rows; a power of two. */
const COUNTERS = 65_536
const MAX_COUNT = 65_535
/**
 * Number of texts after which all counts are halved. Texts that occur once raise each counter by 150 on average until
 * then, and a text with a share of a ten-thousandth has counts of a thousand.
 */
const HALVED_AFTER = 10_000_000

/**
 * Count-min sketch (Cormode and Muthukrishnan, An Improved Data Stream Summary, 2005): each text has a counter in each
 * of two rows, and the lower one is its count. The count is never too low, apart from halving, and too high only for a
 * text that shares both counters with frequent ones. The hash of each process has another seed, so that nobody can
 * choose texts that raise the counts of others. A map of the same texts would grow with every new text.
 */
export class CountSketch {
  readonly #rows = [new Uint16Array(COUNTERS), new Uint16Array(COUNTERS)] as const
  readonly #seed = randomInt(2 ** 32)
  #left = HALVED_AFTER

  /** Returns the number under which the texts of a group are counted, apart from equal texts of other groups. */
  group(name: string): number {
    return hashOf(this.#seed, name)
  }

  /** Counts a text of a group once more; returns its count, including this one. */
  add(group: number, text: string): number {
    const hash = mixed(hashOf(group, text))
    const [first, second] = this.#rows
    const one = raise(first, hash & (COUNTERS - 1))
    const other = raise(second, hash >>> 16)
    if (--this.#left === 0) this.#halve()
    return Math.min(one, other)
  }

  #halve(): void {
    for (const row of this.#rows) for (let at = 0; at < COUNTERS; at++) row[at] = (row[at] as number) >>> 1
    this.#left = HALVED_AFTER
  }
}

/** Raises a counter by one, up to its maximum; returns the count. */
function raise(row: Uint16Array, at: number): number {
  const count = Math.min(MAX_COUNT, (row[at] as number) + 1)
  row[at] = count
  return count
}

/** FNV-1a hash of a text (draft-eastlake-fnv), continued from `hash`. */
function hashOf(start: number, text: string): number {
  let hash = start
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** Spreads the bits of a hash, so that each half depends on all of them (finalizer of MurmurHash3). */
function mixed(given: number): number {
  let hash = given ^ (given >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

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
