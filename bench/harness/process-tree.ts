// CPU time and memory of a program with several processes, read from Linux's /proc.

import { readdirSync, readFileSync } from 'node:fs'

/** CPU time and memory, summed over all processes of a process tree. */
export interface TreeFigures {
  /** User and system time since the start of each process, including ended child processes, in microseconds. */
  readonly cpuMicros: number
  /** Memory of all processes in MiB, with shared pages counted once (PSS). */
  readonly memoryMiB: number
}

/** Length of a clock tick in microseconds; USER_HZ is 100 for every program on Linux. */
const TICK_MICROS = 10_000

interface Process {
  readonly pid: number
  readonly parent: number
  readonly ticks: number
}

/** Returns the CPU time and memory of these processes and all their descendants. */
export function treeFigures(roots: readonly number[]): TreeFigures {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcess(name) ?? []) : []))
  const members = new Set(roots)
  // The list may contain a child before its parent, so the loop repeats until no process is added.
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

/** Reads the state of a process from proc(5); returns undefined if the process has ended. */
function readProcess(name: string): Process | undefined {
  const stat = read(`/proc/${name}/stat`)
  if (stat === undefined) return undefined
  // The second field is the name of the program in parentheses; the name itself may contain spaces and parentheses.
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
