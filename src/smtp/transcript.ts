// A short record of one dialog: the commands and replies, with their times.

/** Maximum number of characters of one line. */
const MAX_LINE = 1000

/**
 * Collects lines such as `12 > MAIL FROM:<a@example.org>` and `15 < 250 Ok`. Each line consists of the milliseconds
 * since the start, the direction and the text; `*` in place of the direction marks a remark of this client. A
 * transcript beyond the limit keeps its first and last lines, because the lines in the middle (a thousand recipients)
 * are the least informative.
 */
export class Transcript {
  readonly #start = performance.now()
  readonly #headLimit: number
  readonly #tailLimit: number
  #head: string[] = []
  #tail: string[] = []
  #tailFrom = 0
  #headSize = 0
  #tailSize = 0

  /** @param limit approximate maximum of characters; default 8,192 */
  constructor(limit = 8192) {
    this.#headLimit = Math.trunc(limit * 0.75)
    this.#tailLimit = limit - this.#headLimit
  }

  /** Adds a line that was sent, without its CRLF and without secrets. */
  sent(line: string): void {
    this.#add(' > ', line)
  }

  /** Adds a reply. */
  received(code: number, lines: readonly string[]): void {
    const last = lines.length - 1
    for (let i = 0; i < last; i++) this.#add(' < ', `${code}-${lines[i]}`)
    this.#add(' < ', `${code} ${lines[last]}`)
  }

  /** Adds a remark that neither side sent. */
  note(text: string): void {
    this.#add(' * ', text)
  }

  text(): string {
    const dropped = this.#tailFrom
    const lines =
      dropped === 0
        ? this.#head.concat(this.#tail)
        : [...this.#head, `(${dropped} lines left out)`, ...this.#tail.slice(dropped)]
    return lines.join('\n')
  }

  #add(mark: string, text: string): void {
    const shown = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text
    const line = Math.trunc(performance.now() - this.#start) + mark + shown
    if (this.#tail.length === 0 && this.#headSize + line.length <= this.#headLimit) {
      this.#head.push(line)
      this.#headSize += line.length + 1
      return
    }
    this.#tail.push(line)
    this.#tailSize += line.length + 1
    while (this.#tailSize > this.#tailLimit && this.#tailFrom < this.#tail.length - 1) {
      this.#tailSize -= this.#tail[this.#tailFrom]!.length + 1
      this.#tail[this.#tailFrom++] = ''
    }
  }
}
