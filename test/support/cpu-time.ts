// Limits in CPU time for work that hostile input could make endless: other programs on the machine do not count.

/** Starts a watch; the returned function returns the CPU milliseconds of this process since. */
export function cpuWatch(): () => number {
  const started = process.cpuUsage()
  return () => process.cpuUsage(started).user / 1_000
}
