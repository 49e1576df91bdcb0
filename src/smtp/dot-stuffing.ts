// The form of a message after DATA: dots at line starts doubled, a lone dot at the end.

const LF_DOT = Buffer.from('\n.')
const END = Buffer.from('.\r\n')
const CRLF_END = Buffer.from('\r\n.\r\n')
const LF = 10
const DOT = 46

/** Number of doubled dots in a chunk beyond which copying is cheaper than cutting. */
const MAX_CUTS = 32

/**
 * Yields the pieces to write for a message whose lines end in CRLF (RFC 5321 §4.5.2), with the final dot. Chunks may
 * be split anywhere and are scanned when their pieces are taken. Copies only chunks full of lines that begin with a
 * dot.
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
    // This piece ends with the dot and the next one begins with it, which doubles the dot.
    pieces.push(chunk.subarray(from, dot + 1))
    from = dot
    dot = nextDot(chunk, dot)
  }
  pieces.push(from === 0 ? chunk : chunk.subarray(from))
  return pieces
}

/** Returns the start of the next line after `from` that begins with a dot; -1 when there is none. */
function nextDot(chunk: Buffer, from: number): number {
  const lf = chunk.indexOf(LF_DOT, from)
  return lf < 0 ? -1 : lf + 1
}

/** Returns a copy of `chunk` from `from` on, with dots doubled at `dot` and after. */
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
