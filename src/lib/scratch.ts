// Memory for bytes that are copied elsewhere before anything else of the thread runs, used again and again.

/** What a mail of usual length needs. */
const KEPT_BYTES = 64 * 1024

/**
 * Hands out parts of one piece of memory. The pool of Node's buffers would do, but what is in flight keeps the pieces of
 * that pool until they are old, and with them all that was needed for a moment only.
 */
export class Scratch {
  #memory: Buffer | undefined
  #used = 0

  /** Memory for so many bytes, of any content; good until `clear` is called. */
  readonly take = (bytes: number): Buffer => {
    if (bytes > KEPT_BYTES / 2) return Buffer.allocUnsafeSlow(bytes)
    this.#memory ??= Buffer.allocUnsafeSlow(KEPT_BYTES)
    const from = this.#used
    if (from + bytes > KEPT_BYTES) return Buffer.allocUnsafeSlow(bytes)
    this.#used = from + bytes
    return this.#memory.subarray(from, this.#used)
  }

  /** Ends the use of all that was taken: it may be taken again. */
  clear(): void {
    this.#used = 0
  }
}
