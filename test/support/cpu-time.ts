// Measures CPU time, to limit the work that hostile input causes; the load of other programs does not count.

/**
 * Starts a measurement; the returned function returns the CPU time of this process since the start, in milliseconds.
 */
export function cpuWatch(): () => number {
  const started = process.cpuUsage()
  return () => process.cpuUsage(started).user / 1_000
}
