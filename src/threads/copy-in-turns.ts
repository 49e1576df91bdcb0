// Copies bytes in short turns of the event loop.

import { Pacer } from './pacer.ts'

/** Number of bytes that are copied in one piece: less than a millisecond, also if the target is memory that is new. */
const PIECE = 512 * 1024

const pacer = new Pacer()

/** Copies all bytes of `source` to the beginning of `target`. Neither may change meanwhile. */
export async function copyInTurns(source: Uint8Array, target: Uint8Array): Promise<void> {
  for (let at = 0; at < source.length; at += PIECE) {
    await pacer.turn()
    target.set(source.subarray(at, at + PIECE), at)
  }
}
