// Limits of reading a report, and the texts and warnings that are kept of a report of any content.

import { isIP } from 'node:net'
import { legalText } from '../mime/legal-text.ts'
import { MAX_WARNINGS } from '../model/report.ts'

/** Maximum number of characters of a text of a report. */
const MAX_TEXT = 1_024
/** Maximum time for reading one report in milliseconds. */
const MAX_MS = 5_000
/** Largest number that a count of a report may have, so that sums stay exact. */
const MAX_COUNT = 1_000_000_000

/** Reason why a file cannot be read, with its place in the file; never leaves `readReportFile`. */
export class ReportFault extends Error {
  readonly where: string

  constructor(problem: string, where: string) {
    super(problem)
    this.where = where
  }
}

/** Refuses to read further once a report has taken its time. */
export class Deadline {
  readonly #end = performance.now() + MAX_MS

  /** Throws `ReportFault` after the deadline. */
  check(where: string): void {
    if (performance.now() > this.#end) {
      throw new ReportFault('The report takes longer than 5 seconds to read.', where)
    }
  }
}

/** Collects different warnings, and counts how often each one applies. */
export class Warnings {
  readonly #counts = new Map<string, number>()

  add(text: string): void {
    const count = this.#counts.get(text)
    if (count !== undefined) this.#counts.set(text, count + 1)
    else if (this.#counts.size < MAX_WARNINGS) this.#counts.set(text, 1)
  }

  list(): string[] {
    return [...this.#counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`))
  }
}

/** Returns a text of a report on one line, without control characters, with at most 1,024 characters. */
export const cleanText = (text: string, most = MAX_TEXT): string =>
  legalText(text.slice(0, most + 1_000))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()

/** Returns a domain name in lower case without a trailing dot; empty if the text is no name. */
export function cleanDomain(text: string): string {
  const name = cleanText(text, 255).toLowerCase().replace(/\.$/, '')
  return /^[^\s@<>/\\"']{1,255}$/.test(name) ? name : ''
}

/** Returns a count; undefined for a text that is no whole number of at least 0. */
export function countOf(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  if (!/^\d{1,15}$/.test(text)) return undefined
  const count = Number(text)
  return count <= MAX_COUNT ? count : undefined
}

/** Returns an IP address in its canonical spelling, an IPv4-mapped address as IPv4; undefined for any other text. */
export function canonicalAddress(text: string): string | undefined {
  const given = text.trim()
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(given)?.[1] ?? given
  const family = isIP(mapped)
  if (family === 4) return mapped
  if (family !== 6 || mapped.includes('%')) return undefined
  const shown = new URL(`http://[${mapped}]`).hostname.slice(1, -1)
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shown)
  if (hex === null) return shown
  const [high, low] = [Number.parseInt(hex[1]!, 16), Number.parseInt(hex[2]!, 16)]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}
