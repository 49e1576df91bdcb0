// The line to another host: writes commands, collects as many replies as are due, keeps one deadline.

import type { Socket } from 'node:net'
import { type ParsedReply, ReplyParser } from './reply-parser.ts'
import { type DialogError, socketError } from './stage.ts'
import type { Transcript } from './transcript.ts'

const NONE: Promise<readonly ParsedReply[]> = Promise.resolve([])

/**
 * A socket seen as a dialog. Nothing here throws or rejects for what the host does: `listen` gives the replies
 * that came, and when they are fewer than asked for, `error` says why. Once `error` is set the socket is gone.
 */
export class Wire {
  transcript: Transcript
  /** Why the dialog is over; undefined while it lives. */
  error: DialogError | undefined
  /** The 421 by which the host announced that it closes (RFC 5321 §3.8). */
  closing: ParsedReply | undefined
  /** Whether everything written so far was handed to the system. */
  flushed = true
  /** When the host last said something, milliseconds of performance.now(). */
  heardAt = performance.now()
  #socket: Socket
  #parser = new ReplyParser()
  #wanted = 0
  #replies: ParsedReply[] = []
  #settle: ((replies: readonly ParsedReply[]) => void) | undefined
  #replyTimeout = 0
  /** For the last of several replies, where it has a time of its own. */
  #lastTimeout: number | undefined
  /** When the next reply (0: none), and when all wanted ones are due; milliseconds of performance.now(). */
  #deadline = 0
  #limit = 0
  #timer: NodeJS.Timeout | undefined
  #timerDue = 0

  constructor(socket: Socket, transcript: Transcript) {
    this.#socket = socket
    this.transcript = transcript
    this.attach(socket)
  }

  /** Writes text as it stands, in one piece. `shown` is what the transcript says instead, where a secret is in it. */
  say(text: string, shown = text): void {
    if (this.error !== undefined) return
    this.#socket.write(text)
    this.record(shown)
  }

  /** Puts command lines into the transcript that `write` will carry. */
  record(shown: string): void {
    if (this.error !== undefined) return
    for (let from = 0; from < shown.length; ) {
      const end = shown.indexOf('\r\n', from)
      this.transcript.sent(shown.slice(from, end < 0 ? undefined : end))
      if (end < 0) break
      from = end + 2
    }
  }

  /**
   * Waits for `count` replies, each within `timeoutMs`, all of them within `limitMs`; with `lastMs` the last one
   * has that time instead, from the one before it. Resolves with those that came. What the host says beyond them
   * is out of turn and ends the dialog.
   */
  listen(
    count: number,
    timeoutMs: number,
    limitMs = timeoutMs * count,
    lastMs?: number,
  ): Promise<readonly ParsedReply[]> {
    if (this.error !== undefined) return NONE
    this.#wanted = count
    this.#replies = []
    this.#replyTimeout = timeoutMs
    this.#lastTimeout = lastMs
    this.#limit = performance.now() + limitMs
    this.expectWithin(timeoutMs)
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Says one command line and waits for its reply. */
  async ask(line: string, timeoutMs: number, shown?: string): Promise<ParsedReply | undefined> {
    this.say(`${line}\r\n`, shown)
    return (await this.listen(1, timeoutMs))[0]
  }

  /** Writes pieces of data in one system call; `onFlushed` runs when the system has taken them, or failed to. */
  write(pieces: readonly Buffer[], onFlushed?: () => void): void {
    this.flushed = false
    if (this.error !== undefined) {
      onFlushed?.()
      return
    }
    const socket = this.#socket
    const last = pieces.length - 1
    socket.cork()
    for (let i = 0; i < last; i++) socket.write(pieces[i]!)
    socket.write(pieces[last]!, (error) => {
      if (error == null) this.flushed = true
      onFlushed?.()
    })
    socket.uncork()
  }

  /** Sets the deadline of the reply that is being waited for anew. */
  expectWithin(ms: number): void {
    if (this.#wanted === 0) return
    const now = performance.now()
    this.#deadline = Math.min(now + ms, this.#limit)
    // One timer lives through many deadlines: it is only set anew when it would come too late.
    if (this.#timer !== undefined && this.#timerDue <= this.#deadline) return
    this.#setTimer(now)
  }

  /** Ends the dialog for this reason, unless it is over already. */
  fail(error: DialogError): void {
    if (this.error !== undefined) return
    this.error = error
    this.#stopWaiting()
    clearTimeout(this.#timer)
    this.#socket.destroy()
    const settle = this.#settle
    this.#settle = undefined
    if (settle === undefined) return
    this.transcript.note(error.message)
    settle(this.#replies)
  }

  /** Hands the socket over (to TLS); `attach` continues on the one that came of it. */
  detach(): Socket {
    const socket = this.#socket
    socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close')
    socket.removeAllListeners('error').on('error', () => {})
    return socket
  }

  attach(socket: Socket): void {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#onData(chunk))
    socket.on('error', (error) => this.fail(socketError(error)))
    socket.on('end', () => this.fail({ code: 'closed', message: 'The host closed the connection' }))
    socket.on('close', () => this.fail({ code: 'closed', message: 'The connection was closed' }))
  }

  #onData(chunk: Buffer): void {
    if (this.error !== undefined) return
    this.heardAt = performance.now()
    if (this.#wanted === 0) {
      // A 421 at the end of the host's patience, or a reply nobody asked for: either way it cannot be trusted.
      this.fail({ code: 'protocol', message: 'The host spoke out of turn' })
      return
    }
    const parser = this.#parser
    parser.push(chunk)
    while (this.#wanted > 0) {
      const parsed = parser.take()
      if (parsed === undefined) break
      this.#take(parsed)
    }
    if (parser.problem !== undefined) {
      this.fail({ code: 'protocol', message: `The host sent ${parser.problem}` })
    } else if (this.#wanted === 0) {
      this.#finish()
    }
  }

  #take(parsed: ParsedReply): void {
    this.transcript.received(parsed.reply.code, parsed.lines)
    this.#replies.push(parsed)
    this.#wanted--
    if (parsed.reply.code === 421) this.closing ??= parsed
    if (this.#wanted === 1 && this.#lastTimeout !== undefined) {
      this.#limit = Number.POSITIVE_INFINITY
      this.expectWithin(this.#lastTimeout)
    } else if (this.#wanted > 0) {
      this.expectWithin(this.#replyTimeout)
    }
  }

  #finish(): void {
    this.#stopWaiting()
    const settle = this.#settle
    this.#settle = undefined
    // More than was asked for in the same breath: CVE-2021-38371 after STARTTLS, out of step anywhere else.
    if (!this.#parser.isEmpty) {
      this.transcript.note('The host sent more than was asked for')
      this.fail({ code: 'protocol', message: 'The host sent more than was asked for' })
    }
    settle?.(this.#replies)
  }

  #stopWaiting(): void {
    this.#wanted = 0
    this.#deadline = 0
  }

  #setTimer(now: number): void {
    clearTimeout(this.#timer)
    this.#timerDue = this.#deadline
    this.#timer = setTimeout(() => this.#onTimer(), this.#deadline - now)
    this.#timer.unref()
  }

  #onTimer(): void {
    this.#timer = undefined
    if (this.#deadline === 0) return
    const now = performance.now()
    if (now < this.#deadline) this.#setTimer(now)
    else this.fail({ code: 'timeout', message: 'The host did not answer in time' })
  }
}
