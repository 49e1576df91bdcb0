// The input of an HTTP connection, between its socket and the parser: one request at a time, and bodies in short turns.

import type { Socket } from 'node:net'
import { eventLoopBudget } from '../threads/event-loop-budget.ts'

/**
 * Most bytes outside of bodies that are parsed at once: some eighty of the shortest requests, a millisecond of work.
 */
const MAX_PIECE = 4_096
const HEADER_END = Buffer.from('\r\n\r\n')
/** Early bytes that are read and dropped, so that the client still gets its answer; further bytes stay unread. */
const MAX_EARLY = 256 * 1024

/**
 * State of a connection: it expects a request or a body, has an answer to send, or has passed the whole answer to the
 * socket.
 */
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
 * Input between a socket and the parser that Node has attached to it. For a client that pipelines, only its first
 * request is served; the bytes after that request are dropped, and its connection ends with the answer (RFC 9112
 * §9.3.2).
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
    // Until there is another listener, the parser reads from the handle and bypasses the stream.
    socket.on('data', this.#take).off('data', this.#parse)
  }

  /** True if the client has sent bytes before it could have its answer: the connection ends with that answer. */
  get isEarly(): boolean {
    return this.#early > 0
  }

  /** Counts a request that the parser has found after an unanswered one. */
  refuse(): void {
    this.#drop(1)
  }

  /** Passes on the bytes that arrived after the end of an answer; call it when the client has that answer. */
  goOn(): void {
    if (this.#held.length === 0 || this.#isPutOff) return
    this.#socket.resume()
    this.#handOn(false)
  }

  readonly #take = (bytes: Buffer): void => {
    this.#held.push(bytes)
    if (!this.#isPutOff) this.#handOn(false)
  }

  /** @param isTurn one piece is passed on even if the turn of the event loop is over */
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
      // Resumes first, since the parser pauses the socket while no handler reads the body.
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

/** Returns the bytes to parse before the state is checked again: of many bytes, a header alone. */
function beginningOf(bytes: Buffer): Buffer {
  if (bytes.length <= MAX_PIECE) return bytes
  const piece = bytes.subarray(0, MAX_PIECE)
  const header = piece.indexOf(HEADER_END)
  // A body after the header then arrives in one piece, and is not assembled from two.
  return header < 0 ? piece : piece.subarray(0, header + HEADER_END.length)
}
