// Scenarios that a machine may miss, such as a kill during work: they report it, and are repeated.

/** Rounds per required time. */
const ROUNDS = 5

/**
 * Repeats `round` until its scenario was reached often enough. A round resolves to true if the scenario was reached:
 * on a machine that is too fast or too busy the kill may meet nothing, and the assertions of the test would be empty.
 *
 * Throws after five rounds per required time.
 */
export async function untilReached(
  what: string,
  times: number,
  round: (index: number) => Promise<boolean>,
): Promise<void> {
  let reached = 0
  for (let index = 0; reached < times; index++) {
    if (index === ROUNDS * times)
      throw new Error(`reached ${reached} of ${times} times in ${index} rounds: ${what}`)
    if (await round(index)) reached++
  }
}
