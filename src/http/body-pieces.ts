// The pieces of a body as they arrive, in no more memory than their bytes.

import { freeBuffers, freeBuffersLater } from '../threads/free-buffers.ts'

/**
 * Pieces that are kept as they came: most bodies come in a few. Each is an object of some 200 bytes on the heap, which is
 * charged to nobody, and a body may come in pieces of one byte.
 */
const MAX_LOOSE = 16
/** Beyond these, pieces of less than half of it are put together in blocks of so many bytes. */
const BLOCK = 16 * 1024

/** Pieces in their order. What it has put together is freed where it came from. */
export class BodyPieces {
  #pieces: Buffer[] = []
  /** The last block, which is no piece yet. */
  #block: Buffer | undefined
  #used = 0

  add(octets: Buffer): void {
    if (this.#pieces.length < MAX_LOOSE || 2 * octets.length >= BLOCK) {
      this.#endBlock()
      this.#pieces.push(octets)
      return
    }
    if (this.#used + octets.length > BLOCK) this.#endBlock()
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK)
    this.#used += octets.copy(this.#block, this.#used)
    freeBuffersLater(octets)
  }

  /** All bytes, in one piece; then it is empty. */
  take(): Buffer {
    this.#endBlock()
    const only = this.#pieces.length === 1 ? this.#pieces.pop() : undefined
    const all = only ?? Buffer.concat(this.#pieces)
    this.drop()
    return all
  }

  /** Copies all bytes into another buffer, from its beginning; then it is empty. */
  moveTo(target: Buffer): void {
    this.#endBlock()
    let at = 0
    for (const piece of this.#pieces) at += piece.copy(target, at)
    this.drop()
  }

  drop(): void {
    this.#pieces.forEach(freeBuffersLater)
    this.#pieces = []
    if (this.#block !== undefined) freeBuffers(this.#block)
    this.#block = undefined
    this.#used = 0
  }

  #endBlock(): void {
    if (this.#block === undefined) return
    // Large pieces between small ones would leave blocks that are nearly empty.
    const isFull = 2 * this.#used > BLOCK
    this.#pieces.push(
      isFull ? this.#block.subarray(0, this.#used) : Buffer.from(this.#block.subarray(0, this.#used)),
    )
    if (!isFull) freeBuffers(this.#block)
    this.#block = undefined
    this.#used = 0
  }
}
