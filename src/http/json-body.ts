// Reads a JSON body: first its bounds, then its value, then the names of its fields. Pure, for the event loop and a
// thread.

import { isUtf8 } from 'node:buffer'
import { type FieldProblem, Problem } from '../model/problem.ts'
import { wrongFieldNames } from './field-names.ts'

/** Most names in one object: walking over more takes longer than any request justifies. */
const MAX_NAMES = 10_000
/**
 * Most different names in a whole body: each takes the event loop a microsecond when the body arrives from its thread;
 * names that many objects share take next to nothing.
 */
const MAX_DISTINCT = 100_000
const MAX_VALUES = 500_000
const MAX_DEPTH = 1_000

/** A body that was read. */
export interface JsonBody {
  readonly value: object
  /** Problems of the names of its fields; null without any. */
  readonly fieldNameProblems: readonly FieldProblem[] | null
}

/** Facts about a body before it is read. */
export interface Expected {
  /** The body is an array instead of an object. */
  readonly takesArray: boolean
  readonly contentEncoding: string | undefined
}

/** Reads a body. Throws `malformed_request`, also for a body beyond the bounds. */
export function readJsonBody(bytes: Buffer, { takesArray, contentEncoding }: Expected): JsonBody {
  const text = readText(bytes, contentEncoding)
  const names = countNames(text)
  const value = parse(text)
  makeWellFormed(text, value)
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== takesArray) {
    throw new Problem('malformed_request', `The body must be a JSON ${takesArray ? 'array' : 'object'}.`)
  }
  if (names > MAX_DISTINCT) refuseManyNames(value)
  return { value, fieldNameProblems: wrongFieldNames(text, value, names) }
}

/** Throws `malformed_request` if the objects of a value together have too many different names. */
function refuseManyNames(value: object): void {
  const names = new Set<string>()
  const open: object[] = [value]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const [name, part] of Object.entries(one)) {
      if (!Array.isArray(one)) names.add(name)
      if (typeof part === 'object' && part !== null) open.push(part)
    }
    if (names.size > MAX_DISTINCT) throw beyond(`it has at most ${MAX_DISTINCT} different names of fields`)
  }
}

/** Returns the text of a body. Throws `malformed_request` if it is not UTF-8. */
export function readText(bytes: Buffer, contentEncoding: string | undefined): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const encoding = contentEncoding?.slice(0, 50)
  const remedy =
    encoding === undefined
      ? 'save or encode it as UTF-8'
      : `send it as it is, without Content-Encoding: ${encoding}`
  throw new Problem('malformed_request', `The body is not UTF-8; ${remedy}.`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed_request', `The body is not JSON: ${(error as Error).message.slice(0, 200)}`)
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Counts the names of all objects in a text, without building values. The number is exact if the text is JSON; any
 * other text fails in the parser. Throws `malformed_request` at a bound, so that the rest is not read.
 */
export function countNames(text: string): number {
  let names = 0
  let values = 0
  /** Number of names in each open object. */
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        if (at < 0) return names
        break
      case COLON: {
        names++
        const own = (open.pop() ?? 0) + 1
        open.push(own)
        if (own > MAX_NAMES) throw beyond(`an object has at most ${MAX_NAMES} fields`)
        break
      }
      case COMMA:
        if (++values > MAX_VALUES) throw beyond(`it has at most ${MAX_VALUES} values`)
        break
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        values++
        if (open.push(0) > MAX_DEPTH) throw beyond(`it has at most ${MAX_DEPTH} levels`)
        break
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop()
        break
    }
  }
  return names
}

/** Returns the place of the quote that ends the string at `start`; -1 without one. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end
  }
  return -1
}

const beyond = (bound: string): Problem =>
  new Problem('malformed_request', `The body exceeds a limit: ${bound}.`)

/** Matches escapes of halves of surrogate pairs, including whole pairs. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/**
 * Replaces each half of a surrogate pair in the texts and names of `value`, which was read from `text`, with U+FFFD,
 * which a client that cut a character in two would see anyway. UTF-8 cannot encode such a half, and databases and
 * protocols replace or refuse it in different ways: two texts that differ here would be the same key there.
 */
function makeWellFormed(text: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || !SURROGATE.test(text)) return
  const open: object[] = [value]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const fields = one as Record<string, unknown>
    for (const name of Object.keys(one)) {
      const part = fields[name]
      const whole = typeof part === 'string' ? part.toWellFormed() : part
      if (!name.isWellFormed()) {
        delete fields[name]
        fields[name.toWellFormed()] = whole
      } else if (whole !== part) fields[name] = whole
      if (typeof part === 'object' && part !== null) open.push(part)
    }
  }
}
