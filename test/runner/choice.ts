// The words of the command line: which tests to run, and how.

import { changedSince, testsTouchedBy } from './import-graph.ts'
import { type DatabaseName, type Group, groupsOf, groupsOfNames, type Tier } from './plan.ts'

export interface Choice {
  readonly groups: readonly Group[]
  /** Decides about marked tests. Files that were named, or that a change touches, run whole: `all`. */
  readonly tier: Tier
  /** False for files that were named, or that a change touches. */
  readonly isWhole: boolean
  /** Ends the run at the first file that fails. */
  readonly bails: boolean
  /** Lists every test. */
  readonly isVerbose: boolean
  /** Writes the inventory of statements anew instead of comparing with it. */
  readonly acceptsStatements: boolean
}

const TIERS: Readonly<Record<string, Tier>> = { '--short': 'short', '--thorough': 'thorough', '--all': 'all' }
const OPTIONS = [...Object.keys(TIERS), '--changed', '--bail', '--accept-statements']
/** So many files are listed test by test. */
const VERBOSE_FILES = 3

/**
 * Reads the words of the command line.
 *
 * @param processes the most that may run at once
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
    if (touched !== undefined) return { ...ofFiles(touched, tier, processes), ...common }
    console.log('The change may touch any test: all of npm test runs.')
  } else if (names.length > 0) {
    return { ...ofFiles(names, tier, processes), ...common }
  }
  return {
    groups: groupsOf(tier ?? 'short'),
    tier: tier ?? 'short',
    isWhole: true,
    isVerbose: false,
    ...common,
  }
}

function ofFiles(
  names: readonly string[],
  tier: Tier = 'all',
  processes: number,
): Omit<Choice, 'acceptsStatements' | 'bails'> {
  const database: DatabaseName = process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite'
  const groups = groupsOfNames(names, database, tier, processes)
  const files = groups.flatMap((group) => group.files)
  return { groups, tier, isWhole: false, isVerbose: files.length <= VERBOSE_FILES }
}
