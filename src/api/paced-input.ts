// The bytes of an HTTP connection on their way to the parser: in small pieces, only when they are wanted, and those of
// large bodies in short turns of the event loop.

import type { Socket } from 'node:net'

/** Bytes that are parsed at once: some eighty of the shortest requests, a millisecond of work. */
const MAX_PIECE = 4_096
const HEADER_END = Buffer.from('\r\n\r\n')

/** What the owner of a connection decides about its input. */
export interface InputRules {
  /** True while nothing more is to be parsed; `goOn` has to follow when that has changed. */
  isHeld(): boolean
  /** True if the rest belongs to a later turn of the event loop, in which `goOn` has to be called. */
  isForLater(): boolean
  /** True while the parser is within a body. */
  isInBody(): boolean
}

/**
 * Stands between a socket and the parser that Node has put behind it. Node parses all that one read has brought, 64 KiB
 * and more, and resumes the socket by itself whenever a request was consumed, so that pausing it holds nothing back. It
 * also reads a socket up to 32 times in a turn of the event loop, as long as there is more.
 */
export class PacedInput {
  readonly #rules: InputRules
  readonly #push: Socket['push']
  readonly #read: Socket['_read']
  /** Bytes that are held; null is the end of the input. */
  #held: (Buffer | null)[] = []
  #isHandingOn = false
  /** Bytes that surely belong to the body that is being parsed, so that no request can begin in them. */
  #ofBody = 0

  constructor(socket: Socket, rules: InputRules) {
    this.#rules = rules
    this.#push = socket.push.bind(socket)
    this.#read = socket._read.bind(socket)
    // The parser reads the handle past the stream until there was another listener.
    socket.on('data', ignore).off('data', ignore)
    socket.push = (octets: Buffer | null): boolean => this.#take(octets)
    socket._read = (size) => {
      if (this.#held.length === 0) this.#read(size)
    }
  }

  /** Tells the length of a body, when the parser has come to the end of the header before it. */
  expectBody(octets: number): void {
    this.#ofBody = octets
  }

  /** Hands on what is held, as far as that is wanted but one piece at least; the stream reads on by itself then. */
  goOn(): void {
    if (this.#held.length > 0) this.#handOn(true)
  }

  #take(octets: Buffer | null): boolean {
    // A client that has gone is told at once, if nothing stands before that.
    if (octets === null && this.#held.length === 0) return this.#push(null)
    this.#held.push(octets)
    return this.#handOn(false) && this.#held.length === 0
  }

  /** False when the stream wants no more for now. */
  #handOn(isTurn: boolean): boolean {
    // A parser that is at work takes nothing more.
    if (this.#isHandingOn) return true
    this.#isHandingOn = true
    let wantsMore = true
    for (let isFirst = isTurn; this.#held.length > 0 && !this.#rules.isHeld(); isFirst = false) {
      if (!isFirst && this.#rules.isForLater()) break
      const { piece, isHeader } = this.#nextPiece()
      wantsMore = this.#push(piece)
      // Unless the piece ends with a header, the body may have begun in it: what is left of it is at least so much.
      if (!isHeader) this.#ofBody -= piece?.length ?? 0
    }
    this.#isHandingOn = false
    return wantsMore
  }

  /** The bytes that go next, and whether they end where a header does, so that the whole body is to come. */
  #nextPiece(): { readonly piece: Buffer | null; readonly isHeader: boolean } {
    const octets = this.#held.shift() ?? null
    const most = Math.max(MAX_PIECE, this.#ofBody)
    if (octets === null || octets.length <= most) return { piece: octets, isHeader: false }
    // Behind its header a body of known length comes in one piece, and need not be put together from two.
    const header =
      this.#ofBody > 0 || this.#rules.isInBody() ? -1 : octets.subarray(0, most).indexOf(HEADER_END)
    const isHeader = header >= 0
    const length = isHeader ? header + HEADER_END.length : most
    this.#held.unshift(octets.subarray(length))
    return { piece: octets.subarray(0, length), isHeader }
  }
}

const ignore = (): void => {}
