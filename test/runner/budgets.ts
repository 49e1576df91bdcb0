// Budgets of CPU time for a tier of the test suite and for a single test, so that the suite does not grow unnoticed.

import { writeFileSync } from 'node:fs'
import type { Choice } from './choice.ts'
import { type Cost, costsIn, cpuSeconds } from './costs.ts'
import { machineFactor } from './machine-speed.ts'
import type { Category, Tier } from './plan.ts'

/** Budget of each tier in CPU seconds, on a machine whose factor is 1 (`machine-speed.ts`). */
const BUDGETS: Readonly<Record<Tier, number>> = { short: 600, thorough: 1_800, all: 2_400 }
/** Maximum CPU seconds of an unmarked test, and minimum CPU seconds or waiting time of a marked (expensive) test. */
const TEST = { most: 8, least: 0.02, leastWait: 1 } as const
const MAX_TOLD = 12

/** True if budgets are enforced, by default only in CI; elsewhere other programs may use the processors. */
const isKept = (): boolean => process.env.CI === 'true' || process.env.TEST_BUDGETS === 'yes'

const seconds = (value: number): string => value.toFixed(value < 10 ? 2 : 0)

/** Returns a sentence for each budget that the run has exceeded. */
export function budgetFaults(runDir: string, { tier, isWhole }: Choice): readonly string[] {
  if (!isKept() || !isWhole) return []
  const costs = costsIn(runDir)
  const scale = Math.max(1, machineFactor())
  const total = cpuSeconds()
  const faults: string[] = []
  if (total > BUDGETS[tier] * scale) {
    faults.push(`the run took ${seconds(total)} CPU s; the budget is ${seconds(BUDGETS[tier] * scale)} CPU s`)
  }
  const dear = costs.filter(
    ({ test, mark, cpu }) => test !== undefined && mark === undefined && cpu > TEST.most * scale,
  )
  for (const { file, test, cpu } of dear.slice(0, MAX_TOLD)) {
    faults.push(
      `${file} › ${test}: ${seconds(cpu)} CPU s. Make the test cheaper, or mark the test with thorough('why')`,
    )
  }
  for (const { file, test, cpu } of cheapMarked(costs, scale).slice(0, MAX_TOLD)) {
    faults.push(`${file} › ${test}: ${seconds(cpu)} CPU s. The test is cheap: remove its mark`)
  }
  return faults
}

/** Returns the tests that are marked as expensive but are cheap; leaves out files that are marked as a whole. */
const cheapMarked = (costs: readonly Cost[], scale: number): readonly Cost[] =>
  costs.filter(
    ({ test, mark, cpu, seconds: waited }) =>
      test !== undefined && mark === 'test' && cpu < TEST.least * scale && waited < TEST.leastWait,
  )

/** Prints the CPU seconds of each category; `TEST_COSTS=FILE` also writes a table with the CPU seconds of each test. */
export function printCosts(runDir: string, { isWhole }: Choice): void {
  const costs = costsIn(runDir)
  const { TEST_COSTS: table } = process.env
  if (table !== undefined) {
    const rows = costs
      .filter(({ test }) => test !== undefined)
      .toSorted((a, b) => b.cpu - a.cpu)
      .map(
        ({ category, file, test, mark, cpu, seconds: waited }) =>
          `${cpu.toFixed(2)}\t${waited.toFixed(2)}\t${mark ?? ''}\t${category}\t${file}\t${test}`,
      )
    writeFileSync(table, `${rows.join('\n')}\n`)
  }
  if (!isWhole) return
  console.log(
    `This machine needed ${machineFactor().toFixed(2)} times the CPU time of the reference machine.`,
  )
  const ofProcesses = costs.filter(({ test }) => test === undefined)
  const byCategory = Map.groupBy(ofProcesses, ({ category }) => category)
  const sums = [...byCategory].map(([category, own]) => [category, sumOf(own)] as const)
  const rest = cpuSeconds() - sumOf(ofProcesses)
  const rows: readonly (readonly [Category | 'PostgreSQL, setup, runner', number])[] = [
    ...sums.toSorted(([, a], [, b]) => b - a),
    ['PostgreSQL, setup, runner', rest],
  ]
  console.log(`CPU seconds: ${rows.map(([name, sum]) => `${name} ${sum.toFixed(0)}`).join(', ')}`)
}

const sumOf = (costs: readonly Cost[]): number => costs.reduce((sum, { cpu }) => sum + cpu, 0)
