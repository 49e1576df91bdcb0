// Prints the results of measurements, one per line, with the goal if a goal is set.

import { cpus } from 'node:os'

/** Returns the median; the median of an even number of values is the larger of the middle two values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Returns a quantile of the values; `share` is a fraction such as 0.99 for the 99th percentile. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN
}

/** Formats a number with three or more significant digits, thousands separators and a unit. */
export function figure(value: number, unit = ''): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return unit === '' ? text : `${text} ${unit}`
}

/** Formats the CPU time of each thread, divided by `count`, largest first; leaves out threads below a microsecond. */
export function threadFigures(threadMicros: Readonly<Record<string, number>>, count: number): string {
  return Object.entries(threadMicros)
    .map(([name, micros]) => [name, micros / count] as const)
    .filter(([, each]) => each >= 1)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, each]) => `${name} ${figure(each)}`)
    .join(', ')
}

export function heading(text: string): void {
  process.stdout.write(`\n${text}\n`)
}

export function line(label: string, ...values: readonly string[]): void {
  process.stdout.write(`  ${label.padEnd(34)}${values.map((value) => value.padStart(16)).join('')}\n`)
}

/** Prints a goal, and whether the measurement has reached the goal. */
export function goal(text: string, reached: boolean): void {
  line(`goal: ${text}`, reached ? 'reached' : 'missed')
}

/** Describes the machine that runs the measurement. */
export function machine(): string {
  return `${processors()}, ${process.platform} ${process.arch}, Node ${process.version}, SQLite ${process.versions.sqlite}`
}

/** Describes the processors; only results from equal processors are comparable. */
export function processors(): string {
  const all = cpus()
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown CPU'}`
}
