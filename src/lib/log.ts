// The log: one JSON line per event, without secrets; the same error is logged at most once a minute.

import { hash } from 'node:crypto'
import { write, writeSync } from 'node:fs'
import { pino } from 'pino'
import { type Clock, systemClock } from './clock.ts'

/** A logger; `child` returns a logger that adds fields to every line. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  debug(fields: object, message: string): void
  child(fields: object): Log
}

/**
 * Opens a log on standard error, so that standard output stays free for results of commands. Lines about the same error
 * are logged once a minute, with the number of omitted lines as `repeated`.
 */
export function createLog(level: string): Log {
  const limit = new LineLimit(systemClock)
  return pino(
    {
      level,
      base: null,
      hooks: {
        logMethod(line, method) {
          const [fields, message] = line as [{ readonly err?: unknown }, string | undefined]
          const cause = fields?.err
          const words = `${message} ${(cause as Error | undefined)?.message ?? cause}`
          const again = (repeated: number): void => method.call(this, { err: cause, repeated }, message)
          if (cause === undefined || limit.pass(words, again)) method.apply(this, line)
        },
      },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    new LogOutput(2),
  )
}

/** A log that drops all lines, for tests and tools. */
export const silentLog: Log = {
  info() {},
  warn() {},
  error() {},
  debug() {},
  child: () => silentLog,
}

const WINDOW_MS = 60_000
/** Maximum number of distinct errors whose repetitions are counted; a new error replaces the oldest error. */
const MAX_KEYS = 256

interface Repeated {
  count: number
  readonly cancel: () => void
}

/** Limits how often lines with the same text are logged. */
export class LineLimit {
  readonly #clock: Clock
  readonly #byKey = new Map<string, Repeated>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns true for the first line with this text, and false for repetitions within a minute. Calls `tell` after the
   * minute with the number of omitted lines, and begins another minute, if lines were omitted.
   */
  pass(words: string, tell: (repeated: number) => void): boolean {
    // The key is a hash, because the text of an error may be long and may come from an unknown client.
    const key = hash('sha256', words)
    const known = this.#byKey.get(key)
    if (known !== undefined) {
      known.count++
      return false
    }
    const [oldest] = this.#byKey.keys()
    if (this.#byKey.size >= MAX_KEYS && oldest !== undefined) {
      this.#byKey.get(oldest)?.cancel()
      this.#byKey.delete(oldest)
    }
    this.#begin(key, tell)
    return true
  }

  #begin(key: string, tell: (repeated: number) => void): void {
    const cancel = this.#clock.after(WINDOW_MS, () => {
      const { count = 0 } = this.#byKey.get(key) ?? {}
      this.#byKey.delete(key)
      if (count === 0) return
      this.#begin(key, tell)
      tell(count)
    })
    this.#byKey.set(key, { count: 0, cancel })
  }
}

/** Maximum number of characters that wait for output; further lines are dropped. */
const MAX_WAITING = 4 * 1024 * 1024
/** Pause before the next write to a full pipe, in milliseconds. */
const FULL_MS = 100
/** Maximum number of pauses for a full pipe while the process is ending. */
const MAX_PAUSES = 10

/**
 * Writes lines to a file descriptor. Lines that could not be written are tried again with the next line, because space
 * may have become free on a full disk. A failed write neither ends the process nor keeps the process alive.
 */
export class LogOutput {
  readonly #fd: number
  #lines: string[] = []
  #waiting = 0
  /** Encoded bytes that are not written yet. */
  #rest: Buffer | undefined
  #isInFlight = false
  #pause: NodeJS.Timeout | undefined

  constructor(fd: number) {
    this.#fd = fd
    process.on('exit', () => this.flush())
  }

  write(line: string): void {
    if (this.#waiting + line.length > MAX_WAITING) return
    this.#lines.push(line)
    this.#waiting += line.length
    if (!this.#isInFlight && this.#pause === undefined) this.#writeNext()
  }

  /**
   * Writes waiting lines synchronously until the output accepts no more lines; a pending asynchronous write is left to
   * the system.
   */
  flush(): void {
    if (this.#isInFlight) this.#rest = undefined
    let pauses = 0
    for (;;) {
      const part = this.#next()
      if (part === undefined) return
      try {
        this.#wrote(part, writeSync(this.#fd, part))
      } catch (error) {
        if (!isFullForNow(error) || ++pauses > MAX_PAUSES) return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_MS)
      }
    }
  }

  #next(): Buffer | undefined {
    if (this.#rest === undefined && this.#lines.length > 0) {
      this.#rest = Buffer.from(this.#lines.join(''))
      this.#lines = []
      this.#waiting = 0
    }
    return this.#rest
  }

  #wrote(part: Buffer, bytes: number): void {
    this.#rest = bytes < part.length ? part.subarray(bytes) : undefined
  }

  readonly #writeNext = (): void => {
    this.#pause = undefined
    const part = this.#next()
    if (part === undefined) return
    this.#isInFlight = true
    write(this.#fd, part, (error, bytes) => {
      this.#isInFlight = false
      if (error === null) {
        this.#wrote(part, bytes)
        this.#writeNext()
      } else if (isFullForNow(error)) {
        this.#pause = setTimeout(this.#writeNext, FULL_MS).unref()
      }
    })
  }
}

/** True if a write failed because the reader of a pipe is too slow. */
const isFullForNow = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'
