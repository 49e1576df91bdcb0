// Refused entries, as the user has typed them or as they appear in the file, each with the reason.

import { isWorkbook } from '../../parts/table-file.ts'
import type { AddResult } from './calls.ts'

export interface RefusedEntry {
  /** Line of the file, from 1; undefined for typed text. */
  readonly line?: number
  /** Text of the entry; empty for an entry of a workbook, which only a spreadsheet program can show. */
  readonly text: string
  readonly reason: string
}

type Problems = AddResult['problems']

const indexOf = (path: string): number => Number(/\[(\d+)\]/.exec(path)?.[1] ?? Number.NaN)

/**
 * Returns the addresses in a text, one per line or separated by commas or semicolons; other words of a line stay
 * together.
 */
export const entriesOf = (typed: string): readonly string[] =>
  typed
    .split(/[\n,;]/)
    .map((entry) => entry.trim())
    .flatMap((entry) => {
      const words = entry.split(/\s+/)
      return words.every((word) => word.includes('@')) ? words : [entry]
    })
    .filter((entry) => entry !== '')

export const refusedEntries = (entries: readonly string[], problems: Problems): readonly RefusedEntry[] =>
  problems.map(({ path, message }) => ({ text: entries[indexOf(path)] ?? '', reason: message }))

/**
 * Returns the refused entries of a file, each with the line number of the API response; a cell with line breaks counts
 * as one line.
 */
export async function refusedLines(file: File, problems: Problems): Promise<readonly RefusedEntry[]> {
  const lines = problems.length === 0 || isWorkbook(file.name) ? [] : linesOf(await file.text())
  return problems.map(({ line, message }) => ({
    ...(line === undefined ? {} : { line }),
    text: lines[(line ?? 0) - 1] ?? '',
    reason: message,
  }))
}

/** Returns the lines of a CSV file as a spreadsheet program counts them, without a line that sets the separator. */
function linesOf(csv: string): readonly string[] {
  const lines = ['']
  let quoted = false
  for (const piece of csv.replace(/^\ufeff?sep=[,;\t](?:\r\n|\n|\r)/i, '').split(/(\r\n|[\r\n"])/)) {
    if (piece === '"') quoted = !quoted
    if (!quoted && /^[\r\n]/.test(piece)) lines.push('')
    else lines.push(`${lines.pop()}${piece}`)
  }
  return lines
}
