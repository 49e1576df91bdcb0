// Assigns test files to processes and databases, for each tier of the test suite.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { POSTGRES_FILES, SQLITE_ONLY } from './postgres-files.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Tier of the test suite: `short` is `npm test`, `thorough` has the tests that `npm test` leaves out, `all` has both.
 */
export type Tier = 'short' | 'thorough' | 'all'
export type DatabaseName = 'sqlite' | 'postgres'

/** Test files that run one after another in one process, because loading the service takes longer than most files. */
export interface Group {
  readonly name: string
  /** Category under which the CPU time of the group is reported. */
  readonly category: Category
  readonly database: DatabaseName
  readonly files: readonly string[]
  /** Files that are marked as expensive as a whole; the tier `short` leaves these files out. */
  readonly marked: readonly string[]
  /** True if the process starts a browser, which all files of the process share. */
  readonly browser: boolean
}

export type Category = keyof typeof CATEGORIES

interface Kind {
  readonly patterns: readonly string[]
  readonly without?: readonly string[]
  readonly database?: DatabaseName
  readonly browser?: true
  /** Number of processes that share the files, in each tier. */
  readonly parts: Readonly<Record<Tier, number>>
}

/**
 * Test files that spend most of their time waiting for timeouts. The process of these files starts first, so that other
 * processes use the processors during the waits.
 */
const WAITING = [
  'src/smtp/{at-once,connection,transaction}.test.ts',
  'src/smtp/threads/dialog-threads.test.ts',
  'src/egress/probes.test.ts',
  'src/store/database/{frozen-database,postgres}.test.ts',
]

const API = ['src/api/**/*.test.ts', 'src/domains/*.test.ts']

/** Categories of test files, in the order in which their processes start; the longest-running category comes first. */
const CATEGORIES = {
  waiting: { patterns: WAITING, parts: { short: 1, thorough: 1, all: 1 } },
  browser: {
    patterns: ['test/browser/*.test.ts'],
    browser: true,
    parts: { short: 1, thorough: 2, all: 2 },
  },
  hosts: { patterns: ['test/flow/hosts/*.test.ts'], parts: { short: 2, thorough: 2, all: 3 } },
  'flows on PostgreSQL': {
    patterns: ['test/flow/*.test.ts'],
    database: 'postgres',
    parts: { short: 1, thorough: 3, all: 3 },
  },
  'API on PostgreSQL': { patterns: API, database: 'postgres', parts: { short: 1, thorough: 1, all: 1 } },
  'browser on PostgreSQL': {
    patterns: ['test/browser/{home,searching}.test.ts'],
    database: 'postgres',
    browser: true,
    parts: { short: 1, thorough: 1, all: 1 },
  },
  flows: { patterns: ['test/flow/*.test.ts'], parts: { short: 2, thorough: 1, all: 2 } },
  API: { patterns: API, parts: { short: 1, thorough: 1, all: 1 } },
  units: {
    patterns: [
      'src/!(api|domains)/**/*.test.ts',
      ...['dashboard', 'bench', 'sdk', 'test/support', 'test/runner'].map(
        (folder) => `${folder}/**/*.test.ts`,
      ),
    ],
    without: WAITING,
    parts: { short: 2, thorough: 1, all: 2 },
  },
} as const satisfies Readonly<Record<string, Kind>>

/** Pattern of the comment that marks a whole file as expensive and gives the reason. */
const FILE_MARK = /^\/\/ thorough: \S.{11}/m
const TEST_MARK = /\bthorough\(/

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** True if `npm test` leaves out the whole file. */
export const isMarkedFile = (file: string): boolean => FILE_MARK.test(textOf(file))

/** Returns the groups of a tier, in the order in which the groups start. */
export function groupsOf(tier: Tier): readonly Group[] {
  return (Object.keys(CATEGORIES) as Category[]).flatMap((category) => groupsOfKind(category, tier))
}

function groupsOfKind(category: Category, tier: Tier): readonly Group[] {
  const kind: Kind = CATEGORIES[category]
  const database = kind.database ?? 'sqlite'
  const found = globSync(kind.patterns, { cwd: ROOT, exclude: [...(kind.without ?? [])] }).toSorted()
  const all = found.filter((file) => database === 'sqlite' || !SQLITE_ONLY.has(file))
  const marked = new Set(all.filter((file) => isMarkedFile(file) || isSecondRunOnly(file, database)))
  const files = all.filter((file) => isInTier(file, tier, marked.has(file)))
  const parts = Math.min(kind.parts[tier], files.length)
  return Array.from({ length: parts }, (_, part) => {
    const own = files.filter((_file, index) => index % parts === part)
    return {
      name: parts === 1 ? category : `${category} ${part + 1} of ${parts}`,
      category,
      database,
      files: own,
      marked: own.filter((file) => marked.has(file)),
      browser: kind.browser ?? false,
    }
  })
}

/** True if a tier has tests of the file; `isMarked` tells whether the file is marked as a whole. */
function isInTier(file: string, tier: Tier, isMarked: boolean): boolean {
  if (tier === 'short') return !isMarked
  return tier === 'all' || isMarked || TEST_MARK.test(textOf(file))
}

/** True if `npm test` runs the file only on SQLite. */
const isSecondRunOnly = (file: string, database: DatabaseName): boolean =>
  database === 'postgres' && !POSTGRES_FILES.includes(file)

/** Groups for named files, and the named files without a test in the chosen tier. */
interface NamedGroups {
  readonly groups: readonly Group[]
  readonly leftOut: readonly string[]
}

/**
 * Returns groups for named files, at most one group for each process.
 *
 * @param names paths or glob patterns relative to the root
 * @throws Error for a name that matches no test file
 */
export function groupsOfNames(
  names: readonly string[],
  database: DatabaseName,
  tier: Tier,
  processes: number,
): NamedGroups {
  const named = [...new Set(names.flatMap(filesOfName))]
  const marked = new Set(named.filter(isMarkedFile))
  const files = named.filter((file) => isInTier(file, tier, marked.has(file)))
  const parts = Math.min(processes, files.length)
  const groups = Array.from({ length: parts }, (_, part): Group => {
    const own = files.filter((_file, index) => index % parts === part)
    return {
      name: `files ${part + 1} of ${parts}`,
      category: 'units',
      database,
      files: own,
      marked: own.filter((file) => marked.has(file)),
      browser: false,
    }
  })
  return { groups, leftOut: named.filter((file) => !files.includes(file)) }
}

function filesOfName(name: string): readonly string[] {
  const found = existsSync(resolve(ROOT, name))
    ? [relative(ROOT, resolve(ROOT, name))]
    : globSync(name, { cwd: ROOT })
  const files = found.filter((file) => file.endsWith('.test.ts')).toSorted()
  if (files.length === 0) throw new Error(`there is no test file ${name}`)
  return files
}
