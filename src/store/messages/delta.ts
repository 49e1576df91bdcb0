// Deltas: bytes expressed as copies from a base and literal bytes in between, similar to VCDIFF (RFC 3284).

/** Block size of the index, in bytes; a repetition shorter than a block is not worth a copy instruction. */
const BLOCK = 16
/** Multiplier of the hash of a block (Knuth 1998, §6.4). */
const GOLDEN = 0x9e3779b1

/**
 * A base with an index of its blocks. A delta begins with the length of the target, followed by steps: the offset and
 * length of a copy, the number of literal bytes, and the literal bytes. Numbers in a delta are encoded as unsigned
 * LEB128.
 */
export class DeltaBase {
  readonly bytes: Buffer
  /** Length of the prefix of the base that every target begins with, in bytes. */
  readonly #common: number
  readonly #slots: Int32Array
  readonly #mask: number

  /** @param common length of the prefix of the base that every target begins with; the prefix is not indexed */
  constructor(bytes: Buffer, common = 0) {
    this.bytes = bytes
    this.#common = common
    const blocks = Math.max(1, Math.ceil((bytes.length - common) / BLOCK))
    const size = 2 ** Math.ceil(Math.log2(4 * blocks))
    this.#mask = size - 1
    this.#slots = new Int32Array(size).fill(-1)
    // The loop runs backwards, so that the index has the first occurrence of a repeated block.
    for (let at = bytes.length - BLOCK; at >= common; at -= BLOCK) {
      this.#slots[hashAt(bytes, at) & this.#mask] = at
    }
  }

  /** Returns the delta of the common prefix followed by `rest`. The running time is linear in the length of `rest`. */
  encode(rest: Buffer): Uint8Array<ArrayBuffer> {
    const common = this.#common
    const writer = new Writer(rest.length)
    writer.number(common + rest.length)
    let copyFrom = 0
    let copyLength = common
    let literal = 0
    for (let at = 0; at + BLOCK <= rest.length; ) {
      const found = this.#find(rest, at)
      if (found < 0) {
        at++
        continue
      }
      let from = found
      let start = at
      while (start > literal && from > common && rest[start - 1] === this.bytes[from - 1]) {
        start--
        from--
      }
      const length = this.#matching(rest, start, from)
      writer.step(copyFrom, copyLength, rest, literal, start)
      copyFrom = from
      copyLength = length
      literal = at = start + length
    }
    writer.step(copyFrom, copyLength, rest, literal, rest.length)
    return writer.done()
  }

  /**
   * Returns the offset in the base of the block that begins at `at` in the target; -1 if the index has no such block.
   */
  #find(target: Buffer, at: number): number {
    const found = this.#slots[hashAt(target, at) & this.#mask] as number
    if (found < 0) return -1
    return this.bytes.compare(target, at, at + BLOCK, found, found + BLOCK) === 0 ? found : -1
  }

  #matching(target: Buffer, start: number, from: number): number {
    const { bytes } = this
    const most = Math.min(target.length - start, bytes.length - from)
    let length = 0
    while (length < most && target[start + length] === bytes[from + length]) length++
    return length
  }
}

/** Returns the target of a delta; undefined if the delta is damaged or belongs to another base. */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const length = lengthOf(base, delta)
  if (length === undefined) return undefined
  const whole = new Uint8Array(length)
  const reader = new Reader(delta)
  reader.number()
  for (let at = 0; reader.left > 0; ) {
    const from = reader.number()
    const copied = base.subarray(from, from + reader.number())
    whole.set(copied, at)
    at += copied.length
    const literal = reader.bytes(reader.number()) as Uint8Array
    whole.set(literal, at)
    at += literal.length
  }
  return whole
}

/**
 * Returns the target length that a delta announces; undefined if the steps of the delta have another total length. The
 * check keeps a damaged delta from allocating memory.
 */
function lengthOf(base: Uint8Array, delta: Uint8Array): number | undefined {
  const reader = new Reader(delta)
  const announced = reader.number()
  let length = 0
  while (reader.left > 0) {
    const from = reader.number()
    const copied = reader.number()
    const literal = reader.bytes(reader.number())
    if (from < 0 || copied < 0 || from + copied > base.length || literal === undefined) return undefined
    length += copied + literal.length
  }
  return length === announced ? length : undefined
}

/** Returns the hash of the block at an offset. */
function hashAt(bytes: Buffer, at: number): number {
  let hash = bytes.readInt32LE(at)
  hash = Math.imul(hash ^ bytes.readInt32LE(at + 4), GOLDEN)
  hash = Math.imul((hash >>> 15) ^ hash ^ bytes.readInt32LE(at + 8), GOLDEN)
  hash = Math.imul((hash >>> 13) ^ hash ^ bytes.readInt32LE(at + 12), GOLDEN)
  return (hash >>> 16) ^ hash
}

/** Maximum number of bytes of an encoded number. */
const MAX_NUMBER = 5

class Writer {
  #bytes: Buffer
  #length = 0

  /** @param expected length of the target in bytes; copies make up most of the target */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(64 + (expected >> 2))
  }

  number(value: number): void {
    this.#reserve(MAX_NUMBER)
    let rest = value
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }

  /** Appends a step with a copy and literal bytes of the target; does nothing if both are empty. */
  step(from: number, length: number, target: Buffer, start: number, end: number): void {
    if (length === 0 && start === end) return
    this.number(from)
    this.number(length)
    this.number(end - start)
    this.#reserve(end - start)
    this.#length += target.copy(this.#bytes, this.#length, start, end)
  }

  done(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.subarray(0, this.#length))
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(2 * this.#bytes.length + bytes)
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** Returns the next number; -1 if the bytes end or the number is too long. */
  number(): number {
    let value = 0
    for (let shift = 0; shift < 7 * MAX_NUMBER; shift += 7) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) return -1
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    return -1
  }

  /** Returns the next `count` bytes; undefined if fewer bytes are left. */
  bytes(count: number): Uint8Array | undefined {
    if (count < 0 || count > this.left) return undefined
    const start = this.#at
    this.#at += count
    return this.#bytes.subarray(start, this.#at)
  }
}
