// Resource usage that a measured process reports about itself: CPU time in total and by thread, memory, and the delay
// of the event loop.

import { readdirSync, readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Resource usage since the last `reset`; the memory peak covers the whole lifetime of the process. */
export interface ProcessFigures {
  /** User and system time of all threads, in microseconds. */
  readonly cpuMicros: number
  /** CPU time by thread name, summed over threads of the same name; empty on systems other than Linux. */
  readonly threadMicros: Readonly<Record<string, number>>
  readonly rssMiB: number
  readonly peakRssMiB: number
  /** 99th percentile of the delay of a timer in the event loop, in milliseconds. */
  readonly loopDelayP99Ms: number
}

const MIB = 1_048_576
const SAMPLE_MS = 1

const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS })
delay.enable()
let cpuBefore = process.cpuUsage()
let threadsBefore = threadMicros()

/** Resets all counters except the memory peak. */
function reset(_: undefined): void {
  delay.reset()
  cpuBefore = process.cpuUsage()
  threadsBefore = threadMicros()
}

const TASKS = '/proc/self/task'

/** Returns the CPU time of each thread since its start: the first number in Linux's `schedstat`, in nanoseconds. */
function threadMicros(): Record<string, number> {
  const micros: Record<string, number> = {}
  let tasks: string[] = []
  try {
    tasks = readdirSync(TASKS)
  } catch {
    // The directory `/proc/self/task` exists only on Linux.
  }
  for (const task of tasks) {
    try {
      const name = readFileSync(`${TASKS}/${task}/comm`, 'utf8').trim()
      const [nanos = '0'] = readFileSync(`${TASKS}/${task}/schedstat`, 'utf8').split(' ')
      micros[name] = (micros[name] ?? 0) + Number(nanos) / 1_000
    } catch {
      // The thread has ended in the meantime.
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
    // The sampling interval is subtracted, because the histogram's values include the interval.
    loopDelayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - SAMPLE_MS),
  }
}

/** Functions that every measured process offers to its parent. */
export const measuredCalls = { reset, figures }
export type MeasuredCalls = typeof measuredCalls
