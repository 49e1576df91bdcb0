// Dot-stuffing of a message for DATA: doubles the dots at line starts, and appends the final dot.

const LF_DOT = Buffer.from('\n.')
const END = Buffer.from('.\r\n')
const CRLF_END = Buffer.from('\r\n.\r\n')
const LF = 10
const DOT = 46

/** Number of doubled dots in a chunk beyond which one copy is cheaper than cutting the chunk into pieces. */
const MAX_CUTS = 32

/**
 * Yields the pieces to write for a message whose lines end in CRLF (RFC 5321 §4.5.2), with the final dot. Chunks may
 * end in the middle of a line, and are scanned only when their pieces are requested. Copies only chunks with many lines
 * that begin with a dot.
 */
export function* dotStuffed(chunks: Iterable<Buffer>): Generator<Buffer, void> {
  let last = LF
  for (const chunk of chunks) {
    if (chunk.length === 0) continue
    yield* stuffed(chunk, last === LF)
    last = chunk[chunk.length - 1]!
  }
  yield last === LF ? END : CRLF_END
}

function stuffed(chunk: Buffer, atLineStart: boolean): Buffer[] {
  const pieces: Buffer[] = []
  let from = 0
  let dot = atLineStart && chunk[0] === DOT ? 0 : nextDot(chunk, 0)
  for (let cuts = 0; dot >= 0; cuts++) {
    if (cuts === MAX_CUTS) {
      pieces.push(stuffedCopy(chunk, from, dot))
      return pieces
    }
    // This piece ends with the dot, and the next piece begins with the same dot, so that the dot is doubled.
    pieces.push(chunk.subarray(from, dot + 1))
    from = dot
    dot = nextDot(chunk, dot)
  }
  pieces.push(from === 0 ? chunk : chunk.subarray(from))
  return pieces
}

/** Returns the start of the next line after `from` that begins with a dot; -1 if no line begins with a dot. */
function nextDot(chunk: Buffer, from: number): number {
  const lf = chunk.indexOf(LF_DOT, from)
  return lf < 0 ? -1 : lf + 1
}

/** Returns a copy of `chunk` from `from` on, in which the dots at line starts are doubled from `dot` on. */
function stuffedCopy(chunk: Buffer, from: number, dot: number): Buffer {
  let count = 0
  for (let at = dot; at >= 0; at = nextDot(chunk, at)) count++
  const copy = Buffer.allocUnsafe(chunk.length - from + count)
  let written = 0
  let start = from
  for (let at = dot; at >= 0; at = nextDot(chunk, at)) {
    written += chunk.copy(copy, written, start, at + 1)
    start = at
  }
  chunk.copy(copy, written, start)
  return copy
}
