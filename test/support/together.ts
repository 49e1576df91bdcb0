// Several test files in one process: to load the service takes longer than most of them do.

import { existsSync, globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { useReadyMadeKeys } from './ready-made-keys.ts'
import type { DatabaseName } from './store.ts'
import { recordCosts, recordProcess } from './test-costs.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const require = createRequire(import.meta.url)

/**
 * Files that would say nothing more on PostgreSQL: they reach no database or SQLite alone, or every statement that the
 * service makes in them was seen to run on PostgreSQL in other files, and it is not about what happens at the same time.
 */
const SAME_ON_EITHER = [
  ...[
    ...[
      'admission',
      'body-upload',
      'client-gone',
      'connections',
      'dashboard-files',
      'field-names',
      'garbage',
    ],
    ...['json-body', 'light-answers', 'messages/send', 'openapi', 'refusals', 'request-rates', 'routes'],
    ...['shape', 'dashboard/domains/domains', 'dashboard/enumeration', 'dashboard/preview/show'],
    ...['dashboard/session/login', 'dashboard/session-guard'],
  ].map((name) => `src/api/${name}.test.ts`),
  ...[
    ...['deploy', 'restores', 'sends-later', 'smtp-submission'],
    ...['smtp-template', 'smtp-tenants', 'stops-what-was-unsubscribed', 'tries-again', 'unknown-outcome'],
    ...['webhook-receivers'],
  ].map((name) => `test/flow/${name}.test.ts`),
]

/** Files beside their sources that wait for time limits, longer than they work: they begin with the first, not at the end. */
export const WAITING = [
  'src/smtp/{at-once,connection,transaction}.test.ts',
  'src/smtp/threads/dialog-threads.test.ts',
  'src/egress/probes.test.ts',
  'src/store/database/{frozen-database,postgres}.test.ts',
]

/** A test file, and the database that it runs on. */
export interface FilePart {
  readonly file: string
  readonly database: DatabaseName
}

/** After its last test a process ends within so many ms, or fails: a test that failed may have left a service running. */
const END_WITHIN_MS = 60_000

const ON_POSTGRES = ' on PostgreSQL'

const suiteOf = ({ file, database }: FilePart): string =>
  database === 'postgres' ? `${file}${ON_POSTGRES}` : file

/** The file of a suite of `together`; undefined for another suite. */
export function filePartOf(suite: string): FilePart | undefined {
  const database = suite.endsWith(ON_POSTGRES) ? 'postgres' : 'sqlite'
  const file = database === 'postgres' ? suite.slice(0, -ON_POSTGRES.length) : suite
  const isOne =
    file.endsWith('.test.ts') && !file.startsWith('test/together/') && existsSync(join(ROOT, file))
  return isOne ? { file, database } : undefined
}

/**
 * Runs this part of the files that fit, counted from 1, one after the other. Their top level awaits nothing.
 *
 * @param without patterns of files that run elsewhere
 */
export function together(
  patterns: readonly string[],
  part: number,
  of: number,
  database: DatabaseName = 'sqlite',
  without: readonly string[] = [],
): void {
  process.env.TEST_DATABASE = database
  useReadyMadeKeys()
  for (const file of SAME_ON_EITHER) if (!existsSync(join(ROOT, file))) throw new Error(`there is no ${file}`)
  const exclude = [...(database === 'postgres' ? SAME_ON_EITHER : []), ...without]
  const files = globSync(patterns, { cwd: ROOT, exclude }).toSorted()
  for (const file of files.filter((_, index) => index % of === part - 1)) {
    // Inside a suite of its own, a file has its hooks to itself.
    describe(suiteOf({ file, database }), () => recordCosts(file, () => void require(join(ROOT, file))))
  }
  recordProcess(`${database} ${part} of ${of}: ${patterns[0]}`)
  after(() => void setTimeout(failUnended, END_WITHIN_MS).unref())
}

function failUnended(): void {
  console.error(`Still running after the last test: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
}
