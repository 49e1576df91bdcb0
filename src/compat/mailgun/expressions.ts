// Filter expressions of Mailgun's list of events, such as `delivered OR opened`, `a AND b` and `NOT x`.

/** True for values that an expression matches. */
export type Matches = (values: readonly string[]) => boolean

/** Maximum number of words in an expression. */
const MAX_WORDS = 100

/**
 * Reads an expression of words with `OR`, `AND` and `NOT`, of which `AND` binds closer than `OR`. Words in quotes may
 * contain spaces, and adjacent words belong to one value. Values are compared in lower case. Returns undefined
 * for a text that is no expression.
 */
export function readExpression(text: string): Matches | undefined {
  const words = wordsOf(text)
  if (words === undefined || words.length > MAX_WORDS) return undefined
  const alternatives = splitAt(words, 'OR').map((alternative) => splitAt(alternative, 'AND').map(termOf))
  if (alternatives.some((terms) => terms.some((term) => term === undefined))) return undefined
  return (values) => {
    const lower = values.map((value) => value.toLowerCase())
    return alternatives.some((terms) => terms.every((term) => term?.(lower)))
  }
}

/** Returns a value that everything the expression matches must have; undefined if there is no such value. */
export function requiredValue(text: string): string | undefined {
  const words = wordsOf(text) ?? []
  if (words.some((word) => isOperator(word, 'OR') || isOperator(word, 'NOT'))) return undefined
  const [first = []] = splitAt(words, 'AND')
  return first.length === 0 ? undefined : first.map((word) => word.text).join(' ')
}

/** A word, and whether it was in quotes, so that it is no operator. */
interface Word {
  readonly text: string
  readonly isQuoted: boolean
}

function wordsOf(text: string): Word[] | undefined {
  if (text.length > 2_000) return undefined
  const found = text.matchAll(/"([^"]*)"|[^\s"()]+/g)
  return [...found].map(([whole, quoted]) => ({
    text: quoted ?? whole,
    isQuoted: quoted !== undefined,
  }))
}

const isOperator = ({ text, isQuoted }: Word, operator: string): boolean => !isQuoted && text === operator

function splitAt(words: readonly Word[], operator: string): Word[][] {
  const parts: Word[][] = [[]]
  for (const word of words) {
    if (isOperator(word, operator)) parts.push([])
    else parts.at(-1)?.push(word)
  }
  return parts
}

function termOf(words: readonly Word[]): ((values: readonly string[]) => boolean) | undefined {
  const [first, ...rest] = words
  if (first === undefined) return undefined
  if (isOperator(first, 'NOT')) {
    const term = termOf(rest)
    return term && ((values) => !term(values))
  }
  const value = words
    .map(({ text }) => text)
    .join(' ')
    .toLowerCase()
  return (values) => values.includes(value)
}
