// Figures of the parts of a node: counted where things happen, read when metrics are collected.

/** A value of a figure, by its labels when there are any. */
export type Values<V> = V | Iterable<readonly [labels: string | readonly string[], value: V]>

export interface Named {
  /** Such as `postrider_attempts_total`. */
  readonly name: string
  readonly help: string
  /** Names of the labels whose values `read` tells apart. */
  readonly labels?: readonly string[]
}

/** One figure, read at collection: counting costs nothing on the way of a message. */
export type Figure = Named &
  (
    | {
        readonly kind: 'counter' | 'gauge'
        /** The value now. A figure that cannot be read is left out, and the others are told. */
        read(): Values<number> | Promise<Values<number>>
      }
    | { readonly kind: 'histogram'; read(): Values<Distribution> }
  )

/** Counts values, such as seconds, by the bounds that they do not exceed. */
export class Distribution {
  readonly bounds: readonly number[]
  /** By bound, each without those of the bounds before; the last for what exceeds all of them. */
  readonly counts: Float64Array
  sum = 0

  /** `bounds`: ascending. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const { bounds, counts } = this
    let at = 0
    while (at < bounds.length && value > (bounds[at] as number)) at++
    counts[at] = (counts[at] as number) + 1
    this.sum += value
  }
}

/** Bounds of a distribution of durations, in seconds. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const
