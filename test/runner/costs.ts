// Records the CPU time of tests and of test processes.

import { appendFileSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'node:test'
import { THOROUGH } from '../support/thorough.ts'
import type { Category, Group } from './plan.ts'

/** Number of clock ticks per second in /proc, on every Linux system. */
const TICKS = 100

/** Cost of one test, or of a whole test process. */
export interface Cost {
  readonly category: Category
  readonly group: string
  /** Test file; undefined for the cost of a whole process. */
  readonly file?: string
  readonly test?: string
  /** Mark of the test as expensive: on the test itself, or on its whole file. */
  readonly mark?: 'test' | 'file' | undefined
  /** CPU seconds of the process and of its ended child processes. */
  readonly cpu: number
  /** Elapsed time in seconds. */
  readonly seconds: number
}

/** Returns the CPU seconds of this process and of all its ended descendants (proc(5): cutime, cstime). */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childSeconds()
}

function childSeconds(): number {
  // Only Linux reports the CPU time of child processes.
  if (process.platform !== 'linux') return 0
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS
}

const place = (): string | undefined => process.env.TEST_RUN_DIR

function record(cost: Cost): void {
  const folder = place()
  if (folder !== undefined)
    appendFileSync(join(folder, `costs-${process.pid}.jsonl`), `${JSON.stringify(cost)}\n`)
}

/**
 * Records the cost of each test of a file; must be called inside the suite of the file. A test that skips itself has no
 * cost, so that the budgets do not call the test cheap where a program is missing.
 */
export function recordTests({ category, name: group, marked }: Group, file: string): void {
  if (place() === undefined) return
  let start = { cpu: 0, seconds: 0 }
  /** Number of running tests; the cost of a test is not recorded if other tests of the file run concurrently. */
  let running = 0
  let wereBeside = false
  const markOf = (context: object): Cost['mark'] => {
    if (marked.includes(file)) return 'file'
    return (context as { readonly tags?: readonly string[] }).tags?.includes(THOROUGH) ? 'test' : undefined
  }
  let isSkipped = false
  beforeEach((context) => {
    wereBeside = running++ > 0 || (wereBeside && running > 1)
    isSkipped = false
    if ('skip' in context) {
      const skip = context.skip.bind(context)
      context.skip = (why) => {
        isSkipped = true
        skip(why)
      }
    }
    start = { cpu: cpuSeconds(), seconds: process.uptime() }
  })
  afterEach((context) => {
    running--
    if (running > 0 || wereBeside || isSkipped || !('fullName' in context)) return
    record({
      category,
      group,
      file,
      test: context.fullName,
      mark: markOf(context),
      cpu: cpuSeconds() - start.cpu,
      seconds: process.uptime() - start.seconds,
    })
  })
}

/** Records the total cost of this process when the process ends. */
export function recordProcess({ category, name: group }: Group): void {
  process.once('exit', () => record({ category, group, cpu: cpuSeconds(), seconds: process.uptime() }))
}

/** Reads the costs that the processes of a run have recorded. */
export function costsIn(folder: string): readonly Cost[] {
  return globSync('costs-*.jsonl', { cwd: folder }).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Cost),
  )
}
