// Interface of a torture run: the actions on the nodes and the expected outcome.

/** A run, in its own file in `scenarios/`. */
export interface Scenario {
  /** Description of the actions. */
  readonly sentence: string
  /** Runs the scenario; `small` selects the size for `npm test`. */
  run(small: boolean): Promise<Result>
}

/** Counted figures, and whether they meet the expectation. */
interface Result {
  readonly figures: Readonly<Record<string, unknown>>
  readonly held: boolean
}
