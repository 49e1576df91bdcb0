// Metrics of the parts of a node. The parts count events, and the values are read when metrics are collected.

/** Value of a metric, or one value for each combination of labels. */
export type Values<V> = V | Iterable<readonly [labels: string | readonly string[], value: V]>

export interface Named {
  /** Name of the metric, such as `postrider_attempts_total`. */
  readonly name: string
  readonly help: string
  /** Names of the metric's labels, by which `read` distinguishes values. */
  readonly labels?: readonly string[]
}

/** A metric whose value is read only when metrics are collected, so that counting costs almost nothing. */
export type Figure = Named &
  (
    | {
        readonly kind: 'counter' | 'gauge'
        /** Returns the current value. A metric that cannot be read is omitted; other metrics are reported. */
        read(): Values<number> | Promise<Values<number>>
      }
    | { readonly kind: 'histogram'; read(): Values<Distribution> }
  )

/** Histogram: counts values, such as durations in seconds, in buckets with upper bounds. */
export class Distribution {
  readonly bounds: readonly number[]
  /** Count of each bucket, not cumulative; the last bucket is for values above all bounds. */
  readonly counts: Float64Array
  sum = 0

  /** @param bounds upper bounds of the buckets in ascending order */
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
