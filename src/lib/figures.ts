// Metrics of the parts of a node: counted where events happen, read at collection.

/** Value of a metric, by labels if it has any. */
export type Values<V> = V | Iterable<readonly [labels: string | readonly string[], value: V]>

export interface Named {
  /** Name of the metric, such as `postrider_attempts_total`. */
  readonly name: string
  readonly help: string
  /** Names of the labels that `read` distinguishes. */
  readonly labels?: readonly string[]
}

/** One metric, read at collection, so that counting costs nothing during the work. */
export type Figure = Named &
  (
    | {
        readonly kind: 'counter' | 'gauge'
        /** Returns the present value. A metric that cannot be read is omitted; the others are reported. */
        read(): Values<number> | Promise<Values<number>>
      }
    | { readonly kind: 'histogram'; read(): Values<Distribution> }
  )

/** Counts values, such as seconds, in buckets by upper bound. */
export class Distribution {
  readonly bounds: readonly number[]
  /** Counts per bucket, not cumulative; the last one is for values above all bounds. */
  readonly counts: Float64Array
  sum = 0

  /** `bounds` in ascending order. */
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

/** Bucket bounds for durations, in seconds. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const
