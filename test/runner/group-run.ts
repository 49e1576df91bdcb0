// Runs one group of test files in a process, and reports each file as soon as the file has ended.

import { join } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { patience } from '../support/patience.ts'
import { THOROUGH } from '../support/thorough.ts'
import { type Group, ROOT, type Tier } from './plan.ts'

const PROCESS = join(ROOT, 'test/runner/process.ts')
/** Timeout of a test that hangs; long enough for machines that are many times slower than usual. */
const TIMEOUT_MS = 420_000
/** Maximum length of the error output of a failed process that is printed, in characters. */
const MAX_ERRORS = 8_000

export interface Options {
  readonly tier: Tier
  readonly signal: AbortSignal
  /** True to list every test, not only the tests of failed files. */
  readonly isVerbose: boolean
  /** True to end the process after its last test, even if handles keep the process alive. */
  readonly forceExit?: boolean
}

/** Result of running a group of test files. */
export interface Outcome {
  tests: number
  failed: number
  skipped: number
  /** Test files with at least one failed test. */
  readonly failedFiles: Set<string>
  /** True if the test process died, could not load a file, or did not end. */
  processFailed: boolean
}

/** Event of the test runner of Node.js, with the properties that are read here. */
interface TestEvent {
  readonly type: string
  readonly data: {
    readonly name?: string
    /** Text of an event `test:stderr`. */
    readonly message?: string
    readonly nesting?: number
    readonly skip?: string | boolean
    readonly details?: { readonly type?: string; readonly duration_ms?: number }
  }
}

const TAGS: Readonly<Record<Tier, string | undefined>> = {
  short: `not ${THOROUGH}`,
  thorough: THOROUGH,
  all: undefined,
}

/** Runs a group of test files and returns the result; prints each file when the file has ended. */
export async function runGroup(group: Group, options: Options): Promise<Outcome> {
  const { tier, signal, isVerbose, forceExit = false } = options
  const tags = TAGS[tier]
  const events = run({
    cwd: ROOT,
    files: [PROCESS],
    argv: [JSON.stringify(group)],
    concurrency: 1,
    timeout: TIMEOUT_MS * patience(),
    signal,
    forceExit,
    ...(tags === undefined ? {} : { testTagFilters: tags }),
  })
  const outcome: Outcome = { tests: 0, failed: 0, skipped: 0, failedFiles: new Set(), processFailed: false }
  let file: TestEvent[] = []
  const errors: string[] = []
  for await (const event of events as AsyncIterable<TestEvent>) {
    if (event.type === 'test:summary' || event.type === 'test:diagnostic') continue
    if (event.type === 'test:stderr') errors.push(event.data.message ?? '')
    file.push(event)
    if (!isResult(event)) continue
    count(event, outcome)
    if (event.data.nesting !== 0) continue
    await print(group, file, isVerbose)
    file = []
  }
  if (outcome.processFailed && file.length > 0) await print(group, file, true)
  // An error outside of a test makes only the process fail.
  if (outcome.processFailed) process.stdout.write(errors.join('').slice(-MAX_ERRORS))
  return outcome
}

const isResult = ({ type }: TestEvent): boolean => type === 'test:pass' || type === 'test:fail'

function count({ type, data }: TestEvent, outcome: Outcome): void {
  const isSuite = data.details?.type === 'suite'
  if (data.nesting === 0 && type === 'test:fail') {
    if (isSuite) outcome.failedFiles.add(data.name ?? '')
    else outcome.processFailed = true
  }
  // The process itself is reported as a test if it has failed, or if none of its tests ran.
  const isProcess = data.nesting === 0 && type === 'test:pass'
  if (isSuite || isProcess) return
  outcome.tests++
  if (type === 'test:fail') outcome.failed++
  else if (data.skip !== undefined && data.skip !== false) outcome.skipped++
}

/** Prints one line for a test file that has ended, or all tests of the file if a test has failed. */
async function print({ database }: Group, events: readonly TestEvent[], isVerbose: boolean): Promise<void> {
  const last = events.at(-1) as TestEvent
  if (isVerbose || last.type === 'test:fail') {
    for await (const text of Readable.from(events).compose(spec)) process.stdout.write(text)
    return
  }
  const tests = events.filter((event) => isResult(event) && event.data.details?.type !== 'suite').length
  const seconds = ((last.data.details?.duration_ms ?? 0) / 1_000).toFixed(1)
  const where = database === 'postgres' ? ' on PostgreSQL' : ''
  if (tests > 0) console.log(`✔ ${last.data.name}${where}: ${tests} tests, ${seconds} s`)
}
