// Runs one group of test files in a process, and reports each file as soon as it has ended.

import { join } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { THOROUGH } from '../support/thorough.ts'
import { type Group, ROOT, type Tier } from './plan.ts'

const PROCESS = join(ROOT, 'test/runner/process.ts')
/** Ends a test that hangs, on machines that are many times slower as well. */
const TIMEOUT_MS = 420_000

export interface Options {
  readonly tier: Tier
  readonly signal: AbortSignal
  /** Lists every test, not only those that fail. */
  readonly isVerbose: boolean
  /** Ends the process after its last test, whatever still runs. */
  readonly forceExit?: boolean
}

/** What became of the tests of a group. */
export interface Outcome {
  tests: number
  failed: number
  skipped: number
  /** Files with a failed test. */
  readonly failedFiles: Set<string>
  /** True if the process itself failed: it died, could not load a file, or did not end. */
  processFailed: boolean
}

/** An event of the runner of Node, as far as it is read here. */
interface TestEvent {
  readonly type: string
  readonly data: {
    readonly name?: string
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

/** Runs a group and answers what became of it; each file is printed when it has ended. */
export async function runGroup(group: Group, options: Options): Promise<Outcome> {
  const { tier, signal, isVerbose, forceExit = false } = options
  const tags = TAGS[tier]
  const events = run({
    cwd: ROOT,
    files: [PROCESS],
    argv: [JSON.stringify(group)],
    concurrency: 1,
    timeout: TIMEOUT_MS,
    signal,
    forceExit,
    ...(tags === undefined ? {} : { testTagFilters: tags }),
  })
  const outcome: Outcome = { tests: 0, failed: 0, skipped: 0, failedFiles: new Set(), processFailed: false }
  let file: TestEvent[] = []
  for await (const event of events as AsyncIterable<TestEvent>) {
    if (event.type === 'test:summary' || event.type === 'test:diagnostic') continue
    file.push(event)
    if (!isResult(event)) continue
    count(event, outcome)
    if (event.data.nesting !== 0) continue
    await print(group, file, isVerbose)
    file = []
  }
  if (outcome.processFailed && file.length > 0) await print(group, file, true)
  return outcome
}

const isResult = ({ type }: TestEvent): boolean => type === 'test:pass' || type === 'test:fail'

function count({ type, data }: TestEvent, outcome: Outcome): void {
  const isSuite = data.details?.type === 'suite'
  if (data.nesting === 0 && type === 'test:fail') {
    if (isSuite) outcome.failedFiles.add(data.name ?? '')
    else outcome.processFailed = true
  }
  if (isSuite) return
  outcome.tests++
  if (type === 'test:fail') outcome.failed++
  else if (data.skip !== undefined && data.skip !== false) outcome.skipped++
}

/** Prints a file that has ended: one line, or all of its tests where one failed. */
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
