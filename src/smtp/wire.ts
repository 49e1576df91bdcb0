// The line to another host: writes commands, collects as many replies as are due, keeps one deadline.

import type { Socket } from 'node:net'
import { type ParsedReply, ReplyParser } from './reply-parser.ts'
import { type DialogError, socketError } from './stage.ts'
import type { Transcript } from './transcript.ts'

/** A shorter round trip is not worth writing ahead of: it is over before much else could be done. */
const NEAR_MS = 5
const NONE: Promise<readonly ParsedReply[]> = Promise.resolve([])

/** Bytes on their way out. */
export interface Written {
  /** The system has taken all of the bytes. */
  flushed: boolean
}

/** Replies that are due together. */
interface Awaited {
  /** Those still missing. */
  wanted: number
  readonly replies: ParsedReply[]
  readonly timeoutMs: number
  /** For the last of several replies, where it has a time of its own. */
  readonly lastMs: number | undefined
  readonly limitMs: number
  /** Until when all of them are due, once those before have come; milliseconds of performance.now(). */
  limit: number
  readonly transcript: Transcript
  readonly settle: (replies: readonly ParsedReply[]) => void
}

/**
 * A socket seen as a dialog. Nothing here throws or rejects for what the host does: `expect` gives the replies
 * that came, and when they are fewer than asked for, `error` says why. Once `error` is set the socket is gone.
 */
export class Wire {
  /** Takes down what is written from now on, and the replies to it. */
  transcript: Transcript
  /** Reason why the dialog is over; undefined while it lives. */
  error: DialogError | undefined
  /** The 421 by which the host announced that it closes (RFC 5321 §3.8). */
  closing: ParsedReply | undefined
  /** Time of the last bytes from the host, milliseconds of performance.now(). */
  heardAt = performance.now()
  /** The shortest time in which the host has answered, in milliseconds: the way there and back, and little else. */
  roundTripMs = Number.POSITIVE_INFINITY
  /** Round trips under this are waited for, in milliseconds. */
  nearMs = NEAR_MS
  /** Time that the host usually takes for its answer to a message, in milliseconds: low until several were late. */
  usualAnswerMs = 0
  /** Time at which the reply that comes next was asked for, with nothing before it; 0: its time says nothing. */
  #askedAt = 0
  #socket: Socket
  #parser = new ReplyParser()
  #greeted = false
  #whenOver: (() => void) | undefined
  /** Replies that are awaited, in the order in which they will come. */
  readonly #awaited: Awaited[] = []
  /** Time at which the next reply is due; 0: none; milliseconds of performance.now(). */
  #deadline = 0
  #timer: NodeJS.Timeout | undefined
  #timerDue = 0

  constructor(socket: Socket, transcript: Transcript) {
    this.#socket = socket
    this.transcript = transcript
    this.attach(socket)
    if (socket.destroyed) this.fail({ code: 'closed', message: 'The connection was closed' })
  }

  /** True if answers come so soon that they are waited for. */
  get isNear(): boolean {
    return this.roundTripMs < this.nearMs
  }

  /** Writes text as it stands, in one piece. `shown` is what the transcript says instead, where a secret is in it. */
  write(text: string, shown = text): void {
    if (this.error !== undefined) return
    this.#socket.write(text)
    this.record(shown)
  }

  /** Puts command lines into the transcript that `writeData` will send. */
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
   * has that time instead, from the one before it. Resolves with those that came. May be called again before they
   * have come: what was written after them is answered after them, and its times begin then (RFC 2920 §3.1). What
   * the host says beyond all that is out of turn and ends the dialog.
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
      // The greeting comes unasked.
      if (this.#greeted) this.#askedAt = performance.now()
      this.#greeted = true
    })
  }

  /** Says one command line and waits for its reply. */
  async command(line: string, timeoutMs: number, shown?: string): Promise<ParsedReply | undefined> {
    this.write(`${line}\r\n`, shown)
    return (await this.expect(1, timeoutMs))[0]
  }

  /** Writes pieces of data in one system call; `onFlushed` runs when the system has taken them, or failed to. */
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

  /** Sets the deadline of the reply that is being waited for anew. */
  setDeadline(ms: number): void {
    const [next] = this.#awaited
    if (next === undefined) return
    const now = performance.now()
    this.#deadline = Math.min(now + ms, next.limit)
    // One timer lives through many deadlines: it is only set anew when it would come too late.
    if (this.#timer !== undefined && this.#timerDue <= this.#deadline) return
    this.#setTimer(now)
  }

  /** Calls `told` once when the dialog is over. */
  whenOver(told: () => void): void {
    if (this.error === undefined) this.#whenOver = told
    else told()
  }

  /** Ends the dialog for this reason, unless it is over already. */
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
    if (this.#awaited.length === 0) {
      // A 421 at the end of the host's patience, or an unsolicited reply: either way it cannot be trusted.
      this.fail({ code: 'protocol', message: 'The host spoke out of turn' })
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
    // More than was asked for in the same breath: CVE-2021-38371 after STARTTLS, out of step anywhere else.
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
