// Field names that JSON allows and no request may have: a name that occurs twice in an object, and `__proto__`.

import { type FieldProblem, MAX_PROBLEMS } from '../model/problem.ts'

const BACKSLASH = 0x5c

/** Message for a name without a similar known name. */
export const NO_SUCH_FIELD = 'There is no such field; remove it.'

/**
 * Returns the problems of the names in a JSON text; null without any. `value` is the result of `JSON.parse`, which
 * keeps only the last of two fields with one name (RFC 8259 §4): the other would be lost without a report. `names` is
 * the number of names in the text; the text is read character by character only if the value has another number.
 */
export function wrongFieldNames(text: string, value: object, names: number): readonly FieldProblem[] | null {
  if (countFields(value) === names) return null
  const { problems } = new FieldNameReader(text)
  return problems.length === 0 ? null : problems
}

/** Counts all fields of a value, at any depth. Infinite if one of them is `__proto__`. */
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

/** Returns whether an odd number of backslashes precedes this place. */
function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}

/** An object or array that has begun and not ended. */
interface Open {
  readonly path: string
  /** The names so far; undefined for an array. */
  readonly names: Set<string> | undefined
  /** The name or index of the part that is being read. */
  part: string | number
  /** The next string is a name. */
  expectsName: boolean
}

/** Reads a text that is known to be JSON, and records wrong names. */
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

  /** Reads the token that begins at `at`; returns the place of its last character. */
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
    // The name as in the value, where names that differ only in halves of surrogate pairs are the same.
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
        message: 'It is given twice, and only one could count; give it once.',
      })
    }
    inside.names?.add(name)
  }
}

const MAX_PATH = 200

/** Returns a path such as `to[3].email`. A path with deep nesting or a long name is cut, since each problem has one. */
function pathOf(open: Open | undefined): string {
  if (open === undefined) return ''
  const { path, part } = open
  if (path.length > MAX_PATH) return path
  if (typeof part === 'number') return `${path}[${part}]`
  const name = part.slice(0, MAX_PATH)
  return path === '' ? name : `${path}.${name}`
}
