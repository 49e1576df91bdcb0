// Collects the pieces of a body in little more memory than the bytes of the body.

import { freeBuffers, freeBuffersLater } from '../threads/free-buffers.ts'

/**
 * Number of pieces that are kept without copying; most bodies arrive in fewer pieces. Later small pieces are copied
 * into blocks: a client may send pieces of one byte, and each piece is an object of about 200 bytes on the heap that
 * the memory limit does not count.
 */
const MAX_LOOSE = 16
/** Size of a block in bytes. Pieces of at least half a block are never copied into a block. */
const BLOCK = 16 * 1024

/** Pieces of a body in order. The memory of a piece is freed after the piece has been copied into a block. */
export class BodyPieces {
  #pieces: Buffer[] = []
  /** Block that is being filled, and is not in the list of pieces yet. */
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

  /** Returns the bytes of all pieces in one buffer, and removes all pieces. */
  take(): Buffer {
    this.#endBlock()
    const only = this.#pieces.length === 1 ? this.#pieces.pop() : undefined
    const all = only ?? Buffer.concat(this.#pieces)
    this.drop()
    return all
  }

  /** Copies the bytes of all pieces to the beginning of another buffer, and removes all pieces. */
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
    // A block that is at most half full is copied to a buffer of its exact size; otherwise alternating small and large
    // pieces would waste almost a whole block for each small piece.
    const isFull = 2 * this.#used > BLOCK
    this.#pieces.push(
      isFull ? this.#block.subarray(0, this.#used) : Buffer.from(this.#block.subarray(0, this.#used)),
    )
    if (!isFull) freeBuffers(this.#block)
    this.#block = undefined
    this.#used = 0
  }
}
