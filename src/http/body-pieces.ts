// Keeps the pieces of a body as they arrive, in little more memory than their bytes.

import { freeBuffers, freeBuffersLater } from '../threads/free-buffers.ts'

/**
 * Maximum number of pieces that are kept as they arrive, since most bodies arrive in a few pieces. Each piece is an
 * object of about 200 bytes on the heap, in addition to the bytes that count against the memory limit, and a body may
 * arrive in pieces of one byte.
 */
const MAX_LOOSE = 16
/** Size of a block in bytes; later pieces of less than half a block are copied into blocks. */
const BLOCK = 16 * 1024

/** Pieces of a body in their order. The memory of a piece is freed once the piece is copied into a block. */
export class BodyPieces {
  #pieces: Buffer[] = []
  /** Last block, which is not part of the list of pieces yet. */
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
    // A block that is at most half full is copied, because large pieces between small pieces would leave blocks nearly
    // empty.
    const isFull = 2 * this.#used > BLOCK
    this.#pieces.push(
      isFull ? this.#block.subarray(0, this.#used) : Buffer.from(this.#block.subarray(0, this.#used)),
    )
    if (!isFull) freeBuffers(this.#block)
    this.#block = undefined
    this.#used = 0
  }
}
