// Octets of a client cut into command lines: at CRLF alone, and none longer than a command can be.

import { MAX_LINE, TLS_HANDSHAKE } from './command-line.ts'

/**
 * A line without its CRLF, or what came instead of one: a line that ends in LF alone, one that is longer than any may
 * be (told once, the rest of it is skipped), one that goes on for ever.
 */
export type CommandInput = Buffer | 'bare newline' | 'too long' | 'endless'

const LF = 10
const CR = 13
const NONE = Buffer.alloc(0)
/** Octets of an over-long line that are skipped before its sender is given up on. */
const MAX_SKIPPED = 2 * 1024 * 1024

/** Holds what has come and is not read yet. */
export class LineReader {
  #octets: Buffer = NONE
  /** Octets skipped of an over-long line; 0 when there is none. */
  #skipped = 0

  /** Octets that are not read yet. */
  get length(): number {
    return this.#octets.length
  }

  push(chunk: Buffer): void {
    this.#octets = this.#octets.length === 0 ? chunk : Buffer.concat([this.#octets, chunk])
  }

  /** The next line; undefined when more octets are needed for it. */
  next(): CommandInput | undefined {
    while (this.#octets.length > 0) {
      const octets = this.#octets
      const end = octets.indexOf(LF)
      if (this.#skipped > 0) {
        if (end === -1) return this.#skip()
        this.#skipped = 0
        this.#octets = octets.subarray(end + 1)
      } else if (octets[0] === TLS_HANDSHAKE) {
        // A TLS record need not have a line end, and its sender waits for an answer.
        return this.takeAll()
      } else if ((end === -1 ? octets.length : end + 1) > MAX_LINE + 2) {
        if (end === -1) this.#skip()
        else this.#octets = octets.subarray(end + 1)
        return 'too long'
      } else if (end === -1) {
        // A copy: the chunk may be much larger than the part of a line that waits for its end.
        this.#octets = Buffer.from(octets)
        return undefined
      } else {
        this.#octets = octets.subarray(end + 1)
        return octets[end - 1] === CR ? octets.subarray(0, end - 1) : 'bare newline'
      }
    }
    return undefined
  }

  /** All that has come, whatever it is. */
  takeAll(): Buffer {
    const octets = this.#octets
    this.#octets = NONE
    return octets
  }

  #skip(): 'endless' | undefined {
    this.#skipped += this.takeAll().length
    return this.#skipped > MAX_SKIPPED ? 'endless' : undefined
  }
}
