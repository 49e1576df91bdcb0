// The message within a stream of octets: where it ends, and without the dots that were put before its lines.

const DOT = 0x2e
const CR = 13
const LF = 10
const NONE = Buffer.alloc(0)

/**
 * Reads what follows DATA (RFC 5321 §4.1.1.4, §4.5.2). It ends with CRLF "." CRLF and with nothing that looks
 * similar (CVE-2023-51764 and its like), however the octets are cut into chunks. Linear.
 */
export class DataReader {
  /** Octets that may be the beginning of the end. */
  #held: Buffer = NONE
  /** True when the next octet begins a line. */
  #atLineStart = true

  /** Gives the message's octets to `emit`; returns what stands behind its end once that has come. */
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
