// Controls the input of an HTTP connection between its socket and the parser: one request at a time, and bodies in
// short turns.

import type { Socket } from 'node:net'
import { eventLoopBudget } from '../threads/event-loop-budget.ts'

/**
 * Maximum number of bytes outside of bodies that are parsed at once: about eighty of the shortest requests, or one
 * millisecond of work.
 */
const MAX_PIECE = 4_096
const HEADER_END = Buffer.from('\r\n\r\n')
/**
 * Maximum number of bytes that are read and dropped if a client sends more bytes before it could have received its
 * response. The client then still gets the response; further bytes stay unread.
 */
const MAX_EARLY = 256 * 1024

/**
 * State of a connection: waiting for a request or a body, preparing a response, or done writing the response to the
 * socket.
 */
export type InputState = 'request' | 'body' | 'answering' | 'answered'

/** Functions by which the owner of a connection controls its input. */
export interface InputRules {
  state(): InputState
  /** Runs work in a later turn of the event loop. */
  later(work: () => void): void
  /** Called once, when the client has sent bytes before it could have received its response. */
  onEarly(): void
}

/**
 * Input between a socket and the parser that Node has attached to the socket. If a client pipelines, only its first
 * request is served; later bytes are dropped, and the connection ends with the response to the first request (RFC 9112
 * §9.3.2).
 */
export class ConnectionInput {
  readonly #socket: Socket
  readonly #rules: InputRules
  readonly #push: Socket['push']
  readonly #read: Socket['_read']
  /** Input that is not parsed yet; null marks the end of the input. */
  #held: (Buffer | null)[] = []
  #isHandingOn = false
  #isPutOff = false
  #early = 0

  constructor(socket: Socket, rules: InputRules) {
    this.#socket = socket
    this.#rules = rules
    this.#push = socket.push.bind(socket)
    this.#read = socket._read.bind(socket)
    // The parser reads from the handle and bypasses the stream until another listener is added to the socket.
    socket.on('data', ignore).off('data', ignore)
    // The push function is replaced, because pausing the socket has no effect: Node resumes the socket whenever a
    // request wants more of its body.
    socket.push = (bytes: Buffer | null): boolean => this.#take(bytes)
    socket._read = (size) => {
      if (this.#held.length === 0 && this.#early <= MAX_EARLY) this.#read(size)
    }
  }

  /**
   * True if the client has sent bytes before it could have received its response, so that the connection ends with the
   * response.
   */
  get isEarly(): boolean {
    return this.#early > 0
  }

  /** Counts a request that the parser has found before the previous request was answered. */
  refuse(): void {
    this.#drop(1)
  }

  /**
   * Passes on the bytes that arrived after the end of a response. The caller must call this function once the client
   * has received the response.
   */
  goOn(): void {
    if (this.#held.length > 0 && !this.#isPutOff) this.#handOn(false)
  }

  #take(bytes: Buffer | null): boolean {
    if (bytes === null && this.#held.length === 0) return this.#push(null)
    this.#held.push(bytes)
    return !this.#isPutOff && this.#handOn(false) && this.#held.length === 0
  }

  /**
   * Passes held bytes to the stream; returns false if the stream wants no more bytes for now.
   *
   * @param isTurn true if one piece may pass, regardless of the age of the current turn of the event loop
   */
  #handOn(isTurn: boolean): boolean {
    // The parser is running and takes no more bytes now.
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

  /**
   * True if bytes are not parsed, because a malformed request before these bytes was refused, or because the client has
   * sent the bytes too early.
   */
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

/** Returns the bytes to parse before the state is checked again; if there are many bytes, only a header. */
function beginningOf(bytes: Buffer): Buffer {
  if (bytes.length <= MAX_PIECE) return bytes
  const piece = bytes.subarray(0, MAX_PIECE)
  const header = piece.indexOf(HEADER_END)
  // The piece ends with the header, so that the body arrives in one piece and is not assembled from two pieces.
  return header < 0 ? piece : piece.subarray(0, header + HEADER_END.length)
}
