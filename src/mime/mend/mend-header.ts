// Mends the fields of a header section: makes fields valid, converts fields in other charsets to ASCII, and merges
// repeated fields.

import { mailboxField } from '../mailbox-field.ts'
import { MAX_LINE, withoutOuterBlanks } from '../raw-message.ts'
import { FIELD_RULES, type Sending, SINGLE_FIELDS } from './field-rules.ts'
import { type HeaderText, isUtf8Field } from './header-text.ts'
import { hasLongLine, MAX_RUN } from './long-lines.ts'
import type { MendProblem } from './problem.ts'
import type { FoundField } from './read-header.ts'
import { asciiField, foldedField, SENDER_FIELD } from './write-field.ts'

/** A field with its value as text. */
interface TextField extends FoundField {
  readonly value: string
  readonly isUtf8: boolean
}

/**
 * Returns the header section as a `latin1` string, without the empty line. Valid fields keep their bytes. A missing
 * From is filled in from the envelope; a Message-ID or Date that cannot be kept is left out.
 */
export function mendedHeader(
  fields: readonly FoundField[],
  text: HeaderText,
  sending: Sending,
  body: Buffer,
): string | MendProblem {
  const read = fields.map((field): TextField => {
    const value = withoutOuterBlanks(text.read(field.rest.replaceAll('\r\n', '')))
    return { ...field, value, isUtf8: isUtf8Field(field.rest) }
  })
  let header = ''
  for (const field of once(read, body)) {
    const mended = mendedField(field, sending)
    if (typeof mended === 'object') return mended
    header += mended ?? ''
  }
  if (read.some(({ name }) => /^from$/i.test(name))) return header
  return mailboxField('From', [{ email: sending.from }]) + header
}

const SINGLE = new Set(SINGLE_FIELDS.map((name) => name.toLowerCase()))
/** Maximum number of repeated fields that are merged; more repetitions are an attack. */
const MAX_REPEATS = 20

/**
 * Merges repeated fields that may occur only once: fields of equal value become one, and lists of addresses are joined.
 * Keeps the first non-empty Subject, the first valid Date, Message-ID and MIME-Version, and the Content-Type that
 * matches the body. Keeps all other repeated fields, although they contradict each other.
 */
function once(fields: readonly TextField[], body: Buffer): TextField[] {
  const first = new Map<string, number>()
  let repeats = 0
  const kept: TextField[] = []
  for (const field of fields) {
    const key = field.name.toLowerCase()
    const place = SINGLE.has(key) ? first.get(key) : undefined
    const joined =
      place === undefined || ++repeats > MAX_REPEATS ? undefined : oneOf(key, kept[place]!, field, body)
    if (place !== undefined && joined !== undefined) kept[place] = joined
    else {
      if (SINGLE.has(key) && place === undefined) first.set(key, kept.length)
      kept.push(field)
    }
  }
  return kept
}

function oneOf(key: string, one: TextField, other: TextField, body: Buffer): TextField | undefined {
  if (one.value.replace(/\s+/g, ' ') === other.value.replace(/\s+/g, ' ')) return one
  const isUseless = (field: TextField): boolean => FIELD_RULES.get(key)?.isGood(field.value) === false
  if (/^(?:date|message-id|mime-version)$/.test(key)) return isUseless(one) && !isUseless(other) ? other : one
  if (key === 'subject') return one.value === '' ? other : one
  if (key === 'content-type') return contentTypeOf(one, other, body)
  if (!/^(?:to|cc|reply-to)$/.test(key)) return undefined
  if (one.value === '' || other.value === '') return one.value === '' ? other : one
  const rest = `${one.rest.trimEnd()},\r\n ${other.rest.trimStart()}`
  return { ...one, rest, value: `${one.value}, ${other.value}`, isUtf8: one.isUtf8 && other.isUtf8 }
}

/**
 * Chooses one of two Content-Type fields: the multipart whose boundary occurs in the body, or, if both fields have the
 * same type, the field with parameters.
 */
function contentTypeOf(one: TextField, other: TextField, body: Buffer): TextField | undefined {
  const boundaries = [one, other].map(
    ({ value }) => /^multipart\/.*;[ \t]*boundary[ \t]*=[ \t]*"?([^\s";]{1,70})/i.exec(value)?.[1],
  )
  const [isOne, isOther] = boundaries.map(
    (boundary) => boundary !== undefined && body.includes(`--${boundary}\r\n`),
  )
  if (isOne !== isOther) return isOne ? one : other
  const [type, parameters] = typeAndParameters(one)
  const [otherType, otherParameters] = typeAndParameters(other)
  if (isOne || type !== otherType) return undefined
  return otherParameters === '' ? one : parameters === '' ? other : undefined
}

function typeAndParameters({ value }: TextField): [type: string, parameters: string] {
  const [type = '', ...parameters] = value.split(';')
  return [type.trim().toLowerCase(), parameters.join(';').trim()]
}

/** Returns the whole field with its final CRLF; undefined to drop the field. */
function mendedField(field: TextField, sending: Sending): string | undefined | MendProblem {
  const { name, value, isUtf8 } = field
  const rule = FIELD_RULES.get(name.toLowerCase())
  const isGood = rule === undefined || (rule.isGood(value) && (isUtf8 || !SENDER_FIELD.test(name)))
  const mended = isGood ? 'same' : rule.mended(name, value, sending)
  const raw = mended === 'same' || (!isUtf8 && isBeyondAscii(mended)) ? written(field) : mended
  if (typeof raw !== 'string' || !hasLongLine(raw)) return raw
  return foldedField(name, raw) ?? tooLong(name)
}

/** Returns the field unchanged, or in ASCII if it was not UTF-8. */
function written(field: TextField): string | undefined | MendProblem {
  const { name, rest, value, isUtf8 } = field
  if (isUtf8) return `${name}:${rest}${rest.endsWith('\r\n') ? '' : '\r\n'}`
  if (!SENDER_FIELD.test(name)) return asciiField(name, value, rest.replaceAll('\r\n', '').trim())
  return {
    fault: 'sender',
    problem: `The ${name} field has an address beyond ASCII that is not UTF-8; write it in UTF-8`,
  }
}

const isBeyondAscii = (raw: string | undefined | MendProblem): boolean =>
  typeof raw === 'string' && /[^\0-\x7f]/.test(raw)

const tooLong = (name: string): MendProblem => ({
  fault: 'header',
  problem: `The ${name} field has more than ${MAX_RUN} characters without a place to fold it: a line has at most ${MAX_LINE} bytes`,
})
