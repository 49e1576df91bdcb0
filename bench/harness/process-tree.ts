// CPU and memory of a program that works in many processes, as Linux tells it.

import { readdirSync, readFileSync } from 'node:fs'

/** Of all processes of a tree. */
export interface TreeFigures {
  /** User and system time since they began, with that of those that have ended, in microseconds. */
  readonly cpuMicros: number
  /** Memory of them together, shared pages counted once (PSS). */
  readonly memoryMiB: number
}

/** USER_HZ, which is 100 for every program on Linux. */
const TICK_MICROS = 10_000

interface Process {
  readonly pid: number
  readonly parent: number
  readonly ticks: number
}

/** The figures of these processes and all their descendants. */
export function treeFigures(roots: readonly number[]): TreeFigures {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcess(name) ?? []) : []))
  const members = new Set(roots)
  // Children have been listed before their parents only if numbers began anew: go on until nothing is added.
  for (let before = 0; before < members.size; ) {
    before = members.size
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid)
  }
  const tree = all.filter(({ pid }) => members.has(pid))
  return {
    cpuMicros: tree.reduce((sum, { ticks }) => sum + ticks, 0) * TICK_MICROS,
    memoryMiB: tree.reduce((sum, { pid }) => sum + pssKiB(pid), 0) / 1024,
  }
}

/** Undefined when it has ended meanwhile. See proc(5). */
function readProcess(name: string): Process | undefined {
  const stat = read(`/proc/${name}/stat`)
  if (stat === undefined) return undefined
  // The second field is the program's name in parentheses, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { pid: Number(name), parent: Number(fields[1]), ticks }
}

function pssKiB(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
