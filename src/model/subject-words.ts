// The words of a subject, by which messages are found.

/** A subject is found by its first words. */
const MAX_WORDS = 16
const MAX_WORD = 32

// Scripts that are written without spaces: each character stands for itself.
const PART =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Extended_Pictographic}]|[\p{L}\p{N}\p{M}]+?(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\p{L}\p{N}\p{M}]|$)/gu

/** The distinct words of a text in lower case: letters and digits, nothing else. */
export function subjectWords(text: string): string[] {
  const words = new Set<string>()
  for (const part of partsOf(text)) {
    words.add(part.length <= MAX_WORD ? part : [...part].slice(0, MAX_WORD).join(''))
    if (words.size === MAX_WORDS) break
  }
  return [...words]
}

function partsOf(text: string): readonly string[] {
  // A subject is short; what is longer is not looked through.
  const start = text.slice(0, 1_000)
  // Most are plain, where the same is found in less than half the time.
  if (!/[^\x00-\x7f]/.test(start)) return start.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return start.normalize('NFKC').toLowerCase().match(PART) ?? []
}

/** Words in a row, a space before each: ` rec` is in it when a word begins with `rec`. */
export const wordList = (words: readonly string[]): string => words.map((word) => ` ${word}`).join('')
