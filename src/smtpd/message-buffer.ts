// The message within the stream of bytes after DATA, and its buffer, within its size and its share of the memory.

import type { HeldMemory } from '../lib/content-memory.ts'
import { freeBuffersLater } from '../threads/free-buffers.ts'
import { Refusal } from './replies.ts'

const DOT = 0x2e
const CR = 13
const LF = 10
const NONE = Buffer.alloc(0)

/**
 * Reads what follows DATA (RFC 5321 §4.1.1.4, §4.5.2). It ends with CRLF "." CRLF and with nothing that looks
 * similar (CVE-2023-51764 and its like), however the bytes are cut into chunks. Linear.
 */
export class DataReader {
  /** Bytes that may be the beginning of the end. */
  #held: Buffer = NONE
  /** True when the next byte begins a line. */
  #atLineStart = true

  /** Gives the message's bytes to `emit`; returns what stands behind its end once that has come. */
  read(chunk: Buffer, emit: (octets: Buffer) => void): Buffer | undefined {
    const octets = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = NONE
    for (let at = 0; ; ) {
      if (this.#atLineStart && octets[at] === DOT) {
        const left = octets.length - at
        if (left === 1 || (left === 2 && octets[at + 1] === CR)) return this.#hold(octets, at)
        if (octets[at + 1] === CR && octets[at + 2] === LF) return octets.subarray(at + 3)
        at++
      }
      const dotted = octets.indexOf('\r\n.', at)
      if (dotted === -1) return this.#emitAll(octets, at, emit)
      emit(octets.subarray(at, dotted + 2))
      at = dotted + 2
      this.#atLineStart = true
    }
  }

  /** No line after this place begins with a dot, as far as is known. */
  #emitAll(octets: Buffer, from: number, emit: (octets: Buffer) => void): undefined {
    const rest = octets.subarray(from)
    if (rest.length === 0) return undefined
    const whole = rest.at(-1) !== CR
    if (!whole) this.#hold(octets, octets.length - 1)
    this.#atLineStart = rest.at(-1) === LF && rest.at(-2) === CR
    emit(whole ? rest : rest.subarray(0, -1))
  }

  #hold(octets: Buffer, from: number): undefined {
    this.#held = Buffer.from(octets.subarray(from))
    return undefined
  }
}

const FIRST_CAPACITY = 16 * 1024
/** A larger message waits until there is memory for what it is declared to have. */
const LARGE = 256 * 1024

/** Collects one message. One that cannot be kept is read to its end all the same, so that the dialog goes on. */
export class MessageBuffer {
  readonly #reader = new DataReader()
  readonly #held: HeldMemory
  readonly #maxOctets: number
  readonly #declared: number
  #buffer: Buffer = NONE
  #length = 0
  #refusal: Refusal | undefined
  /** Bytes that came, kept or not. */
  received = 0

  /** @param declared bytes that the client announced: a hint, nothing is taken for it before a large part has come */
  constructor(held: HeldMemory, maxOctets: number, declared = 0) {
    this.#held = held
    this.#maxOctets = maxOctets
    this.#declared = declared
  }

  /** True if so many bytes more have to wait for memory, as those of a large message do. */
  needsRoom(octets: number): boolean {
    const capacity = this.#buffer.length
    if (this.#refusal !== undefined || capacity === this.#maxOctets) return false
    return this.#length + octets > Math.max(LARGE, capacity)
  }

  /** Waits for memory for so many bytes more, and refuses the message when there is none in time. */
  async makeRoom(octets: number): Promise<void> {
    const wanted = Math.min(
      Math.max(this.#length + octets, 2 * this.#buffer.length, this.#declared),
      this.#maxOctets,
    )
    if (await this.#held.holdLater(wanted)) this.#enlarge(wanted)
    else this.#refuse(noMemory())
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

  /** Gives its memory back; nobody may use the content any more. */
  release(): void {
    this.#held.release()
    freeBuffersLater(this.#buffer)
    this.#buffer = NONE
    this.#length = 0
  }

  #append(octets: Buffer): void {
    if (this.#refusal !== undefined) return
    const length = this.#length + octets.length
    if (length > this.#maxOctets) {
      // RFC 1870 §6.3: what was declared with SIZE does not matter.
      this.#refuse(new Refusal(552, '5.3.4', `A message has at most ${this.#maxOctets} octets`))
    } else if (this.#length === 0 ? !this.#hold(octets) : !this.#grow(length)) {
      this.#refuse(noMemory())
    } else {
      if (this.#length > 0) octets.copy(this.#buffer, this.#length)
      this.#length = length
    }
  }

  /** Keeps the bytes where they are: most messages come in one piece. */
  #hold(octets: Buffer): boolean {
    if (!this.#held.hold(octets.length)) return false
    this.#buffer = octets
    return true
  }

  /** Makes room for a message of this length; false when there is none. */
  #grow(length: number): boolean {
    if (length <= this.#buffer.length) return true
    const capacity = Math.min(Math.max(length, this.#buffer.length * 2, FIRST_CAPACITY), this.#maxOctets)
    if (!this.#held.hold(capacity)) return false
    this.#enlarge(capacity)
    return true
  }

  #enlarge(capacity: number): void {
    const larger = Buffer.allocUnsafeSlow(capacity)
    const old = this.#buffer
    old.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
    freeBuffersLater(old)
  }

  #refuse(refusal: Refusal): void {
    this.#refusal = refusal
    this.release()
  }
}

const noMemory = (): Refusal => new Refusal(452, '4.3.1', 'Too many large messages at once; please try again')
