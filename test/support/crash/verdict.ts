// The verdict of a run: faults, and conditions that this machine did not reach.

/** Result of a run. */
export interface Verdict {
  /** Faults of the service, in words. */
  readonly faults: readonly string[]
  /**
   * Descriptions of conditions that this machine did not reach; the run says nothing about the service under these
   * conditions.
   */
  readonly notShown: readonly string[]
}

const EXIT_CODES = { held: 0, failed: 1, 'not shown': 3 } as const

/**
 * Returns the verdict in words, and the exit code: 0 for a pass, 1 for a fault, 3 if only conditions were not reached.
 */
export function told({ faults, notShown }: Verdict): { readonly words: string; readonly exitCode: number } {
  const outcome = faults.length > 0 ? 'failed' : notShown.length > 0 ? 'not shown' : 'held'
  const lines = [...faults, ...notShown.map((one) => `not shown: ${one}`)].map((one) => `\n  ${one}`)
  const word = outcome === 'failed' ? 'FAILED' : outcome
  return { words: `${word}${lines.join('')}`, exitCode: EXIT_CODES[outcome] }
}

/** Returns descriptions of the figures that differ from the required values. */
export const differing = (
  figures: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): string[] =>
  Object.entries(expected).flatMap(([name, value]) => {
    const [is, must] = [JSON.stringify(figures[name]), JSON.stringify(value)]
    return is === must ? [] : [`${name} is ${is} instead of ${must}`]
  })

/** Returns descriptions of the figures that are above their maximum. */
export const exceeding = (
  figures: Readonly<Record<string, number>>,
  most: Readonly<Record<string, number>>,
): string[] =>
  Object.entries(most).flatMap(([name, bound]) =>
    (figures[name] ?? Number.POSITIVE_INFINITY) <= bound
      ? []
      : [`${name} is ${figures[name]}; the maximum is ${bound}`],
  )
