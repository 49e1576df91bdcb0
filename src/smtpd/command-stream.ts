// What comes from a client, cut into command lines at CRLF alone, or fed to a message that is being received.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { LONGEST_LINE, TLS_HANDSHAKE } from './command-line.ts'

/** Where a message goes while it is received. */
export interface DataSink {
  /** Takes a chunk; returns what stands behind the end of the message once that has come. */
  push(chunk: Buffer): Buffer | undefined
}

/** A message under way, and what happens when it has ended. */
interface Receiver {
  readonly sink: DataSink
  readonly onEnd: (resume: () => void) => void
}

export interface CommandStreamEvents {
  /** A line without its CRLF. Nothing more is read until `resume` is called; so for the others. */
  onLine(line: Buffer, resume: () => void): void
  /** A line that ends in LF alone. Nothing more is read. */
  onBareNewline(): void
  /** A line longer than any may be. Told once, then the rest of it is skipped. */
  onTooLong(resume: () => void): void
  /** A line that goes on for ever. */
  onEndless(): void
  /** All that has come is read. */
  onRead(): void
}

const LF = 10
const CR = 13
const NONE = Buffer.alloc(0)
/** How much of an over-long line is skipped before its sender is given up on. */
const MOST_SKIPPED = 2 * 1024 * 1024
/** After so many lines of one chunk others get their turn. */
const LINES_A_TURN = 100

/**
 * Takes the place of the library's parser, which also ends a line at a bare LF, keeps 16 KiB of it and takes an
 * unfinished line for a command when the client goes away. Of its parent only what `SMTPConnection` touches is
 * used: `isClosed`, and being a `Writable` that the socket is piped into.
 */
export class CommandStream extends SMTPStream {
  readonly #events: CommandStreamEvents
  /** The beginning of a line whose end has not come. */
  #begun: Buffer = NONE
  /** Octets skipped of an over-long line; 0 when there is none. */
  #skipped = 0
  #sink: Receiver | undefined

  constructor(events: CommandStreamEvents) {
    super()
    this.#events = events
  }

  /** What follows goes to `sink`, until it says that the message has ended. */
  receive(sink: DataSink, onEnd: (resume: () => void) => void): void {
    this.#sink = { sink, onEnd }
  }

  override _write(
    chunk: Buffer,
    _encoding: BufferEncoding | 'buffer',
    next: (error?: Error | null) => void,
  ): void {
    this.#read(chunk)
      .finally(() => this.#events.onRead())
      .then(() => next(), next)
  }

  async #read(chunk: Buffer): Promise<void> {
    let rest: Buffer | undefined = chunk
    for (let lines = 1; rest !== undefined && rest.length > 0; lines++) {
      // Closed also when TLS begins: what was sent behind STARTTLS is dropped (RFC 3207 §5, CVE-2011-0411).
      if (this.isClosed) return
      rest = this.#sink === undefined ? await this.#readLine(rest) : await this.#readData(rest, this.#sink)
      if (lines % LINES_A_TURN === 0) await nextTurn()
    }
  }

  async #readData(chunk: Buffer, { sink, onEnd }: Receiver): Promise<Buffer | undefined> {
    const behind = sink.push(chunk)
    if (behind === undefined) return undefined
    this.#sink = undefined
    await new Promise<void>(onEnd)
    return behind
  }

  /** Reads one line and answers what follows it. */
  async #readLine(chunk: Buffer): Promise<Buffer | undefined> {
    const end = chunk.indexOf(LF)
    const part = end === -1 ? chunk : chunk.subarray(0, end + 1)
    const behind = end === -1 ? undefined : chunk.subarray(end + 1)
    if (this.#skipped > 0) {
      this.#skipped = end === -1 ? this.#skipped + part.length : 0
      if (this.#skipped > MOST_SKIPPED) this.#events.onEndless()
      return behind
    }
    const line = this.#begun.length === 0 ? part : Buffer.concat([this.#begun, part])
    this.#begun = NONE
    if (line[0] === TLS_HANDSHAKE) {
      // Whoever speaks TLS here waits for an answer, and his record need not have a line end.
      await new Promise<void>((resume) => this.#events.onLine(line, resume))
    } else if (line.length > LONGEST_LINE + 2) {
      if (end === -1) this.#skipped = line.length
      await new Promise<void>((resume) => this.#events.onTooLong(resume))
    } else if (end === -1) {
      // A copy: the chunk is much larger than a line that is waited for.
      this.#begun = Buffer.from(line)
    } else if (line.at(-2) !== CR) {
      this.isClosed = true
      this.#events.onBareNewline()
    } else {
      await new Promise<void>((resume) => this.#events.onLine(line.subarray(0, -2), resume))
    }
    return behind
  }
}
