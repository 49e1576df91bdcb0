// Prints figures: one line each, with the goal if there is one.

import { cpus } from 'node:os'

/** The middle one; of an even number the upper of the two. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** The smallest of the values that a share of them does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN
}

/** Rounded to what can be told apart, with thousands. */
export function figure(value: number, unit = ''): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return unit === '' ? text : `${text} ${unit}`
}

/** The threads that took at least a microsecond for each of `count`, the dearest first. */
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

/** A goal and whether it was reached. */
export function goal(text: string, reached: boolean): void {
  line(`goal: ${text}`, reached ? 'reached' : 'missed')
}

/** Machine that the figures were measured on. */
export function machine(): string {
  return `${processors()}, ${process.platform} ${process.arch}, Node ${process.version}, SQLite ${process.versions.sqlite}`
}

/** The processors alone: figures of the same ones can be compared. */
export function processors(): string {
  const all = cpus()
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown CPU'}`
}
