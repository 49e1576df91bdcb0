// Reads a JSON body: checks its limits, parses its value, and checks its field names. The functions are pure, so that
// both the event loop and a thread can use them.

import { isUtf8 } from 'node:buffer'
import { endOfNumber, endOfString, isChangedByDouble, parseWritten } from '../lib/written-numbers.ts'
import { type FieldProblem, Problem } from '../model/problem.ts'
import { wrongFieldNames } from './field-names.ts'
import { hasModels, takeModels } from './template-numbers.ts'

/** Maximum number of names in one object. Iterating over more names would take longer than any request justifies. */
const MAX_NAMES = 10_000
/**
 * Maximum number of different names in a whole body. Each different name costs the event loop about a microsecond when
 * the body arrives from the thread; a name that many objects share costs almost nothing more.
 */
const MAX_DISTINCT = 100_000
const MAX_VALUES = 500_000
const MAX_DEPTH = 1_000

/** Parsed JSON body. */
export interface JsonBody {
  readonly value: object
  /** Problems of the field names of the body; null if there are none. */
  readonly fieldNameProblems: readonly FieldProblem[] | null
  /** Text of the body in UTF-8, if the body has another charset or begins with a byte order mark. */
  readonly utf8?: Buffer
}

/** Properties of a body that are known before the body is read. */
export interface Expected extends TextFields {
  /** True if the body is an array instead of an object. */
  readonly takesArray: boolean
  /** True to read `null`, which some clients send in place of no body, as an object without fields. */
  readonly takesNull?: boolean
}

/** Reads a JSON body. Throws `malformed_request`, also for a body that exceeds a limit. */
export function readJsonBody(bytes: Buffer, { takesArray, takesNull, ...fields }: Expected): JsonBody {
  const { text, isPlain } = readText(bytes, fields)
  const { names, hasChangedNumber } = scan(text)
  const parsed = parse(text)
  const value = parsed === null && takesNull === true && !takesArray ? {} : parsed
  makeWellFormed(text, value)
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== takesArray) {
    throw new Problem('malformed_request', `The body must be a JSON ${takesArray ? 'array' : 'object'}.`)
  }
  if (names > MAX_DISTINCT) refuseManyNames(value)
  const fieldNameProblems = wrongFieldNames(text, value, names)
  if (hasChangedNumber && hasModels(value)) keepNumbers(text, value)
  return { value, fieldNameProblems, ...(isPlain ? {} : { utf8: Buffer.from(text) }) }
}

/** Restores the written form of numbers in template models by parsing the text once more. */
function keepNumbers(text: string, value: object): void {
  const written = parseWritten(text) as object
  makeWellFormed(text, written)
  takeModels(value, written)
}

/** Throws `malformed_request` if all objects of a value together contain too many different names. */
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed_request', `The body is not JSON: ${(error as Error).message.slice(0, 200)}`)
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Properties of a JSON text. */
interface Scan {
  /** Number of field names in all objects. */
  readonly names: number
  /** True if the text contains a number that JavaScript prints differently. */
  readonly hasChangedNumber: boolean
}

/**
 * Scans a text without building values. The result is exact if the text is JSON; the parser later refuses any other
 * text. Throws `malformed_request` as soon as a limit is exceeded, without scanning the rest.
 */
export function scan(text: string): Scan {
  let names = 0
  let values = 0
  let hasChangedNumber = false
  /** Number of field names in each open object. */
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    switch (code) {
      case QUOTE:
        at = endOfString(text, at)
        if (at < 0) return { names, hasChangedNumber }
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
      default:
        if (code === MINUS || (code >= ZERO && code <= NINE)) {
          const end = endOfNumber(text, at)
          // Numbers of one digit, the most common numbers in long lists, are skipped.
          hasChangedNumber ||= end - at > 1 && isChangedByDouble(text.slice(at, end))
          at = end - 1
        }
    }
  }
  return { names, hasChangedNumber }
}

const beyond = (bound: string): Problem =>
  new Problem('malformed_request', `The body exceeds a limit: ${bound}.`)

/** Matches the escape of a surrogate, also as part of a pair. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/** True if a JSON text has the escape of a surrogate; most texts have no `\\u` at all, which is found fast. */
const hasSurrogate = (text: string): boolean => text.includes('\\u') && SURROGATE.test(text)

/**
 * Replaces each unpaired surrogate in the texts and names of `value` with U+FFFD, the usual replacement for half of a
 * character that a client has cut in two. UTF-8 cannot encode an unpaired surrogate, and each database and protocol
 * replaces or refuses it in its own way, so two texts that differ in this process could become the same key in a
 * database.
 */
function makeWellFormed(text: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || !hasSurrogate(text)) return
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

/** Header fields of a request that describe the encoding of its text. */
export interface TextFields {
  readonly contentType?: string | undefined
  readonly contentEncoding?: string | undefined
}

interface BodyText {
  /** Text of the body without a byte order mark. */
  readonly text: string
  /** True if the bytes of the body are its text in UTF-8, without a byte order mark. */
  readonly isPlain: boolean
}

const MARK = 0xfeff
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*["']?([\w.:-]{1,40})/i

/**
 * Reads the text of a body. Valid UTF-8 is read as UTF-8 regardless of the Content-Type, because programs that name
 * another charset mostly send UTF-8. Throws `malformed_request` for bytes in an unknown charset.
 */
export function readText(bytes: Buffer, { contentType, contentEncoding }: TextFields): BodyText {
  const charset = utf16Of(bytes) ?? namedCharset(contentType)
  // UTF-16 is excluded, because ASCII text in UTF-16 is valid UTF-8 as well.
  if (charset?.startsWith('utf-16') !== true && isUtf8(bytes)) {
    const text = bytes.toString('utf8')
    return text.charCodeAt(0) === MARK ? { text: text.slice(1), isPlain: false } : { text, isPlain: true }
  }
  const text = charset === undefined ? undefined : decoded(bytes, charset)
  if (text !== undefined) return { text, isPlain: false }
  const encoding = contentEncoding?.slice(0, 50)
  const remedy =
    encoding === undefined
      ? 'save or encode it as UTF-8'
      : `send it as it is, without Content-Encoding: ${encoding}`
  throw new Problem('malformed_request', `The body is not UTF-8; ${remedy}.`)
}

/** Returns the UTF-16 charset that a byte order mark indicates; text in UTF-8 never begins with such a mark. */
function utf16Of([first, second]: Buffer): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** Returns the name of the charset in the Encoding Standard; undefined if the charset is missing or unknown. */
function namedCharset(contentType: string | undefined): string | undefined {
  const label = contentType === undefined ? undefined : CHARSET.exec(contentType)?.[1]
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

/** Returns the text without its byte order mark; undefined if the bytes are invalid in the charset. */
function decoded(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
