// Measures how slow this machine is, to scale timeouts and CPU budgets of the tests.

/** CPU time of the work below on a 2-core Xeon of 2026, in milliseconds. */
const REFERENCE_MS = 50
const ROUNDS = 22_000_000

/** A fixed piece of work: an integer loop, which depends neither on memory nor on garbage collection. */
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
 * Returns the CPU time of this machine as a multiple of that of the reference machine: 1 there, 3 on a machine that
 * is three times slower. Takes the best of three CPU times, so that other processes hardly count.
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

/** Returns the factor of this run (`TEST_PATIENCE`); 1 without one, and never less. */
export function patience(): number {
  const factor = Number(process.env.TEST_PATIENCE ?? 1)
  return Number.isFinite(factor) ? Math.max(1, factor) : 1
}
