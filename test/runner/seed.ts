// The order of the test files of a process. An optional random order reveals tests that depend on earlier tests.

import type { Group } from './plan.ts'

const MAX_SEED = 1_000_000

/**
 * Returns the groups with the files of each group in the order that `TEST_SEED` determines. The value is a number, or
 * `draw` for a random number, which is printed. The order is alphabetical if `TEST_SEED` is not set.
 */
export function inSeededOrder(groups: readonly Group[]): readonly Group[] {
  const { TEST_SEED: given } = process.env
  if (given === undefined) return groups
  const seed = given === 'draw' ? Math.floor(Math.random() * MAX_SEED) : Number(given)
  console.log(`Order of the files: TEST_SEED=${seed}`)
  return groups.map((group) => ({ ...group, files: shuffled(group.files, seed) }))
}

/** Returns the items in a shuffled order that depends only on the seed. */
export function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const random = generator(seed)
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Returns a pseudorandom generator of numbers from 0 to below 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
