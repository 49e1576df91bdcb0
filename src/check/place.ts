// Places in a body: line, column and excerpt of an offset.

/** Maximum length of an excerpt in characters. */
const EXCERPT = 80

/** Body of a message, in which findings have a line and a column. */
export class Body {
  readonly path: string
  readonly source: string
  /** Offsets at which the lines begin; filled at the first finding. */
  #starts: readonly number[] | undefined

  constructor(path: string, source: string) {
    this.path = path
    this.source = source
  }

  /** Returns the place of an offset; `length` is the length of the excerpt before it is cut. */
  place(offset: number, length = EXCERPT): { line: number; column: number; excerpt: string } {
    const excerpt = this.source.slice(offset, offset + Math.min(length, EXCERPT)).replace(/\s+/g, ' ')
    return { ...this.position(offset), excerpt }
  }

  /** Returns line and column of an offset, both counted from 1; the column counts UTF-16 code units. */
  position(offset: number): { line: number; column: number } {
    this.#starts ??= lineStarts(this.source)
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 }
  }
}

function lineStarts(source: string): readonly number[] {
  const starts = [0]
  for (let end = source.indexOf('\n'); end >= 0; end = source.indexOf('\n', end + 1)) starts.push(end + 1)
  return starts
}
