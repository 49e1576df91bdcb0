// Parses the command line of the test runner, which selects the tests and options.

import { changedSince, testsTouchedBy } from './import-graph.ts'
import { type DatabaseName, type Group, groupsOf, groupsOfNames, type Tier } from './plan.ts'

export interface Choice {
  readonly groups: readonly Group[]
  /** Tier that determines whether marked tests run; the default for named or changed files is `all`. */
  readonly tier: Tier
  /** True if a whole tier runs; false for named files, and for files that a change affects. */
  readonly isWhole: boolean
  /** True if files were named, of which at least one test must run. */
  readonly isNamed: boolean
  /** Named or affected files that do not run, because the tier has none of their tests. */
  readonly leftOut: readonly string[]
  /** True to end the run at the first file that fails. */
  readonly bails: boolean
  /** True to list every test, not only every file. */
  readonly isVerbose: boolean
  /** True to replace the inventory of SQL statements instead of comparing the run with the inventory. */
  readonly acceptsStatements: boolean
}

const TIERS: Readonly<Record<string, Tier>> = { '--short': 'short', '--thorough': 'thorough', '--all': 'all' }
const OPTIONS = [...Object.keys(TIERS), '--changed', '--bail', '--accept-statements']
/** Maximum number of selected files if every test is to be listed. */
const VERBOSE_FILES = 3

/**
 * Parses the words of the command line; exits with code 2 if they are invalid.
 *
 * @param processes maximum number of concurrent test processes
 */
export function readChoice(words: readonly string[], processes: number): Choice {
  try {
    return read(words, processes)
  } catch (error) {
    console.error(`npm test: ${(error as Error).message}`)
    process.exit(2)
  }
}

function read(words: readonly string[], processes: number): Choice {
  const options = words.filter((word) => word.startsWith('-'))
  const names = words.filter((word) => !word.startsWith('-'))
  const unknown = options.find((option) => !OPTIONS.includes(option))
  if (unknown !== undefined) throw new Error(`there is no option ${unknown}; there are ${OPTIONS.join(', ')}`)
  const tier = options.map((option) => TIERS[option]).find((one) => one !== undefined)
  const common = {
    bails: options.includes('--bail'),
    acceptsStatements: options.includes('--accept-statements'),
  }
  if (options.includes('--changed')) {
    const touched = testsTouchedBy(changedSince(names[0] ?? 'HEAD'))
    if (touched !== undefined) return { ...ofFiles(touched, tier, processes), isNamed: false, ...common }
    console.log('The change may affect any test, so all tests of npm test run.')
  } else if (names.length > 0) {
    return { ...ofFiles(names, tier, processes), isNamed: true, ...common }
  }
  return {
    groups: groupsOf(tier ?? 'short'),
    tier: tier ?? 'short',
    isWhole: true,
    isNamed: false,
    leftOut: [],
    isVerbose: false,
    ...common,
  }
}

function ofFiles(
  names: readonly string[],
  tier: Tier = 'all',
  processes: number,
): Omit<Choice, 'acceptsStatements' | 'bails' | 'isNamed'> {
  const database: DatabaseName = process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite'
  const { groups, leftOut } = groupsOfNames(names, database, tier, processes)
  const files = groups.flatMap((group) => group.files)
  return { groups, leftOut, tier, isWhole: false, isVerbose: files.length <= VERBOSE_FILES }
}
