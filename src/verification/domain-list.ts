// A long list of domains in little memory: one buffer of sorted lines, searched by halving.

const NEWLINE = 10

/** Domains in A-labels and lower case. */
export class DomainList {
  readonly #lines: Buffer

  /** `lines` holds one domain a line, in the order of their bytes, with a line break after each. */
  constructor(lines: Buffer) {
    this.#lines = lines
  }

  /** Whether the domain itself is listed. */
  has(domain: string): boolean {
    const wanted = Buffer.from(domain, 'latin1')
    let low = 0
    let high = this.#lines.length
    while (low < high) {
      const start = this.#startOfLine(Math.floor((low + high) / 2))
      const end = this.#lines.indexOf(NEWLINE, start)
      const order = wanted.compare(this.#lines, start, end)
      if (order === 0) return true
      if (order < 0) high = start
      else low = end + 1
    }
    return false
  }

  /** Whether the domain or one above it is listed. */
  hasOrParent(domain: string): boolean {
    for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      if (this.has(name)) return true
    }
    return false
  }

  #startOfLine(at: number): number {
    return at === 0 ? 0 : this.#lines.lastIndexOf(NEWLINE, at - 1) + 1
  }
}
