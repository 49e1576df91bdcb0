// The factor by which the time limits of tests grow on a slow machine.

/** Returns the factor of this test run from `TEST_PATIENCE`; at least 1, and 1 if the variable is not set. */
export function patience(): number {
  const factor = Number(process.env.TEST_PATIENCE ?? 1)
  return Number.isFinite(factor) ? Math.max(1, factor) : 1
}
