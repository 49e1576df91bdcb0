// The connection of one client: reads the bytes of the client as command lines or as a message, writes replies, and
// switches to TLS.

import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { Clock } from '../lib/clock.ts'
import { MAX_LINE, TLS_HANDSHAKE } from './command-line.ts'
import type { MessageBuffer } from './message-buffer.ts'

/** Time for a client to read the last reply and to close its side. */
const LINGER_MS = 5_000
/** Maximum size of the replies that are held in order to be sent together, in bytes. */
const MAX_HELD_BYTES = 16 * 1024

/**
 * Reads the socket only while a caller waits for input. Holds replies until a caller waits for input, so that the
 * replies to pipelined commands are sent together (RFC 2920 §3.2).
 */
export class ClientConnection {
  /** IP address of the client. */
  readonly address: string
  /** Resolves when either side has closed the socket. */
  readonly closed: Promise<void>
  readonly #clock: Clock
  readonly #input = new LineReader()
  #socket: Socket | TLSSocket
  #held = ''
  #secure = false
  #handshaking = false
  /** True once the client has ended its sending side. */
  #inputEnded = false
  #ended = false
  #isClosed = false
  #wake: (() => void) | undefined
  #cancelLinger: () => void = () => {}
  #settleClosed: () => void = () => {}

