// Repeats scenarios that a machine may not reach, such as a kill during work.

/** Maximum number of rounds for each required success. */
const ROUNDS = 5

/**
 * Repeats `round` until its scenario was reached `times` times. A round resolves to true if the scenario was reached;
 * on a machine that is too fast or too busy, a kill may interrupt nothing, and the assertions of the test would check
 * nothing.
 *
 * Throws after five rounds for each required success.
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
