// The text of a reply as plain words, and phrases that are looked for in it.

/** What is read of a text; the rest of a hostile one costs nothing. */
const MOST_READ = 2_000
/** How far apart the two sides of a `...` may stand, and those of a `..`, in characters. */
const WIDE_GAP = 60
const NARROW_GAP = 20
/** Phrases that begin with an open word are found by so many of its letters. */
const FIRST_LETTERS = 3

/** The words of a reply, and the enhanced code that stands among them (qmail and others write it there). */
export interface ReplyWords {
  /** Lower case, without accents, punctuation and addresses; one space before, between and after words. */
  readonly words: string
  readonly enhanced: string | undefined
}

const IPV4 = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/
/** The part of a link that repeats our address; it says no more than the link does. */
const OUR_ADDRESS = /[?&]ip(?:_address)?=[^&]*/gi
const ENHANCED = /^#?([45]\.\d{1,3}\.\d{1,3})\.?$/

/**
 * Reads a text in time linear in its first 2,000 characters. Addresses are dropped, because they are an echo of
 * what we said: `<spam@example.com>` says nothing about spam. An IPv4 address becomes the word `ip4`.
 */
export function readWords(text: string): ReplyWords {
  let enhanced: string | undefined
  const kept: string[] = []
  for (const word of text.slice(0, MOST_READ).split(/[\s<>()[\]{},;:"]+/)) {
    if (word.includes('@')) continue
    enhanced ??= ENHANCED.exec(word)?.[1]
    kept.push(IPV4.test(word) ? 'ip4' : word.replace(OUR_ADDRESS, ' '))
  }
  return { words: ` ${plain(kept.join(' '))} `, enhanced }
}

/** Lower case without accents; all but letters and digits is one space; scripts without spaces get them. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .slice(0, 2 * MOST_READ)
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu, ' $& ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** A phrase ready to be looked for: its first part, and those that follow within so many characters. */
interface Phrase {
  readonly first: string
  readonly rest: readonly { readonly gap: number; readonly part: string }[]
  /** Only where the text ends. */
  readonly last: boolean
}

/**
 * Reads a phrase: whole words; `...` is a gap, `..` a narrow one; `*` lets the word before it go on; a full stop is
 * the end of the text; `(a|b)` is either, which makes several phrases of one.
 */
function readPhrase(written: string): Phrase[] {
  const group = /\(([^)]*)\)/.exec(written)
  if (group !== null) {
    const [whole, choices = ''] = group
    return choices.split('|').flatMap((choice) => readPhrase(written.replace(whole, choice)))
  }
  const [first = '', ...rest] = written.split(/(\.{2,3})/)
  const parts: { gap: number; part: string }[] = []
  for (let i = 0; i < rest.length; i += 2) {
    parts.push({ gap: rest[i] === '..' ? NARROW_GAP : WIDE_GAP, part: spaced(rest[i + 1] ?? '') })
  }
  return [{ first: spaced(first), rest: parts, last: written.endsWith('.') }]
}

const spaced = (part: string): string => ` ${plain(part)}${part.trimEnd().endsWith('*') ? '' : ' '}`

interface Ranked {
  readonly rank: number
  readonly phrase: Phrase
}

/** Finds the first of many lists of phrases that has one in a text, without looking for each of them. */
export class PhraseLists {
  readonly #byFirstWord = new Map<string, Ranked[]>()
  readonly #byFirstLetters = new Map<string, Ranked[]>()

  /** Each list is written as phrases with commas between them. */
  constructor(lists: readonly string[]) {
    for (const [rank, list] of lists.entries()) {
      for (const phrase of list.split(',').flatMap(readPhrase)) this.#add({ rank, phrase })
    }
  }

  #add(ranked: Ranked): void {
    const [word = '', second] = ranked.phrase.first.slice(1).split(' ')
    const [map, key] =
      second === undefined ? [this.#byFirstLetters, word.slice(0, FIRST_LETTERS)] : [this.#byFirstWord, word]
    const found = map.get(key)
    if (found === undefined) map.set(key, [ranked])
    else found.push(ranked)
  }

  /** The index of the first list that is allowed and has a phrase in the words; undefined when none has. */
  find(words: string, allowed: (index: number) => boolean): number | undefined {
    let best: number | undefined
    const look = (candidates: readonly Ranked[] = []): void => {
      for (const { rank, phrase } of candidates) {
        if (best !== undefined && rank >= best) continue
        if (allowed(rank) && contains(words, phrase)) best = rank
      }
    }
    for (const word of new Set(words.trim().split(' '))) {
      look(this.#byFirstWord.get(word))
      for (let length = 1; length <= FIRST_LETTERS; length++) {
        if (word.length >= length) look(this.#byFirstLetters.get(word.slice(0, length)))
      }
    }
    return best
  }
}

/** Whether the phrase stands in the words. Linear in the length of the words. */
function contains(words: string, { first, rest, last }: Phrase): boolean {
  if (last) return words.endsWith(first)
  let at = words.indexOf(first)
  if (at < 0 || !rest.every(({ part }) => words.includes(part))) return false
  for (; at >= 0; at = words.indexOf(first, at + 1)) {
    // The space that ends one part may be the one that begins the next.
    if (follows(words, at + first.length - 1, rest)) return true
  }
  return false
}

function follows(words: string, from: number, rest: Phrase['rest']): boolean {
  let at = from
  for (const { gap, part } of rest) {
    const found = words.slice(at, at + gap + part.length).indexOf(part)
    if (found < 0) return false
    at += found + part.length - 1
  }
  return true
}
