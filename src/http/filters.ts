// Reads the filters of lists from queries.

import { parseTime } from '../lib/rfc3339.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import { type MetadataEntry, SEARCHABLE_KEYS } from '../model/message.ts'
import type { FieldProblem } from '../model/problem.ts'

/** Returns a problem for each value that contains a NUL character; no stored value contains NUL. */
export const nulProblems = (query: object): FieldProblem[] =>
  Object.entries(query)
    .filter(([, value]) => [value].flat().some((one) => typeof one === 'string' && one.includes('\0')))
    .map(([path]) => ({
      path,
      code: 'invalid_characters',
      message: 'The value contains a NUL character; remove it.',
    }))

/** Returns a problem for each empty parameter, because an empty filter would find all rows or no row. */
export const emptyProblems = (query: object): FieldProblem[] =>
  Object.entries(query)
    .filter(([name, value]) => name !== 'cursor' && typeof value === 'string' && value.trim() === '')
    .map(([path]) => ({
      path,
      code: 'too_short',
      message: 'The parameter is empty; give a value, or leave it out.',
    }))

/**
 * Returns a normalized address; undefined without a text. Returns undefined and adds a problem if the text is not an
 * address.
 */
export function readAddress(
  path: string,
  text: string | undefined,
  problems: FieldProblem[],
): string | undefined {
  if (text === undefined) return undefined
  const address = parseAddress(text)
  if (isAddress(address)) return address.email
  const message = `This is not an email address: it ${address.problem}.`
  problems.push({ path, code: 'invalid_email', message })
  return undefined
}

const METADATA = 'metadata.'

/**
 * Returns the values of the metadata that a query wants, from its parameters such as `metadata.order_id`; undefined if
 * there are none. Adds a problem if there are more values than a message has searchable keys.
 */
export function readMetadata(query: object, problems: FieldProblem[]): readonly MetadataEntry[] | undefined {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    name.startsWith(METADATA) ? [[name.slice(METADATA.length), String(value)] as const] : [],
  )
  if (entries.length > SEARCHABLE_KEYS) {
    const message = `The first ${SEARCHABLE_KEYS} keys of a message can be searched; give at most ${SEARCHABLE_KEYS} values.`
    problems.push({ path: 'metadata', code: 'too_many', message })
  }
  return entries.length === 0 ? undefined : entries
}

/**
 * Returns a time in milliseconds since the epoch; undefined without a text. Returns undefined and adds a problem if the
 * text is not a time. The unencoded `+` of a UTC offset is received as a space.
 */
export function readTime(
  path: string,
  text: string | undefined,
  problems: FieldProblem[],
): number | undefined {
  if (text === undefined) return undefined
  const ms = parseTime(text.replace(/ (?=\d\d:\d\d$)/, '+'))
  if (ms !== undefined) return ms
  problems.push({ path, code: 'invalid_time', message: 'Give a time such as 2026-01-31T12:00:00Z.' })
  return undefined
}

/** Returns an address, or the beginning of an address, in normalized form. */
export function addressBeginning(text: string): string {
  const address = parseAddress(text.trim())
  if (isAddress(address)) return address.email
  const [local = '', domain] = text.trim().split('@')
  return domain === undefined ? local : `${local}@${domain.toLowerCase()}`
}
