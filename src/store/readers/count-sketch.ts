// Counts texts approximately in constant memory.

import { randomInt } from 'node:crypto'

/** Number of counters in each of the two rows; a power of two. */
const COUNTERS = 65_536
const MAX_COUNT = 65_535
/**
 * Number of texts after which all counts are halved. Texts that occur once raise each counter by 150 on average until
 * then, and a text with a share of a ten-thousandth has counts of a thousand.
 */
const HALVED_AFTER = 10_000_000

/**
 * Count-min sketch (Cormode and Muthukrishnan, An Improved Data Stream Summary, 2005): each text has a counter in each
 * of two rows, and the lower one is its count. The count is never too low, apart from halving, and too high only for a
 * text that shares both counters with frequent ones. The hash of each process has another seed, so that nobody can
 * choose texts that raise the counts of others. A map of the same texts would grow with every new text.
 */
export class CountSketch {
  readonly #rows = [new Uint16Array(COUNTERS), new Uint16Array(COUNTERS)] as const
  readonly #seed = randomInt(2 ** 32)
  #left = HALVED_AFTER

  /** Returns the number under which the texts of a group are counted, apart from equal texts of other groups. */
  group(name: string): number {
    return hashOf(this.#seed, name)
  }

  /** Counts a text of a group once more; returns its count, including this one. */
  add(group: number, text: string): number {
    const hash = mixed(hashOf(group, text))
    const [first, second] = this.#rows
    const one = raise(first, hash & (COUNTERS - 1))
    const other = raise(second, hash >>> 16)
    if (--this.#left === 0) this.#halve()
    return Math.min(one, other)
  }

  #halve(): void {
    for (const row of this.#rows) for (let at = 0; at < COUNTERS; at++) row[at] = (row[at] as number) >>> 1
    this.#left = HALVED_AFTER
  }
}

/** Raises a counter by one, up to its maximum; returns the count. */
function raise(row: Uint16Array, at: number): number {
  const count = Math.min(MAX_COUNT, (row[at] as number) + 1)
  row[at] = count
  return count
}

/** FNV-1a hash of a text (draft-eastlake-fnv), continued from `hash`. */
function hashOf(start: number, text: string): number {
  let hash = start
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** Spreads the bits of a hash, so that each half depends on all of them (finalizer of MurmurHash3). */
function mixed(given: number): number {
  let hash = given ^ (given >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
