// Entries that were refused, as they were typed or stand in their file, each with the reason.

import { isWorkbook } from '../../parts/table-file.ts'
import type { AddResult } from './calls.ts'

export interface RefusedEntry {
  /** Of the file, from 1; undefined for what was typed. */
  readonly line?: number
  /** Empty where only a spreadsheet program shows it. */
  readonly text: string
  readonly reason: string
}

type Problems = AddResult['problems']

const indexOf = (path: string): number => Number(/\[(\d+)\]/.exec(path)?.[1] ?? Number.NaN)

/** Addresses of a text: one per line, or separated. Words of a line that are no addresses stay together. */
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

/** Those of a file, each with the line that the service has told: a cell with line breaks is on one. */
export async function refusedLines(file: File, problems: Problems): Promise<readonly RefusedEntry[]> {
  const lines = problems.length === 0 || isWorkbook(file.name) ? [] : linesOf(await file.text())
  return problems.map(({ line, message }) => ({
    ...(line === undefined ? {} : { line }),
    text: lines[(line ?? 0) - 1] ?? '',
    reason: message,
  }))
}

/** Lines of a CSV as a spreadsheet counts them: without the one that tells it the separator. */
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
