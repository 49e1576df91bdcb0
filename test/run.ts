// Runs the test suite: `npm test` runs the tests for every change, `npm run test:thorough` runs the expensive tests,
// and `npm run test:all` runs all tests.
//
// `npm test -- FILE…` runs only these files, with their expensive tests.
// `npm test -- --changed [REF]` runs the files that the changes since a commit affect.
// `npm test -- --bail` ends the run at the first file that fails.
// `TEST_SEED=7 npm test` shuffles the files of each process with this seed.
// `TEST_COSTS=FILE npm test` writes a table with the CPU seconds of each test.
//
// A failed file runs once more, after the same files in the same order; docs/record/races.md describes the
// consequences.

import { availableParallelism } from 'node:os'
import { budgetFaults, printCosts } from './runner/budgets.ts'
import { type Choice, readChoice } from './runner/choice.ts'
import { cpuSeconds } from './runner/costs.ts'
import { runGroup } from './runner/group-run.ts'
import { measureMachine, startMeasuring } from './runner/machine-speed.ts'
import type { Group } from './runner/plan.ts'
import { inSeededOrder } from './runner/seed.ts'
import { setUp } from './runner/setup.ts'
import { reportStatements } from './runner/statement-report.ts'
import { type GroupOutcome, printTotals } from './runner/totals.ts'
import { isFailed, tryAgain } from './runner/try-again.ts'

/** Number of test processes per core; more than one, because test processes spend a part of their time waiting. */
const PROCESSES_A_CORE = 2
const PROCESSES = { least: 2, most: 16 }

const processes = Math.min(
  PROCESSES.most,
  Math.max(PROCESSES.least, availableParallelism() * PROCESSES_A_CORE),
)

const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort())
process.once('SIGTERM', () => stopped.abort())

/** Starts all groups in order, with at most `processes` groups at a time. */
async function runAll(choice: Choice): Promise<readonly GroupOutcome[]> {
  const left = [...choice.groups]
  const outcomes: GroupOutcome[] = []
  const options = { tier: choice.tier, signal: stopped.signal, isVerbose: choice.isVerbose }
  const worker = async (): Promise<void> => {
    for (let group = left.shift(); group !== undefined && !stopped.signal.aborted; group = left.shift()) {
      const outcome = await runGroup(group, options)
      outcomes.push({ group, ...outcome })
      if (choice.bails && isFailed(outcome)) left.length = 0
    }
  }
  await Promise.all(Array.from({ length: processes }, worker))
  return outcomes
}

/** Runs the chosen tests; returns the exit code. */
async function main(choice: Choice): Promise<number> {
  const outcomes = await runAll(choice)
  if (stopped.signal.aborted) return 130
  const isRed = await tryAgain(outcomes, choice, stopped.signal)
  const hasRun = printTotals(outcomes, choice)
  const runDir = process.env.TEST_RUN_DIR as string
  const faults = !choice.isWhole ? [] : [...reportStatements(runDir, choice), ...budgetFaults(runDir, choice)]
  for (const fault of faults) console.log(`✖ ${fault}`)
  printCosts(runDir, choice)
  return isRed || !hasRun || faults.length > 0 ? 1 : 0
}

const choice = readChoice(process.argv.slice(2), processes)
const groups: readonly Group[] = inSeededOrder(choice.groups)
const start = Date.now()
if (choice.isWhole) process.env.TEST_PATIENCE ??= measureMachine().toFixed(2)
const tearDown = await setUp(groups, choice.isWhole)
const endMeasuring = startMeasuring()
try {
  process.exitCode = await main({ ...choice, groups })
} finally {
  endMeasuring()
  await tearDown()
}
console.log(`${((Date.now() - start) / 1_000).toFixed(0)} s, ${cpuSeconds().toFixed(0)} CPU s`)
