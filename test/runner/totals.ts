// Prints the last lines of a test run: the numbers of tests, failures and omitted tests, and how to run the omitted
// tests.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Choice } from './choice.ts'
import type { Outcome } from './group-run.ts'
import { type Group, ROOT } from './plan.ts'

export interface GroupOutcome extends Outcome {
  readonly group: Group
}

/** File with the number of tests in each tier, as counted by the last complete run. */
const COUNTS = join(ROOT, 'test/runner/counts.json')

const OTHER = { short: 'thorough', thorough: 'short' } as const
const COMMAND = { short: 'npm test', thorough: 'npm run test:thorough' } as const

/**
 * Prints the totals in the format of the test runner of Node.js, and the files that did not run. Returns false if files
 * were named and none of their tests ran.
 */
export function printTotals(outcomes: readonly GroupOutcome[], choice: Choice): boolean {
  const { tier, isWhole, isNamed, leftOut } = choice
  const sum = (of: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0)
  const tests = sum((outcome) => outcome.tests)
  const failed = sum((outcome) => outcome.failed)
  const skipped = sum((outcome) => outcome.skipped)
  console.log(
    [
      `ℹ tests ${tests}`,
      `ℹ pass ${tests - failed - skipped}`,
      `ℹ fail ${failed}`,
      `ℹ skipped ${skipped}`,
    ].join('\n'),
  )
  for (const file of leftOut) console.log(`⚠ ${file}: not run, because --${tier} has none of its tests`)
  if (isNamed && tests === 0) {
    console.log('✖ no test of the named files ran')
    return false
  }
  if (!isWhole || tier === 'all') return true
  const other = OTHER[tier]
  const counts = JSON.parse(readFileSync(COUNTS, 'utf8')) as Readonly<Record<typeof other, number>>
  console.log(
    `${tests} tests ran; about ${counts[other]} were left out: ${COMMAND[other]} runs them, npm run test:all runs everything`,
  )
  return true
}
