// Figures that a measured process gives of itself: CPU time, memory, and the delay of its event loop.

import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The figures since the last `reset`; the peak of memory is that of the process's life. */
export interface ProcessFigures {
  /** User and system time of all threads, in microseconds. */
  readonly cpuMicros: number
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

/** Begins the measurement anew. */
function reset(_: undefined): void {
  delay.reset()
  cpuBefore = process.cpuUsage()
}

function figures(_: undefined): ProcessFigures {
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    cpuMicros: user + system,
    rssMiB: process.memoryUsage.rss() / MIB,
    peakRssMiB: process.resourceUsage().maxRSS / 1024,
    // The sampling interval itself is part of what the histogram holds.
    loopDelayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - SAMPLE_MS),
  }
}

/** Calls that every measured process answers. */
export const measuredCalls = { reset, figures }
export type MeasuredCalls = typeof measuredCalls
