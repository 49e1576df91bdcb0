// Numbers of events for services whose IDs of events are integers.

import { createHash } from 'node:crypto'

/** Beginning of the seconds in numbers: 2020, so that numbers of 68 years are exact in every language. */
const EPOCH_SECONDS = 1_577_836_800
const HASH_BITS = 22
const HASHES = 2 ** HASH_BITS

/**
 * Returns the number of an event: the second of the event and 22 bits of a hash of its ID, a whole number below 2^53.
 *
 * @param at time of the event, in milliseconds since the epoch
 */
export function numberOfEvent({ id, at }: { readonly id: string; readonly at: number }): number {
  const hash = createHash('sha256').update(id).digest().readUInt32BE() >>> (32 - HASH_BITS)
  return Math.max(0, Math.floor(at / 1_000) - EPOCH_SECONDS) * HASHES + hash
}

/** Returns the second in the number of an event, as milliseconds since the epoch. */
export const secondOfNumber = (number: number): number =>
  (Math.floor(number / HASHES) + EPOCH_SECONDS) * 1_000
