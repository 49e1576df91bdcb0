// Figures that a measured process gives of itself: CPU time, by thread too, memory, and the delay of its event loop.

import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The figures since the last `reset`; the peak of memory is that of the process's life. */
export interface ProcessFigures {
  /** User and system time of all threads, in microseconds. */
  readonly cpuMicros: number
  /** The same by name of thread, threads of one name together; empty where the system does not tell. */
  readonly threadMicros: Readonly<Record<string, number>>
  readonly rssMiB: number
  readonly peakRssMiB: number
  /** Delay of a timer in the event loop, the 99th percentile, in milliseconds. */
  readonly loopDelayP99Ms: number
}

const MIB = 1_048_576
const SAMPLE_MS = 1

const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS })
delay.enable()
let cpuBefore = process.cpuUsage()
let threadsBefore = threadMicros()

/** Begins the measurement anew. */
function reset(_: undefined): void {
  delay.reset()
  cpuBefore = process.cpuUsage()
  threadsBefore = threadMicros()
}

const TASKS = '/proc/self/task'

/** CPU time of each thread since its start, from Linux's `schedstat` (its first number, in nanoseconds). */
function threadMicros(): Record<string, number> {
  const micros: Record<string, number> = {}
  let tasks: string[] = []
  try {
    tasks = readdirSync(TASKS)
  } catch {
    // Another system.
  }
  for (const task of tasks) {
    try {
      const name = readFileSync(`${TASKS}/${task}/comm`, 'utf8').trim()
      const [nanos = '0'] = readFileSync(`${TASKS}/${task}/schedstat`, 'utf8').split(' ')
      micros[name] = (micros[name] ?? 0) + Number(nanos) / 1_000
    } catch {
      // It has ended since.
    }
  }
  return micros
}

function figures(_: undefined): ProcessFigures {
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    cpuMicros: user + system,
    threadMicros: Object.fromEntries(
      Object.entries(threadMicros()).map(([name, micros]) => [name, micros - (threadsBefore[name] ?? 0)]),
    ),
    rssMiB: process.memoryUsage.rss() / MIB,
    peakRssMiB: process.resourceUsage().maxRSS / 1024,
    // The sampling interval itself is part of what the histogram holds.
    loopDelayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - SAMPLE_MS),
  }
}

/** Calls that every measured process answers. */
export const measuredCalls = { reset, figures }
export type MeasuredCalls = typeof measuredCalls
