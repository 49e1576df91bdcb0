// Filters of lists, read from their queries.

import { parseTime } from '../lib/rfc3339.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import type { FieldProblem } from '../model/problem.ts'

/** A problem for each value with a NUL, which nothing that is kept has. */
export const nulProblems = (query: object): FieldProblem[] =>
  Object.entries(query)
    .filter(([, value]) => [value].flat().some((one) => typeof one === 'string' && one.includes('\0')))
    .map(([path]) => ({ path, code: 'invalid_characters', message: 'It holds a NUL; remove it.' }))

/** A problem for each parameter that is there and empty: as a filter it would find everything, or nothing. */
export const emptyProblems = (query: object): FieldProblem[] =>
  Object.entries(query)
    .filter(([name, value]) => name !== 'cursor' && typeof value === 'string' && value.trim() === '')
    .map(([path]) => ({ path, code: 'too_short', message: 'It is empty; give a value, or leave it out.' }))

/** An address in its only spelling; undefined when there is none, or it is none, which is then among the problems. */
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

/**
 * Milliseconds since the epoch; undefined when there is no time, or it is none, which is then among the problems. The `+` of
 * an offset that was not encoded arrives as a space.
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

/** An address in its only spelling, or as much of one as was given. */
export function addressBeginning(text: string): string {
  const address = parseAddress(text.trim())
  if (isAddress(address)) return address.email
  const [local = '', domain] = text.trim().split('@')
  return domain === undefined ? local : `${local}@${domain.toLowerCase()}`
}
