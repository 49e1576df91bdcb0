// The history of the recorded figures: reads and writes one line for each figure of each record, and finds losses.

import { figure, median } from '../harness/report.ts'
import { FIGURE_NAMES, FIGURES, type FigureName } from './figures.ts'

/** Median, lowest and highest value of a recorded figure over all rounds. */
export interface Measured {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** All figures measured at one commit. */
export interface Entry {
  /** Time of the record in RFC 3339 format. */
  readonly at: string
  /** Hash of the commit, with the suffix `+` if the working tree had uncommitted changes. */
  readonly commit: string
  readonly machine: string
  readonly figures: ReadonlyMap<FigureName, Measured>
}

const HEAD = ['at', 'commit', 'machine', 'figure', 'value', 'low', 'high'].join('\t')

/** Returns the lines of an entry in the history file. */
export const formatEntry = ({ at, commit, machine, figures }: Entry): string =>
  [...figures]
    .map(([name, { value, low, high }]) =>
      [at, commit, machine, name, ...[value, low, high].map((one) => Number(one.toPrecision(4)))].join('\t'),
    )
    .map((row) => `${row}\n`)
    .join('')

/** Returns the text of the history file, with a header line if the file is empty. */
export const withHead = (text: string): string => (text === '' ? `${HEAD}\n` : text)

/** Parses the entries of the history file, oldest first; ignores figures that no longer exist. */
export function parseHistory(text: string): Entry[] {
  const entries = new Map<string, Entry & { figures: Map<FigureName, Measured> }>()
  for (const row of text.split('\n').slice(1)) {
    const [at = '', commit = '', machine = '', name = '', value, low, high] = row.split('\t')
    if (!(name in FIGURES)) continue
    const key = `${at} ${commit}`
    const entry = entries.get(key) ?? { at, commit, machine, figures: new Map() }
    entry.figures.set(name as FigureName, { value: Number(value), low: Number(low), high: Number(high) })
    entries.set(key, entry)
  }
  return [...entries.values()]
}

/** Summarises the values of the rounds; returns undefined without rounds. */
export const measuredOf = (values: readonly number[]): Measured | undefined =>
  values.length === 0
    ? undefined
    : { value: median(values), low: Math.min(...values), high: Math.max(...values) }

/** Figure of the last entry that is worse than the earlier entries by more than the noise. */
export interface Fallen {
  readonly name: FigureName
  readonly before: number
  readonly now: number
  /** Loss as a fraction of the earlier value. */
  readonly by: number
  readonly noise: number
  /** Commits immediately before and after the largest loss between two consecutive entries. */
  readonly between: readonly [string, string]
}

/** Maximum number of earlier entries with which the last entry is compared. */
const MAX_COMPARED = 5
/** Minimum noise that is assumed on any machine, as a fraction. */
const MIN_NOISE = 0.03
/** Noise that is assumed for a figure with a single round, as a fraction. */
const SINGLE_ROUND_NOISE = 0.08

/** Returns the figures that became worse from the earlier entries of the same machine to the last entry. */
export function fallenSince(entries: readonly Entry[]): Fallen[] {
  const now = entries.at(-1)
  if (now === undefined) return []
  const before = entries
    .slice(0, -1)
    .filter(({ machine }) => machine === now.machine)
    .slice(-MAX_COMPARED)
  return FIGURE_NAMES.flatMap((name) => fallOf(name, before, now))
}

function fallOf(name: FigureName, before: readonly Entry[], now: Entry): Fallen[] {
  const last = now.figures.get(name)
  const earlier = before.flatMap(({ commit, figures }) => {
    const measured = figures.get(name)
    return measured === undefined ? [] : [{ commit, measured }]
  })
  if (last === undefined || earlier.length === 0 || 'ofMachine' in FIGURES[name]) return []
  const reference = median(earlier.map(({ measured }) => measured.value))
  const by = worseBy(name, reference, last.value)
  const spreads = [...earlier.map(({ measured }) => measured), last].map(
    ({ value, low, high }) => (high - low) / 2 / value,
  )
  const noise = Math.max(last.low === last.high ? SINGLE_ROUND_NOISE : MIN_NOISE, median(spreads))
  if (by <= noise) return []
  // The loss is attributed to the largest step between two consecutive entries.
  const row = [...earlier, { commit: now.commit, measured: last }]
  const steps = row.slice(1).map((one, index) => ({
    between: [row[index]?.commit ?? '', one.commit] as const,
    by: worseBy(name, row[index]?.measured.value ?? 0, one.measured.value),
  }))
  const [largest] = steps.toSorted((one, other) => other.by - one.by)
  return largest === undefined
    ? []
    : [{ name, before: reference, now: last.value, by, noise, between: largest.between }]
}

/** Returns the loss from `before` to `now` as a fraction of `before`; negative for a gain. */
const worseBy = (name: FigureName, before: number, now: number): number =>
  (FIGURES[name].better === 'more' ? before - now : now - before) / before

/** Returns the table in `bench/README.md`, with the last entry and the median of the earlier entries. */
export function figuresTable(entries: readonly Entry[]): string {
  const last = entries.at(-1)
  if (last === undefined) return ''
  const before = entries
    .slice(0, -1)
    .filter(({ machine }) => machine === last.machine)
    .slice(-MAX_COMPARED)
  const rows = FIGURE_NAMES.flatMap((name) => {
    const measured = last.figures.get(name)
    if (measured === undefined) return []
    const { label, unit } = FIGURES[name]
    const earlier = before.flatMap(({ figures }) => figures.get(name)?.value ?? [])
    const range = `${figure(measured.low)}–${figure(measured.high)}`
    const then = earlier.length === 0 ? '' : figure(median(earlier), unit)
    return [`| ${label} | ${figure(measured.value, unit)} | ${range} | ${then} |`]
  })
  return [
    `Commit ${last.commit}, ${last.at.slice(0, 10)}, ${last.machine}.`,
    '',
    '| | median | rounds | median of the records before |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
