// The words of a subject, by which messages are found.

/** Maximum number of words of a subject that are searchable. */
const MAX_WORDS = 16
const MAX_WORD = 32

// Each character of a script without spaces is a separate word.
const PART =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Extended_Pictographic}]|[\p{L}\p{N}\p{M}]+?(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\p{L}\p{N}\p{M}]|$)/gu

/** Returns the distinct words of a text in lower case, without accents and punctuation. */
export function subjectWords(text: string): string[] {
  const words = new Set<string>()
  for (const part of partsOf(text)) {
    words.add(part.length <= MAX_WORD ? part : [...part].slice(0, MAX_WORD).join(''))
    if (words.size === MAX_WORDS) break
  }
  return [...words]
}

function partsOf(text: string): readonly string[] {
  // The rest of a very long subject is ignored.
  const start = text.slice(0, 1_000)
  // The fast path for plain ASCII gives the same result in less than half the time.
  if (!/[^\x00-\x7f]/.test(start)) return start.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return withoutAccents(start).match(PART) ?? []
}

/** Letters that Unicode does not decompose, each with the spelling without the accent. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ŧ: 't', ı: 'i' },
}
const UNDIVIDED = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

/**
 * Returns a text in lower case without the accents of its letters (U+0300 to U+036F); marks of other scripts are kept.
 */
export const withoutAccents = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(UNDIVIDED, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFC')

/**
 * Returns the words as one text with a space before each word: the text contains ` rec` if a word begins with `rec`.
 */
export const wordList = (words: readonly string[]): string => words.map((word) => ` ${word}`).join('')
