// A long list of domains in little memory: one buffer of sorted lines, searched by halving.

const NEWLINE = 10

/** Domains in A-labels and lower case. */
export class DomainList {
  readonly #lines: Buffer

  /** `lines` holds one domain a line, in the order of their bytes, with a line break after each; else it throws. */
  constructor(lines: Buffer) {
    if (lines.length > 0 && lines.at(-1) !== NEWLINE) throw new Error('a list of domains ends within a line')
    this.#lines = lines
  }

  /** True if the domain itself is listed. */
  has(domain: string): boolean {
    const wanted = Buffer.from(domain, 'latin1')
    let low = 0
    let high = this.#lines.length
    while (low < high) {
      const start = this.#startOfLine((low + high) >>> 1)
      const order = this.#compare(wanted, start)
      if (order === 0) return true
      if (order < 0) high = start
      else low = this.#lines.indexOf(NEWLINE, start) + 1
    }
    return false
  }

  /** True if the domain or one above it is listed. */
  hasOrParent(domain: string): boolean {
    for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      if (this.has(name)) return true
    }
    return false
  }

  // Lines are short: octet by octet is quicker than a call out of the language for each of them.
  #startOfLine(at: number): number {
    const lines = this.#lines
    let start = at
    while (start > 0 && lines[start - 1] !== NEWLINE) start--
    return start
  }

  /** Below 0 when `wanted` comes before the line that starts here, above 0 when after it. */
  #compare(wanted: Uint8Array, start: number): number {
    const lines = this.#lines
    for (let index = 0; ; index++) {
      const octet = lines[start + index] as number
      const difference = (wanted[index] ?? NEWLINE) - octet
      if (difference !== 0 || octet === NEWLINE) return difference
    }
  }
}
