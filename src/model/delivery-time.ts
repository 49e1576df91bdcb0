// Histogram of delivery times, in which the upper bound of each bucket is twice the previous bound.

/** Exclusive upper bound of each bucket in milliseconds: from 16 ms to more than three days. */
export const DELIVERY_TIME_BOUNDS: readonly number[] = [
  ...Array.from({ length: 24 }, (_, index) => 16 * 2 ** index),
  Number.POSITIVE_INFINITY,
]

/** Returns the name of the database column of a bucket. */
export const deliveryTimeColumn = (index: number): `took_${number}` => `took_${index}`

/** Returns the bucket of a delivery time in milliseconds. */
export function deliveryTimeBucket(ms: number): number {
  const index = DELIVERY_TIME_BOUNDS.findIndex((bound) => ms < bound)
  return index === -1 ? DELIVERY_TIME_BOUNDS.length - 1 : index
}

/**
 * Returns the delivery time in milliseconds that this share of the deliveries did not exceed, assuming an even
 * distribution within buckets; null without deliveries.
 */
export function deliveryTimeQuantile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = total * share
  for (const [index, count] of counts.entries()) {
    if (count > 0 && left <= count) {
      const from = DELIVERY_TIME_BOUNDS[index - 1] ?? 0
      const to = DELIVERY_TIME_BOUNDS[index] ?? from
      return Math.round(to === Number.POSITIVE_INFINITY ? from : from + (to - from) * (left / count))
    }
    left -= count
  }
  return null
}
