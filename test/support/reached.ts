// Scenarios that a machine may miss, such as a kill while work is under way: they tell it, and are repeated.

/** Rounds for each time that a scenario has to be reached. */
const ROUNDS = 5

/**
 * Repeats `round` until its scenario was reached so many times. A round resolves with whether it was: where the machine
 * was too fast or too busy, the kill met nothing, and what the test asserts afterwards would hold for nothing.
 *
 * Throws after five rounds for each time.
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
