// The log: one JSON line per event, never a secret, and the same error once a minute.

import { hash } from 'node:crypto'
import { write, writeSync } from 'node:fs'
import { pino } from 'pino'
import { type Clock, systemClock } from './clock.ts'

/** Logger of the parts; `child` adds fields to every line. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  debug(fields: object, message: string): void
  child(fields: object): Log
}

/**
 * Opens a log on standard error, so that standard output stays free for results of commands. Lines about the same
 * error are logged once a minute, with the number of omitted ones as `repeated`.
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

/** A log that drops everything, for tests and tools. */
export const silentLog: Log = {
  info() {},
  warn() {},
  error() {},
  debug() {},
  child: () => silentLog,
}

const WINDOW_MS = 60_000
/** Maximum number of distinct errors; the oldest makes room. */
const MAX_KEYS = 256

interface Repeated {
  count: number
  readonly cancel: () => void
}

/** Counts lines by their text. */
export class LineLimit {
  readonly #clock: Clock
  readonly #byKey = new Map<string, Repeated>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * True if a line is logged now: the first with its words, and then none for a minute. After the minute `tell` is
   * called with the number of omitted lines, if there were any, and another minute begins.
   */
  pass(words: string, tell: (repeated: number) => void): boolean {
    // The words of an error may be long, and written by a stranger.
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

/** Maximum waiting characters; further lines are dropped. */
const MAX_WAITING = 4 * 1024 * 1024
/** Pause before a full reader is tried again, in milliseconds. */
const FULL_MS = 100
/** Maximum pauses of an ending process. */
const MAX_PAUSES = 10

/**
 * Writes lines to a file descriptor. Lines that cannot be written wait for the next line: a full disk may get space,
 * a closed terminal does not, and neither ends the process or prevents its end.
 */
export class LogOutput {
  readonly #fd: number
  #lines: string[] = []
  #waiting = 0
  /** Bytes taken from the lines that are not written yet. */
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

  /** Writes waiting lines synchronously, as far as there is space; writes under way are left to the system. */
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

/** True if the reader of a pipe is too slow. */
const isFullForNow = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'
