// Reused memory for bytes that are copied elsewhere before any other code of the thread runs.

/** Sufficient for a mail of usual length. */
const KEPT_BYTES = 64 * 1024

/**
 * Hands out parts of one piece of memory. The buffer pool of Node would also do, but buffers in flight keep the
 * pieces of that pool until they are old, and with them all short-lived buffers.
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
