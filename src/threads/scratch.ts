// Reused memory for bytes that the caller copies elsewhere before any other code of the thread runs.

/** Size of the reused memory in bytes, sufficient for a mail of usual length. */
const KEPT_BYTES = 64 * 1024

/**
 * Allocates parts of one reused piece of memory. Node's buffer pool is worse for this purpose: buffers in use keep the
 * slabs of the pool alive until the old generation is collected, together with all short-lived buffers.
 */
export class Scratch {
  #memory: Buffer | undefined
  #used = 0

  /** Returns memory for this many bytes with arbitrary content, valid until `clear`. */
  readonly take = (bytes: number): Buffer => {
    if (bytes > KEPT_BYTES / 2) return Buffer.allocUnsafeSlow(bytes)
    this.#memory ??= Buffer.allocUnsafeSlow(KEPT_BYTES)
    const from = this.#used
    if (from + bytes > KEPT_BYTES) return Buffer.allocUnsafeSlow(bytes)
    this.#used = from + bytes
    return this.#memory.subarray(from, this.#used)
  }

  /** Makes all parts available again. */
  clear(): void {
    this.#used = 0
  }
}
