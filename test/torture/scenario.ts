// Interface of a torture scenario: the actions on the nodes, and whether the outcome meets the expectation.

/** A torture scenario, defined in its own file in `scenarios/`. */
export interface Scenario {
  /** Description of the actions on the nodes, in one sentence. */
  readonly sentence: string
  /** Runs the scenario; `small` selects the size for `npm test`. */
  run(small: boolean): Promise<Result>
}

/** Measured figures of a run; `held` is true if the figures meet the expectation. */
interface Result {
  readonly figures: Readonly<Record<string, unknown>>
  readonly held: boolean
}
