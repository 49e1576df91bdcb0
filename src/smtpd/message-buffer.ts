// The buffer of a message that is being received: within its size, and within the memory that all of them share.

import type { MemoryBudget } from '../lib/memory-budget.ts'
import { DataReader } from './data-reader.ts'
import { Refusal } from './replies.ts'

const FIRST_CAPACITY = 16 * 1024

/** Collects one message. One that cannot be kept is read to its end all the same, so that the dialog goes on. */
export class MessageBuffer {
  readonly #reader = new DataReader()
  readonly #memory: MemoryBudget
  readonly #maxOctets: number
  #buffer: Buffer = Buffer.alloc(0)
  #length = 0
  #refusal: Refusal | undefined
  /** Octets that came, kept or not. */
  received = 0

  constructor(memory: MemoryBudget, maxOctets: number) {
    this.#memory = memory
    this.#maxOctets = maxOctets
  }

  /** Takes a chunk; returns what stands behind the end of the message once that has come. */
  push(chunk: Buffer): Buffer | undefined {
    this.received += chunk.length
    return this.#reader.read(chunk, (octets) => this.#append(octets))
  }

  /** The message, all of it. Throws why it was not kept. */
  content(): Buffer {
    if (this.#refusal !== undefined) throw this.#refusal
    return this.#buffer.subarray(0, this.#length)
  }

  /** Gives its memory back. */
  release(): void {
    this.#memory.giveBack(this.#buffer.length)
    this.#buffer = Buffer.alloc(0)
    this.#length = 0
  }

  #append(octets: Buffer): void {
    if (this.#refusal !== undefined) return
    const length = this.#length + octets.length
    if (length > this.#maxOctets) {
      // RFC 1870 §6.3: what was declared with SIZE does not matter.
      this.#refuse(new Refusal(552, '5.3.4', `A message has at most ${this.#maxOctets} octets`))
    } else if (this.#length === 0 ? !this.#hold(octets) : !this.#grow(length)) {
      this.#refuse(new Refusal(452, '4.3.1', 'Too many large messages at once; please try again'))
    } else {
      if (this.#length > 0) octets.copy(this.#buffer, this.#length)
      this.#length = length
    }
  }

  /** Keeps the octets where they are: most messages come in one piece. */
  #hold(octets: Buffer): boolean {
    if (!this.#memory.take(octets.length)) return false
    this.#buffer = octets
    return true
  }

  /** Makes room for a message of this length; false when there is none. */
  #grow(length: number): boolean {
    if (length <= this.#buffer.length) return true
    const capacity = Math.min(Math.max(length, this.#buffer.length * 2, FIRST_CAPACITY), this.#maxOctets)
    if (!this.#memory.take(capacity - this.#buffer.length)) return false
    const larger = Buffer.allocUnsafeSlow(capacity)
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
    return true
  }

  #refuse(refusal: Refusal): void {
    this.#refusal = refusal
    this.release()
  }
}
