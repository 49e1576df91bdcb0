// CPU time of each test file, for whoever wants the whole run to become shorter: seconds of a clock say little on a busy machine.

import { appendFileSync, readFileSync } from 'node:fs'
import { after, before } from 'node:test'

/** File that gets a line for each test file: its CPU seconds, those of programs it ran, seconds by the clock. */
const { TEST_COSTS: FILE } = process.env

/** Clock ticks a second of /proc, on every Linux. */
const TICKS = 100

/** CPU seconds of ended child processes and theirs (proc(5): cutime, cstime). */
function ofChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS
}

interface Costs {
  readonly own: number
  readonly children: number
  readonly clock: number
}

function costs(): Costs {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1e6, children: ofChildren(), clock: process.uptime() }
}

/** Records what a file costs between its first test and its last one; inside of the file's suite. */
export function recordCosts(file: string, load: () => void): void {
  if (FILE === undefined) {
    load()
    return
  }
  let start: Costs | undefined
  before(() => {
    start = costs()
  })
  load()
  after(() => record(file, start as Costs))
}

function record(name: string, start: Costs): void {
  const end = costs()
  const line = [end.own - start.own, end.children - start.children, end.clock - start.clock]
  appendFileSync(FILE as string, `${line.map((one) => one.toFixed(2)).join('\t')}\t${name}\n`)
}

/** Records what a process of tests costs before its first test, and in all. */
export function recordProcess(name: string): void {
  if (FILE === undefined) return
  const nothing = { own: 0, children: 0, clock: 0 }
  record(`load ${name}`, nothing)
  process.once('exit', () => record(`all ${name}`, nothing))
}
