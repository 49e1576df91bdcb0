// Finds field names that JSON allows but requests must not contain: a name that occurs twice in an object, and
// `__proto__`.

import { type FieldProblem, MAX_PROBLEMS } from '../model/problem.ts'

const BACKSLASH = 0x5c

/** Message for an unknown field name without a similar known name. */
export const NO_SUCH_FIELD = 'There is no such field; remove it.'

/**
 * Returns the problems of the field names in a JSON text; null if there are none. `value` is the result of
 * `JSON.parse`, which keeps only the last of two fields with the same name (RFC 8259 §4). `names` is the number of
 * names in the text; the text is read character by character only if `value` contains a different number of names.
 */
export function wrongFieldNames(text: string, value: object, names: number): readonly FieldProblem[] | null {
  if (countFields(value) === names) return null
  const { problems } = new FieldNameReader(text)
  return problems.length === 0 ? null : problems
}

/** Returns the number of all fields of a value at any depth; infinity if a field is named `__proto__`. */
function countFields(value: object): number {
  let count = 0
  const open: object[] = [value]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (Array.isArray(one)) {
      for (const part of one) if (typeof part === 'object' && part !== null) open.push(part)
      continue
    }
    for (const name in one) {
      if (name === '__proto__') return Number.POSITIVE_INFINITY
      count++
      const part: unknown = (one as Record<string, unknown>)[name]
      if (typeof part === 'object' && part !== null) open.push(part)
    }
  }
  return count
}

/** True if an odd number of backslashes precedes this position in the text. */
function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}

/** Object or array that has begun and has not ended yet. */
interface Open {
  readonly path: string
  /** Field names so far; undefined for an array. */
  readonly names: Set<string> | undefined
  /** Name or index of the part that is being read. */
  part: string | number
  /** True if the next string is a field name. */
  expectsName: boolean
}

/** Reads a text that is known to be JSON, and records the problems of field names. */
class FieldNameReader {
  readonly problems: FieldProblem[] = []
  readonly #text: string
  readonly #open: Open[] = []

  constructor(text: string) {
    this.#text = text
    for (let at = 0; at < text.length && this.problems.length < MAX_PROBLEMS; at++) {
      at = this.#read(text.charAt(at), at)
    }
  }

  /** Reads the token that begins at position `at`; returns the position of its last character. */
  #read(character: string, at: number): number {
    const inside = this.#open.at(-1)
    switch (character) {
      case '{':
        this.#open.push({ path: pathOf(inside), names: new Set(), part: '', expectsName: true })
        return at
      case '[':
        this.#open.push({ path: pathOf(inside), names: undefined, part: 0, expectsName: false })
        return at
      case '}':
      case ']':
        this.#open.pop()
        return at
      case ',':
        if (inside === undefined) return at
        if (typeof inside.part === 'number') inside.part++
        else inside.expectsName = true
        return at
      case '"': {
        const end = this.#endOfString(at)
        if (inside?.expectsName) this.#takeName(inside, at, end)
        return end
      }
    }
    return at
  }

  #endOfString(start: number): number {
    let end = this.#text.indexOf('"', start + 1)
    while (isEscaped(this.#text, end)) end = this.#text.indexOf('"', end + 1)
    return end
  }

  #takeName(inside: Open, start: number, end: number): void {
    const written = this.#text.slice(start + 1, end)
    // Escapes are decoded as in the parsed value, where names that differ only in unpaired surrogates are equal.
    const name: string = written.includes('\\') ? JSON.parse(`"${written}"`).toWellFormed() : written
    inside.part = name
    inside.expectsName = false
    const path = pathOf(inside)
    if (name === '__proto__') {
      this.problems.push({ path, code: 'unknown_field', message: NO_SUCH_FIELD })
    } else if (inside.names?.has(name)) {
      this.problems.push({
        path,
        code: 'duplicate_field',
        message: 'The field occurs twice; give it once.',
      })
    }
    inside.names?.add(name)
  }
}

const MAX_PATH = 200

/**
 * Returns a path such as `to[3].email`. Deep paths and long names are cut, because each problem of a response contains
 * a path.
 */
function pathOf(open: Open | undefined): string {
  if (open === undefined) return ''
  const { path, part } = open
  if (path.length > MAX_PATH) return path
  if (typeof part === 'number') return `${path}[${part}]`
  const name = part.slice(0, MAX_PATH)
  return path === '' ? name : `${path}.${name}`
}
