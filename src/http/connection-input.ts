// The bytes of an HTTP connection on their way to the parser: one request at a time, and bodies in short turns.

import type { Socket } from 'node:net'
import { eventLoopBudget } from '../threads/event-loop-budget.ts'

/** Bytes outside of bodies that are parsed at once: some eighty of the shortest requests, a millisecond of work. */
const MAX_PIECE = 4_096
const HEADER_END = Buffer.from('\r\n\r\n')
/** Early bytes that are read and dropped, so that the client still gets its answer; more stay unread. */
const MAX_EARLY = 256 * 1024

/** State of a connection: it expects a request or a body, owes an answer, or has handed the whole answer over. */
export type InputState = 'request' | 'body' | 'answering' | 'answered'

/** Decisions of a connection's owner about its input. */
export interface InputRules {
  state(): InputState
  /** Runs work in a later turn of the event loop. */
  later(work: () => void): void
  /** Called once, when a client has sent bytes before it could have its answer. */
  onEarly(): void
}

/**
 * Stands between a socket and the parser that Node has attached to it. A client that pipelines is served its first
 * request alone; the bytes after that request are dropped, and its connection ends with the answer (RFC 9112 §9.3.2).
 */
export class ConnectionInput {
  readonly #socket: Socket
  readonly #rules: InputRules
  readonly #parse: (bytes: Buffer) => void
  #held: Buffer[] = []
  #isPutOff = false
  #early = 0

  constructor(socket: Socket, rules: InputRules) {
    this.#socket = socket
    this.#rules = rules
    this.#parse = socket.listeners('data')[0] as (bytes: Buffer) => void
    // The parser reads the handle past the stream until there is another listener.
    socket.on('data', this.#take).off('data', this.#parse)
  }

  /** True if the client has sent bytes before it could have its answer: the connection ends with that answer. */
  get isEarly(): boolean {
    return this.#early > 0
  }

  /** Counts a request that the parser has found behind one that is not answered. */
  refuse(): void {
    this.#drop(1)
  }

  /** Hands on what arrived after the end of an answer; call it when the client has that answer. */
  goOn(): void {
    if (this.#held.length === 0 || this.#isPutOff) return
    this.#socket.resume()
    this.#handOn(false)
  }

  readonly #take = (bytes: Buffer): void => {
    this.#held.push(bytes)
    if (!this.#isPutOff) this.#handOn(false)
  }

  /** @param isTurn one piece goes on, however old the turn of the event loop is */
  #handOn(isTurn: boolean): void {
    let mayPass = isTurn
    for (let bytes = this.#held.shift(); bytes !== undefined; bytes = this.#held.shift()) {
      // A malformed request has been refused.
      if (this.#socket.destroyed || this.#socket.writableEnded) continue
      const state = this.#rules.state()
      if (state === 'answering' || this.isEarly) {
        this.#drop(bytes.length)
        continue
      }
      if (state === 'answered' || (state === 'body' && !mayPass && !eventLoopBudget.isYoung())) {
        this.#held.unshift(bytes)
        this.#socket.pause()
        if (state === 'body') this.#putOff()
        return
      }
      mayPass = false
      const piece = state === 'body' ? bytes : beginningOf(bytes)
      if (piece.length < bytes.length) this.#held.unshift(bytes.subarray(piece.length))
      this.#parse.call(this.#socket, piece)
    }
  }

  #putOff(): void {
    this.#isPutOff = true
    this.#rules.later(() => {
      this.#isPutOff = false
      // First, since the parser pauses the socket while nobody takes the body.
      this.#socket.resume()
      this.#handOn(true)
    })
  }

  #drop(bytes: number): void {
    if (this.#early === 0) this.#rules.onEarly()
    this.#early += bytes
    if (this.#early > MAX_EARLY) this.#socket.pause()
  }
}

/** Returns the bytes that are parsed before the state is looked at again: where there are many, a header by itself. */
function beginningOf(bytes: Buffer): Buffer {
  if (bytes.length <= MAX_PIECE) return bytes
  const piece = bytes.subarray(0, MAX_PIECE)
  const header = piece.indexOf(HEADER_END)
  // A body that follows then comes in one piece, and need not be put together from two.
  return header < 0 ? piece : piece.subarray(0, header + HEADER_END.length)
}
