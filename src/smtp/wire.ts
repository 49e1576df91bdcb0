// The socket to another mail host: writes commands, collects the replies, and keeps one deadline.

import type { Socket } from 'node:net'
import { type ParsedReply, ReplyParser } from './reply-parser.ts'
import { type DialogError, socketError } from './stage.ts'
import type { Transcript } from './transcript.ts'

/**
 * Round-trip time, in milliseconds, below which a host is near: sending ahead of the replies of a near host gains
 * nothing.
 */
const NEAR_MS = 5
const NONE: Promise<readonly ParsedReply[]> = Promise.resolve([])

/** Progress of a write to the socket. */
export interface Written {
  /** True when the operating system has taken all of the bytes. */
  flushed: boolean
}

/** Replies that are due together. */
interface Awaited {
  /** Number of replies still missing. */
  wanted: number
  readonly replies: ParsedReply[]
  readonly timeoutMs: number
  /** Timeout of the last of several replies, if different from `timeoutMs`. */
  readonly lastMs: number | undefined
  readonly limitMs: number
  /**
   * Time by which all these replies are due, in milliseconds of performance.now(); set when all earlier replies have
   * arrived.
   */
  limit: number
  readonly transcript: Transcript
  readonly settle: (replies: readonly ParsedReply[]) => void
}

/**
 * A dialog over a socket. No method throws or rejects because of the host's behaviour: `expect` returns the replies
 * that arrived, and `error` holds the reason why other replies are missing. The socket is destroyed once `error` is
 * set.
 */
export class Wire {
  /** Transcript of the commands written from now on, and of the replies to these commands. */
  transcript: Transcript
  /** Reason why the dialog is over; undefined during the dialog. */
  error: DialogError | undefined
  /** The 421 reply by which the host announced the end of the connection (RFC 5321 §3.8). */
  closing: ParsedReply | undefined
  /** Time of the last bytes from the host, in milliseconds of performance.now(). */
  heardAt = performance.now()
  /** Shortest reply time of the host, in milliseconds; this time is close to the round-trip time. */
  roundTripMs = Number.POSITIVE_INFINITY
  /** Round-trip time, in milliseconds, below which the host counts as near. */
  nearMs = NEAR_MS
  /** Usual reply time of the host to a message, in milliseconds; stays low until several replies were late. */
  usualAnswerMs = 0
  /**
   * Time of the command that the next reply answers, if no earlier command was pending; 0 if the reply is not timed.
   */
  #askedAt = 0
  #socket: Socket
  #parser = new ReplyParser()
  #greeted = false
  #whenOver: (() => void) | undefined
  /** Awaited replies, in the order in which they will arrive. */
  readonly #awaited: Awaited[] = []
  /** Time at which the next reply is due, in milliseconds of performance.now(); 0 if no reply is due. */
  #deadline = 0
  #timer: NodeJS.Timeout | undefined
  #timerDue = 0

  constructor(socket: Socket, transcript: Transcript) {
    this.#socket = socket
    this.transcript = transcript
    this.attach(socket)
    if (socket.destroyed) this.fail({ code: 'closed', message: 'The connection was closed' })
  }

  /** True if replies come so soon that waiting for them is cheaper than sending ahead. */
  get isNear(): boolean {
    return this.roundTripMs < this.nearMs
  }

  /** IP address of the host; empty if the connection was never open. */
  get peer(): string {
    return this.#socket.remoteAddress ?? ''
  }

  /** Writes text unchanged, in one piece. The transcript contains `shown` in place of a text that contains a secret. */
  write(text: string, shown = text): void {
    if (this.error !== undefined) return
    this.#socket.write(text)
    this.record(shown)
  }

  /** Records command lines that `writeData` is about to send. */
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
   * Waits for `count` replies, each within `timeoutMs`, all within `limitMs`; `lastMs` is a timeout for the last reply
   * alone. Resolves with the replies that arrived. May be called again before all replies have arrived: the timeouts of
   * the later replies begin after the earlier replies (RFC 2920 §3.1). Any bytes beyond the expected replies end the
   * dialog.
   */
  expect(
    count: number,
    timeoutMs: number,
    limitMs = timeoutMs * count,
    lastMs?: number,
  ): Promise<readonly ParsedReply[]> {
    if (this.error !== undefined) return NONE
    const { transcript } = this
    return new Promise((settle) => {
      this.#awaited.push({
        wanted: count,
        replies: [],
        ...{ timeoutMs, lastMs, limitMs, limit: 0, transcript, settle },
      })
      if (this.#awaited.length > 1) return
      this.#expectNext()
      // The greeting answers no command.
      if (this.#greeted) this.#askedAt = performance.now()
      this.#greeted = true
    })
  }

