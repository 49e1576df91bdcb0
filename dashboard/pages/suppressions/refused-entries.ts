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

/** Those of a file, whose first line names the columns; empty lines are no entries. */
export async function refusedLines(file: File, problems: Problems): Promise<readonly RefusedEntry[]> {
  if (problems.length === 0) return []
  if (isWorkbook(file.name)) {
    return problems.map(({ path, message }) => ({ line: indexOf(path) + 2, text: '', reason: message }))
  }
  const lines = (await file.text()).split(/\r\n|\r|\n/)
  const filled = lines
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text, line }) => text.trim() !== '' && !(line === 1 && /^\ufeff?sep=/i.test(text)))
  return problems.map(({ path, message }) => {
    const { text = '', line } = filled[indexOf(path) + 1] ?? {}
    return { ...(line === undefined ? {} : { line }), text, reason: message }
  })
}
