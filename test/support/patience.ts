// How slow this machine is, so that limits of time and CPU budgets of the tests fit it.

/** CPU time of the work below on a 2-core Xeon of 2026, in milliseconds. */
const REFERENCE_MS = 50
const ROUNDS = 22_000_000

/** A fixed piece of work: integers in a loop, which neither memory nor the collector slows down. */
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
 * Returns the CPU time that this machine needs, as a multiple of what the machine needs that the figures of the tests
 * were measured on: 1 there, 3 on one that is three times slower. CPU time is measured, the best of three times, so that
 * other processes hardly count.
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

/** Returns the factor that the run was started with (`TEST_PATIENCE`); 1 without one, and never less. */
export function patience(): number {
  const factor = Number(process.env.TEST_PATIENCE ?? 1)
  return Number.isFinite(factor) ? Math.max(1, factor) : 1
}
