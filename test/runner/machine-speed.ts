// Measures how much CPU time this machine needs for a fixed amount of work: before a run in order to scale time limits,
// and during the run in order to scale CPU budgets, because the programs of other tenants slow a virtual machine for
// minutes.

import { createHash } from 'node:crypto'

/** CPU time of `work` in milliseconds, mean of a run of `npm test` on a 2-core Xeon of 2026. */
const REFERENCE_MS = 8
/** The same on an otherwise idle machine, where one run takes two thirds of the mean beside the tests. */
const IDLE_REFERENCE_MS = 5.5
const EVERY_MS = 5_000
const ROWS = 6_000

/** Runs a fixed amount of work of the kind that tests do: objects, texts, and hashes. */
function work(): string {
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    id: `row_${index}`,
    tags: [index, -index],
    text: 'é',
  }))
  const text = JSON.stringify(rows)
  const read = JSON.parse(text) as typeof rows
  read.sort((a, b) => (a.id < b.id ? 1 : -1))
  const names = new Map(read.map(({ id, tags }) => [id, tags.join()]))
  return createHash('sha256')
    .update(text)
    .update([...names].flat().join())
    .digest('hex')
}

/** Returns the CPU time of one run of the work, in milliseconds. */
function sample(): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const samples: number[] = []

/**
 * Returns the CPU time of this machine as a multiple of the CPU time of the reference machine: 3 means that this
 * machine is three times slower. Uses the best of five measurements, so that other processes have little influence.
 */
export function measureMachine(): number {
  for (let round = 0; round < 3; round++) work()
  return Math.min(...Array.from({ length: 5 }, sample)) / IDLE_REFERENCE_MS
}

/** Starts to measure every five seconds; returns a function that ends the measurements. */
export function startMeasuring(): () => void {
  // The first runs include the compilation of the work.
  for (let round = 0; round < 3; round++) work()
  samples.push(sample())
  const timer = setInterval(() => samples.push(sample()), EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** Returns the mean CPU time of the work in this run as a multiple of the CPU time on the reference machine. */
export const machineFactor = (): number =>
  samples.length === 0 ? 1 : samples.reduce((sum, ms) => sum + ms, 0) / samples.length / REFERENCE_MS
