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
  readonly #push: Socket['push']
  readonly #read: Socket['_read']
  /** Input that is not parsed yet; null is the end of the input. */
  #held: (Buffer | null)[] = []
  #isHandingOn = false
  #isPutOff = false
  #early = 0

  constructor(socket: Socket, rules: InputRules) {
    this.#socket = socket
    this.#rules = rules
    this.#push = socket.push.bind(socket)
    this.#read = socket._read.bind(socket)
    // Until there is another listener, the parser reads from the handle and bypasses the stream.
    socket.on('data', ignore).off('data', ignore)
    // Pausing the socket would hold nothing back: Node resumes it whenever a request wants more of its body.
    socket.push = (bytes: Buffer | null): boolean => this.#take(bytes)
    socket._read = (size) => {
      if (this.#held.length === 0 && this.#early <= MAX_EARLY) this.#read(size)
    }
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
    if (this.#held.length > 0 && !this.#isPutOff) this.#handOn(false)
  }

  #take(bytes: Buffer | null): boolean {
    if (bytes === null && this.#held.length === 0) return this.#push(null)
    this.#held.push(bytes)
    return !this.#isPutOff && this.#handOn(false) && this.#held.length === 0
  }

  /**
   * Returns false if the stream wants no more for now.
   *
   * @param isTurn one piece passes, however old the turn of the event loop is
   */
  #handOn(isTurn: boolean): boolean {
    // A parser at work takes nothing more.
    if (this.#isHandingOn) return true
    this.#isHandingOn = true
    let wantsMore = true
    let mayPass = isTurn
    for (let bytes = this.#held.shift(); bytes !== undefined; bytes = this.#held.shift()) {
      if (bytes !== null && this.#isDropped(bytes)) continue
      const state = this.#rules.state()
      const isForLater = state === 'body' && !mayPass && !eventLoopBudget.isYoung()
      if (state === 'answered' || isForLater) {
        this.#held.unshift(bytes)
        if (isForLater) this.#putOff()
        wantsMore = false
        break
      }
      mayPass = false
      const piece = bytes === null || state === 'body' ? bytes : beginningOf(bytes)
      if (bytes !== null && piece !== null && piece.length < bytes.length) {
        this.#held.unshift(bytes.subarray(piece.length))
      }
      wantsMore = this.#push(piece)
    }
    this.#isHandingOn = false
    return wantsMore && this.#early <= MAX_EARLY
  }

  /** Returns whether bytes are not parsed: after a malformed request, which has been refused, or because they are early. */
  #isDropped({ length }: Buffer): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return true
    if (!this.isEarly && this.#rules.state() !== 'answering') return false
    this.#drop(length)
    return true
  }

  #putOff(): void {
    this.#isPutOff = true
    this.#rules.later(() => {
      this.#isPutOff = false
      this.#handOn(true)
    })
  }

  #drop(bytes: number): void {
    if (this.#early === 0) this.#rules.onEarly()
    this.#early += bytes
  }
}

const ignore = (): void => {}

/** Returns the bytes to parse before the state is checked again: of many bytes, a header alone. */
function beginningOf(bytes: Buffer): Buffer {
  if (bytes.length <= MAX_PIECE) return bytes
  const piece = bytes.subarray(0, MAX_PIECE)
  const header = piece.indexOf(HEADER_END)
  // A body after the header then arrives in one piece, and is not assembled from two.
  return header < 0 ? piece : piece.subarray(0, header + HEADER_END.length)
}