  /** Sends one command line and waits for its reply. */
  async command(line: string, timeoutMs: number, shown?: string): Promise<ParsedReply | undefined> {
    this.write(`${line}\r\n`, shown)
    return (await this.expect(1, timeoutMs))[0]
  }

  /**
   * Writes pieces of data in one system call; `onFlushed` runs when the operating system has taken the pieces, or when
   * the write has failed.
   */
  writeData(pieces: readonly Buffer[], onFlushed?: () => void): Written {
    const written = { flushed: false }
    if (this.error !== undefined) {
      onFlushed?.()
      return written
    }
    const socket = this.#socket
    const last = pieces.length - 1
    socket.cork()
    for (let i = 0; i < last; i++) socket.write(pieces[i]!)
    socket.write(pieces[last]!, (error) => {
      if (error == null) written.flushed = true
      onFlushed?.()
    })
    socket.uncork()
    return written
  }

  /** Restarts the deadline of the reply that is awaited. */
  setDeadline(ms: number): void {
    const [next] = this.#awaited
    if (next === undefined) return
    const now = performance.now()
    this.#deadline = Math.min(now + ms, next.limit)
    // The timer is reset only when it would fire too late; a timer that fires early checks the deadline again.
    if (this.#timer !== undefined && this.#timerDue <= this.#deadline) return
    this.#setTimer(now)
  }

  /** Calls `report` once when the dialog is over. */
  whenOver(report: () => void): void {
    if (this.error === undefined) this.#whenOver = report
    else report()
  }

  /** Ends the dialog for this reason, unless the dialog is already over. */
  fail(error: DialogError): void {
    if (this.error !== undefined) return
    this.error = error
    this.#deadline = 0
    clearTimeout(this.#timer)
    this.#socket.destroy()
    for (const { transcript, settle, replies } of this.#awaited.splice(0)) {
      transcript.note(error.message)
      settle(replies)
    }
    this.#whenOver?.()
  }

  /** Detaches the socket, to be wrapped in TLS; `attach` continues with the wrapped socket. */
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
    if (this.#awaited.length === 0) {
      // The dialog is out of step after a reply without a pending command, such as a 421 reply of an impatient host.
      this.fail({ code: 'protocol', message: 'The host sent a reply without a command' })
      return
    }
    const parser = this.#parser
    parser.push(chunk)
    if (this.#askedAt > 0) this.roundTripMs = Math.min(this.roundTripMs, this.heardAt - this.#askedAt)
    this.#askedAt = 0
    for (let [next] = this.#awaited; next !== undefined; next = this.#awaited[0]) {
      const parsed = parser.take()
      if (parsed === undefined) break
      this.#take(parsed, next)
    }
    if (parser.problem !== undefined) {
      this.fail({ code: 'protocol', message: `The host sent ${parser.problem}` })
    }
  }

  #take(parsed: ParsedReply, awaited: Awaited): void {
    awaited.transcript.received(parsed.reply.code, parsed.lines)
    awaited.replies.push(parsed)
    awaited.wanted--
    if (parsed.reply.code === 421) this.closing ??= parsed
    if (awaited.wanted === 0) {
      this.#finish(awaited)
    } else if (awaited.wanted === 1 && awaited.lastMs !== undefined) {
      awaited.limit = Number.POSITIVE_INFINITY
      this.setDeadline(awaited.lastMs)
    } else {
      this.setDeadline(awaited.timeoutMs)
    }
  }

  #finish({ transcript, settle, replies }: Awaited): void {
    this.#awaited.shift()
    this.#expectNext()
    // Bytes after the expected replies in the same read are an attack if the replies follow STARTTLS (CVE-2021-38371),
    // and otherwise mean that the dialog is out of step.
    if (this.#awaited.length === 0 && !this.#parser.isEmpty) {
      transcript.note('The host sent more than was asked for')
      this.fail({ code: 'protocol', message: 'The host sent more than was asked for' })
    }
    settle(replies)
  }

  #expectNext(): void {
    const [next] = this.#awaited
    this.#deadline = 0
    if (next === undefined) return
    next.limit = performance.now() + next.limitMs
    this.setDeadline(next.timeoutMs)
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
