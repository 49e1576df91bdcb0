// The octets of an HTTP connection on their way to the parser: in small pieces, and only when it is wanted.

import type { Socket } from 'node:net'

/** Octets that are parsed at once: some eighty of the shortest requests, a millisecond of work. */
const MAX_PIECE = 4_096

/**
 * Stands between a socket and the parser that Node has put behind it. Node parses all that one read has brought, 64 KiB
 * and more, and resumes the socket by itself whenever a request was consumed, so that pausing it holds nothing back.
 */
export class PacedInput {
  readonly #isHeld: () => boolean
  readonly #push: Socket['push']
  readonly #read: Socket['_read']
  /** Pieces that are held; null is the end of the input. */
  #pieces: (Buffer | null)[] = []
  #isHandingOn = false

  /** @param isHeld true while nothing more is to be parsed; call `goOn` when that has changed */
  constructor(socket: Socket, isHeld: () => boolean) {
    this.#isHeld = isHeld
    this.#push = socket.push.bind(socket)
    this.#read = socket._read.bind(socket)
    // The parser reads the handle past the stream until there was another listener.
    socket.on('data', ignore).off('data', ignore)
    socket.push = (octets: Buffer | null): boolean => this.#take(octets)
    socket._read = (size) => {
      if (this.#pieces.length === 0) this.#read(size)
    }
  }

  /** Hands on what is held, as far as that is wanted, and then reads on. */
  goOn(): void {
    if (this.#pieces.length === 0) return
    this.#handOn()
    if (this.#pieces.length === 0) this.#read(0)
  }

  #take(octets: Buffer | null): boolean {
    // A client that has gone is told at once, if nothing stands before that.
    if (octets === null && this.#pieces.length === 0) return this.#push(null)
    if (octets === null || octets.length <= MAX_PIECE) this.#pieces.push(octets)
    else {
      for (let at = 0; at < octets.length; at += MAX_PIECE)
        this.#pieces.push(octets.subarray(at, at + MAX_PIECE))
    }
    return this.#handOn() && this.#pieces.length === 0
  }

  /** False when the stream wants no more for now. */
  #handOn(): boolean {
    // A parser that is at work takes nothing more.
    if (this.#isHandingOn) return true
    this.#isHandingOn = true
    let wantsMore = true
    while (this.#pieces.length > 0 && !this.#isHeld()) wantsMore = this.#push(this.#pieces.shift())
    this.#isHandingOn = false
    return wantsMore
  }
}

const ignore = (): void => {}
