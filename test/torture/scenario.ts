// Interface of a torture run: what is done to the nodes, and what has to hold.

/** A run, in a file of its own in `scenarios/`. */
export interface Scenario {
  /** Says what is done. */
  readonly sentence: string
  /** Carries it out; `small` for the size that is part of `npm test`. */
  run(small: boolean): Promise<Result>
}

/** What was counted, and whether it is as it has to be. */
interface Result {
  readonly figures: Readonly<Record<string, unknown>>
  readonly held: boolean
}
