// Measures the speed of this machine, in order to scale timeouts and CPU budgets of the tests.

/** CPU time that `work` takes on a 2-core Xeon of 2026, in milliseconds. */
const REFERENCE_MS = 50
const ROUNDS = 22_000_000

/** Runs a fixed amount of work: an integer loop, which depends neither on memory nor on garbage collection. */
function work(): number {
  let value = 1
  for (let round = 0; round < ROUNDS; round++) {
    value ^= value << 13
    value ^= value >>> 17
    value ^= value << 5
  }
  return value
}

/**
 * Returns the CPU time of this machine as a multiple of the CPU time of the reference machine: 3 means that this
 * machine is three times slower. Uses the minimum of three measurements, so that other processes have little influence.
 */
export function measurePatience(): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times) / REFERENCE_MS
}

/** Returns the factor of this test run from `TEST_PATIENCE`; at least 1, and 1 if the variable is not set. */
export function patience(): number {
  const factor = Number(process.env.TEST_PATIENCE ?? 1)
  return Number.isFinite(factor) ? Math.max(1, factor) : 1
}
