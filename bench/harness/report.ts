// Prints figures, one per line, with the goal if there is one.

import { cpus } from 'node:os'

/** Returns the median; for an even number of values the upper one of the middle two. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Returns the smallest value that at least a share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN
}

/** Formats a number with meaningful digits and with separators of thousands. */
export function figure(value: number, unit = ''): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return unit === '' ? text : `${text} ${unit}`
}

/** Formats the CPU time of the threads that used at least a microsecond for each of `count`, largest first. */
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

/** Prints a goal and whether the measurement reached it. */
export function goal(text: string, reached: boolean): void {
  line(`goal: ${text}`, reached ? 'reached' : 'missed')
}

/** Describes the machine of the measurement. */
export function machine(): string {
  return `${processors()}, ${process.platform} ${process.arch}, Node ${process.version}, SQLite ${process.versions.sqlite}`
}

/** Describes the processors; only figures of equal processors are comparable. */
export function processors(): string {
  const all = cpus()
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown CPU'}`
}
