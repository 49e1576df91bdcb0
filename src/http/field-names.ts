// Field names that JSON allows and no request may have: one given twice in an object, and `__proto__`.

import { type FieldProblem, MAX_PROBLEMS } from '../model/problem.ts'

const BACKSLASH = 0x5c

/** What is told of a name where no known one is near. */
export const NO_SUCH_FIELD = 'There is no such field; remove it.'

/**
 * Problems of the names in a JSON text, null without any; `value` is the result of `JSON.parse`, where of two fields
 * with one name only the last is left (RFC 8259 §4): the other would be lost in silence. `names` is the number in the
 * text: only when the value has not as many is the text read letter by letter.
 */
export function wrongFieldNames(text: string, value: object, names: number): readonly FieldProblem[] | null {
  if (countFields(value) === names) return null
  const { problems } = new FieldNameReader(text)
  return problems.length === 0 ? null : problems
}

/** All fields of the value, at any depth. Beyond every count when one of them is `__proto__`. */
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

/** True if an odd number of backslashes stands before this place. */
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
  /** The name or number of the part that is being read. */
  part: string | number
  /** The next string is a name. */
  expectsName: boolean
}

/** Reads a text that is known to be JSON, and remembers where a name is wrong. */
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

  /** Takes the token that begins at `at`; answers the place of its last character. */
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
    // As the value has it, in which two names that differ in halves of surrogate pairs alone are one.
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

/**
 * `to[3].email`; of a path that is nested without end, or of a name that does not end, as much as helps: each problem
 * has one.
 */
function pathOf(open: Open | undefined): string {
  if (open === undefined) return ''
  const { path, part } = open
  if (path.length > MAX_PATH) return path
  if (typeof part === 'number') return `${path}[${part}]`
  const name = part.slice(0, MAX_PATH)
  return path === '' ? name : `${path}.${name}`
}
