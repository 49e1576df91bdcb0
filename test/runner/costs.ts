// CPU time of tests and of processes of tests, as they record it, and the budgets that a run has to keep.

import { appendFileSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'node:test'
import { THOROUGH } from '../support/thorough.ts'
import type { Category, Group } from './plan.ts'

/** Clock ticks a second of /proc, on every Linux. */
const TICKS = 100

/** What one test, or one process of tests as a whole, has cost. */
export interface Cost {
  readonly category: Category
  readonly group: string
  /** Undefined for the process as a whole. */
  readonly file?: string
  readonly test?: string
  /** The test itself is marked, or its whole file. */
  readonly mark?: 'test' | 'file' | undefined
  /** CPU seconds of the process itself and of child processes that ended meanwhile. */
  readonly cpu: number
  /** Seconds by the clock. */
  readonly seconds: number
}

/** Returns CPU seconds of this process and of its ended child processes and theirs (proc(5): cutime, cstime). */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childSeconds()
}

function childSeconds(): number {
  // Only Linux tells it.
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

/** Records what each test of a file costs; called inside of the file's suite. */
export function recordTests({ category, name: group, marked }: Group, file: string): void {
  if (place() === undefined) return
  let start = { cpu: 0, seconds: 0 }
  /** Tests that run beside others of their file have no costs of their own. */
  let running = 0
  let wereBeside = false
  const markOf = (context: object): Cost['mark'] => {
    if (marked.includes(file)) return 'file'
    return (context as { readonly tags?: readonly string[] }).tags?.includes(THOROUGH) ? 'test' : undefined
  }
  beforeEach(() => {
    wereBeside = running++ > 0 || (wereBeside && running > 1)
    start = { cpu: cpuSeconds(), seconds: process.uptime() }
  })
  afterEach((context) => {
    running--
    if (running > 0 || wereBeside || !('fullName' in context)) return
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

/** Records what this process costs in all, when it ends. */
export function recordProcess({ category, name: group }: Group): void {
  process.once('exit', () => record({ category, group, cpu: cpuSeconds(), seconds: process.uptime() }))
}

/** Reads what the processes of a run have recorded. */
export function costsIn(folder: string): readonly Cost[] {
  return globSync('costs-*.jsonl', { cwd: folder }).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Cost),
  )
}
