// The pieces of a body as they arrive, kept in little more memory than their bytes.

import { freeBuffers, freeBuffersLater } from '../threads/free-buffers.ts'

/**
 * Pieces that are kept as they arrived: most bodies come in a few pieces. Each piece is an object of about 200 bytes on
 * the heap, which no account is charged for, and a body may arrive in pieces of one byte.
 */
const MAX_LOOSE = 16
/** Size of a block, in bytes: later pieces of less than half a block are copied into blocks. */
const BLOCK = 16 * 1024

/** Pieces in their order. Pieces that were copied into a block are freed. */
export class BodyPieces {
  #pieces: Buffer[] = []
  /** The last block, which is not among the pieces yet. */
  #block: Buffer | undefined
  #used = 0

  add(bytes: Buffer): void {
    if (this.#pieces.length < MAX_LOOSE || 2 * bytes.length >= BLOCK) {
      this.#endBlock()
      this.#pieces.push(bytes)
      return
    }
    if (this.#used + bytes.length > BLOCK) this.#endBlock()
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK)
    this.#used += bytes.copy(this.#block, this.#used)
    freeBuffersLater(bytes)
  }

  /** Returns all bytes in one buffer, and empties the object. */
  take(): Buffer {
    this.#endBlock()
    const only = this.#pieces.length === 1 ? this.#pieces.pop() : undefined
    const all = only ?? Buffer.concat(this.#pieces)
    this.drop()
    return all
  }

  /** Copies all bytes to the beginning of another buffer, and empties the object. */
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