  constructor(socket: Socket, clock: Clock) {
    this.#clock = clock
    this.#socket = socket
    this.address = socket.remoteAddress ?? ''
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve
    })
    socket.on('close', this.#onClose).on('error', ignore)
    this.#listen(socket)
  }

  /** True if the connection uses TLS. */
  get secure(): boolean {
    return this.#secure
  }

  /** Returns the TLS version, such as `TLSv1.3`; null without TLS. */
  get tlsVersion(): string | null {
    return this.#socket instanceof TLSSocket ? this.#socket.getProtocol() : null
  }

  /** True while replies still reach the client. */
  get isWritable(): boolean {
    return !this.#ended && this.#socket.writable
  }

  /** Returns the next command line; undefined if either side has ended the connection and no line is left. */
  async readCommand(): Promise<CommandInput | undefined> {
    for (;;) {
      if (this.#ended) return undefined
      const input = this.#input.next()
      if (input !== undefined) return input
      if (!(await this.#more())) return undefined
    }
  }

  /** Reads a message into `buffer`; returns false if the connection ended before the end of the message. */
  async readMessage(buffer: MessageBuffer): Promise<boolean> {
    for (;;) {
      if (this.#ended) return false
      const bytes = this.#input.takeAll()
      if (buffer.needsRoom(bytes.length)) await buffer.makeRoom(bytes.length)
      const rest = bytes.length === 0 ? undefined : buffer.push(bytes)
      if (rest !== undefined) {
        this.#input.push(rest)
        return true
      }
      if (!(await this.#more())) return false
    }
  }

  /** Holds bytes of a reply until `flush`. */
  write(bytes: string): void {
    this.#held += bytes
    if (this.#held.length > MAX_HELD_BYTES) this.flush()
  }

  /**
   * Sends the held replies. Sends nothing during a TLS handshake, because a reply would be plaintext in the middle of
   * the handshake.
   */
  flush(): void {
    const bytes = this.#held
    if (bytes === '') return
    this.#held = ''
    if (!this.#handshaking && this.#socket.writable) this.#socket.write(bytes, 'latin1')
  }

  /**
   * Begins TLS after sending the held replies. Drops all earlier input if TLS begins by STARTTLS, from every buffer and
   * without reading the input (RFC 3207 §5, CVE-2011-0411); keeps earlier input as the beginning of the handshake if
   * TLS is `implicit`. Returns false, and closes the connection, if the handshake fails.
   */
  startTls(secureContext: SecureContext, implicit: boolean): Promise<boolean> {
    this.flush()
    const plain = this.#socket
    if (plain.destroyed) return Promise.resolve(false)
    plain.off('data', this.#onData).off('end', this.#onEnd).off('drain', this.#onDrain)
    if (!implicit) {
      this.#input.takeAll()
      while (plain.read() !== null);
    }
    // This side closes as well if the client closes its side during an unfinished handshake.
    plain.allowHalfOpen = false
    const secure = new TLSSocket(plain, { isServer: true, secureContext })
    this.#socket = secure
    this.#handshaking = true
    return new Promise((resolve) => {
      const failed = (): void => {
        secure.destroy()
        resolve(false)
      }
      secure.on('error', failed)
      secure.on('close', this.#onClose).once('close', () => resolve(false))
      // The handler runs only once, although a client can renegotiate at any time with TLS 1.2.
      secure.once('secure', () => {
        secure.allowHalfOpen = true
        this.#handshaking = false
        this.#secure = true
        this.#listen(secure)
        resolve(true)
      })
    })
  }

  /**
   * Sends the held replies and ends the sending side of the server; further input is discarded. The client must close
   * its side within `lingerMs`; a later call without `lingerMs` does not change the time limit.
   */
  end(lingerMs?: number): void {
    if (this.#handshaking) this.destroy()
    if (this.#isClosed || (this.#ended && lingerMs === undefined)) return
    this.flush()
    this.#ended = true
    this.#socket.end()
    this.#socket.resume()
    this.#wakeReader()
    this.#cancelLinger()
    this.#cancelLinger = this.#clock.after(lingerMs ?? LINGER_MS, () => this.destroy())
  }

  /** Closes the connection for good. */
  destroy(): void {
    this.#ended = true
    this.#cancelLinger()
    this.#socket.destroy()
    this.#wakeReader()
  }

  #listen(socket: Socket | TLSSocket): void {
    socket.on('data', this.#onData).on('end', this.#onEnd).on('drain', this.#onDrain)
  }

  /**
   * Waits until the client has read the replies and new input has arrived; input that arrived before the call counts.
   * Returns false if no more input can arrive.
   */
  async #more(): Promise<boolean> {
    this.flush()
    while (!this.#ended && !this.#isClosed) {
      if (!this.#socket.writableNeedDrain) {
        if (this.#input.hasNew) return true
        if (this.#inputEnded) return false
        if (this.#socket.isPaused()) this.#socket.resume()
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return false
  }

  #onData = (chunk: Buffer): void => {
    if (this.#ended) return
    this.#input.push(chunk)
    if (this.#wake === undefined || this.#socket.writableNeedDrain) this.#socket.pause()
    this.#wakeReader()
  }

  /** Records that the client sends no more; the client may still read the replies to its commands. */
  #onEnd = (): void => {
    this.#inputEnded = true
    this.#wakeReader()
  }

  #onDrain = (): void => this.#wakeReader()

  #onClose = (): void => {
    this.#isClosed = true
    this.#cancelLinger()
    this.#settleClosed()
    this.#wakeReader()
  }

  #wakeReader(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}

/** Ignores an error of the socket, because `close` follows. */
const ignore = (): void => {}

/**
 * A line without its CRLF, or the fault found instead of a line: a line that ends in LF alone, a line longer than any
 * command (reported once, the rest is skipped), or an endless line.
 */
export type CommandInput = Buffer | 'bare newline' | 'too long' | 'endless'

const LF = 10
const CR = 13
const NONE = Buffer.alloc(0)
/** Maximum number of bytes of an overlong line that are skipped before the connection is closed. */
const MAX_SKIPPED = 2 * 1024 * 1024

/** Holds input that is not read yet. */
class LineReader {
  #bytes: Buffer = NONE
  /** Number of skipped bytes of an overlong line; 0 while no line is being skipped. */
  #skipped = 0

  /** True if bytes have arrived since the last read. */
  hasNew = false

  push(chunk: Buffer): void {
    this.hasNew = true
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
  }

  /** Returns the next line; undefined if the end of the line has not arrived yet. */
  next(): CommandInput | undefined {
    this.hasNew = false
    while (this.#bytes.length > 0) {
      const bytes = this.#bytes
      const end = bytes.indexOf(LF)
      if (this.#skipped > 0) {
        if (end === -1) return this.#skip()
        this.#skipped = 0
        this.#bytes = bytes.subarray(end + 1)
      } else if (bytes[0] === TLS_HANDSHAKE) {
        // A TLS record may contain no line end, but the client that sent the record waits for a response.
        return this.takeAll()
      } else if ((end === -1 ? bytes.length : end + 1) > MAX_LINE + 2) {
        if (end === -1) this.#skip()
        else this.#bytes = bytes.subarray(end + 1)
        return 'too long'
      } else if (end === -1) {
        // The incomplete line is copied, because its chunk may be much larger.
        this.#bytes = Buffer.from(bytes)
        return undefined
      } else {
        this.#bytes = bytes.subarray(end + 1)
        return bytes[end - 1] === CR ? bytes.subarray(0, end - 1) : 'bare newline'
      }
    }
    return undefined
  }

  /** Returns all input that has arrived, without splitting it into lines. */
  takeAll(): Buffer {
    this.hasNew = false
    const bytes = this.#bytes
    this.#bytes = NONE
    return bytes
  }

  #skip(): 'endless' | undefined {
    this.#skipped += this.takeAll().length
    return this.#skipped > MAX_SKIPPED ? 'endless' : undefined
  }
}
