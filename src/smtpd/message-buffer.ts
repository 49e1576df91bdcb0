// Separates the message from the stream of bytes after DATA, and buffers it within its size and memory limits.

import type { HeldMemory } from '../lib/content-memory.ts'
import { copyInTurns } from '../threads/copy-in-turns.ts'
import { freeBuffersLater } from '../threads/free-buffers.ts'
import { Refusal } from './replies.ts'

const DOT = 0x2e
const CR = 13
const LF = 10
const NONE = Buffer.alloc(0)

/**
 * Reads the bytes after DATA (RFC 5321 §4.1.1.4, §4.5.2). Only CRLF "." CRLF ends the message, and no similar sequence
 * (CVE-2023-51764 and similar), for any division of the bytes into chunks. Runs in linear time.
 */
export class DataReader {
  /** Bytes that may be the beginning of CRLF "." CRLF. */
  #held: Buffer = NONE
  /** True when the next byte begins a line. */
  #atLineStart = true

  /** Passes the message's bytes to `emit`; returns the bytes after the message once its end has arrived. */
  read(chunk: Buffer, emit: (bytes: Buffer) => void): Buffer | undefined {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = NONE
    for (let at = 0; ; ) {
      if (this.#atLineStart && bytes[at] === DOT) {
        const left = bytes.length - at
        if (left === 1 || (left === 2 && bytes[at + 1] === CR)) return this.#hold(bytes, at)
        if (bytes[at + 1] === CR && bytes[at + 2] === LF) return bytes.subarray(at + 3)
        at++
      }
      const dotted = bytes.indexOf('\r\n.', at)
      if (dotted === -1) return this.#emitAll(bytes, at, emit)
      emit(bytes.subarray(at, dotted + 2))
      at = dotted + 2
      this.#atLineStart = true
    }
  }

  /** Emits the rest of a chunk without a further line with a leading dot; holds back a final CR. */
  #emitAll(bytes: Buffer, from: number, emit: (bytes: Buffer) => void): undefined {
    const rest = bytes.subarray(from)
    if (rest.length === 0) return undefined
    const whole = rest.at(-1) !== CR
    if (!whole) this.#hold(bytes, bytes.length - 1)
    this.#atLineStart = rest.at(-1) === LF && rest.at(-2) === CR
    emit(whole ? rest : rest.subarray(0, -1))
  }

  #hold(bytes: Buffer, from: number): undefined {
    this.#held = Buffer.from(bytes.subarray(from))
    return undefined
  }
}

const FIRST_CAPACITY = 16 * 1024
/** Size above which a message waits until memory for its declared size is available. */
const LARGE = 256 * 1024

/** The last copy of a large message, which has two buffers meanwhile: only one message at a time is copied. */
let lastCopy: Promise<unknown> = Promise.resolve()

/** Collects one message. A message that cannot be kept is still read to the end, so that the dialog continues. */
export class MessageBuffer {
  readonly #reader = new DataReader()
  readonly #held: HeldMemory
  readonly #maxBytes: number
  readonly #declared: number
  #buffer: Buffer = NONE
  #length = 0
  #refusal: Refusal | undefined
  /** Number of received bytes, whether kept or not. */
  received = 0

  /**
   * @param declared size that the client announced; memory for this size is taken only after a large part has arrived
   */
  constructor(held: HeldMemory, maxBytes: number, declared = 0) {
    this.#held = held
    this.#maxBytes = maxBytes
    this.#declared = declared
  }

  /** True if these additional bytes have to wait for memory, as the bytes of a large message do. */
  needsRoom(bytes: number): boolean {
    const capacity = this.#buffer.length
    if (this.#refusal !== undefined || capacity === this.#maxBytes) return false
    return this.#length + bytes > Math.max(LARGE, capacity)
  }

  /** Waits for memory for these additional bytes; refuses the message if the memory is not available in time. */
  async makeRoom(bytes: number): Promise<void> {
    const wanted = Math.min(
      Math.max(this.#length + bytes, 2 * this.#buffer.length, this.#declared),
      this.#maxBytes,
    )
    if (!(await this.#held.holdLater(wanted))) return this.#refuse(noMemory())
    const copied = lastCopy.then(() => this.#enlarge(wanted))
    lastCopy = copied.catch(() => undefined)
    await copied
  }

  /** Adds a chunk; returns the bytes after the end of the message once the end has arrived. */
  push(chunk: Buffer): Buffer | undefined {
    this.received += chunk.length
    return this.#reader.read(chunk, (bytes) => this.#append(bytes))
  }

  /** Returns the whole message. Throws the refusal if the message was not kept. */
  content(): Buffer {
    if (this.#refusal !== undefined) throw this.#refusal
    return this.#buffer.subarray(0, this.#length)
  }

  /** Releases the memory; the content must not be used afterwards. */
  release(): void {
    this.#held.release()
    freeBuffersLater(this.#buffer)
    this.#buffer = NONE
    this.#length = 0
  }

  #append(bytes: Buffer): void {
    if (this.#refusal !== undefined) return
    const length = this.#length + bytes.length
    if (length > this.#maxBytes) {
      // The size declared with SIZE does not matter (RFC 1870 §6.3).
      this.#refuse(new Refusal(552, '5.3.4', `A message has at most ${this.#maxBytes} bytes`))
    } else if (this.#length === 0 ? !this.#hold(bytes) : !this.#grow(length)) {
      this.#refuse(noMemory())
    } else {
      if (this.#length > 0) bytes.copy(this.#buffer, this.#length)
      this.#length = length
    }
  }

  /** Keeps the chunk without a copy, because most messages arrive in one piece. */
  #hold(bytes: Buffer): boolean {
    if (!this.#held.hold(bytes.length)) return false
    this.#buffer = bytes
    return true
  }

  /** Enlarges the buffer to this length; returns false if no memory is available. */
  #grow(length: number): boolean {
    if (length <= this.#buffer.length) return true
    const capacity = Math.min(Math.max(length, this.#buffer.length * 2, FIRST_CAPACITY), this.#maxBytes)
    if (!this.#held.hold(capacity)) return false
    const larger = Buffer.allocUnsafeSlow(capacity)
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#replace(larger)
    return true
  }

  async #enlarge(capacity: number): Promise<void> {
    const larger = Buffer.allocUnsafeSlow(capacity)
    await copyInTurns(this.#buffer.subarray(0, this.#length), larger)
    this.#replace(larger)
  }

  #replace(larger: Buffer): void {
    freeBuffersLater(this.#buffer)
    this.#buffer = larger
  }

  #refuse(refusal: Refusal): void {
    this.#refusal = refusal
    this.release()
  }
}

const noMemory = (): Refusal => new Refusal(452, '4.3.1', 'Too many large messages at once; please try again')
