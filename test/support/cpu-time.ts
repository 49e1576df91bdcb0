// Bounds on work that hostile input could make endless, in time of the CPU: other programs on the machine take none of it.

/** Starts a watch; it answers the milliseconds of CPU that this process has used since. */
export function cpuWatch(): () => number {
  const started = process.cpuUsage()
  return () => process.cpuUsage(started).user / 1_000
}
