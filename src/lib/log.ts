// The log: one JSON line an event, never a secret, and the same error once a minute.

import { hash } from 'node:crypto'
import { pino } from 'pino'
import { type Clock, systemClock } from './clock.ts'
import { LogOutput } from './log-output.ts'

/** Logger of the parts; `child` adds fields to every line. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  debug(fields: object, message: string): void
  child(fields: object): Log
}

/**
 * Opens a log to standard error, so that standard output stays free for what a command prints. Lines that tell of the
 * same error in the same words come once a minute, with the number of those in between as `repeated`.
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
/** Errors that are told apart at a time; the one that began first makes room. */
const MAX_KEYS = 256

interface Repeated {
  count: number
  readonly cancel: () => void
}

/** Counts lines by their words. */
export class LineLimit {
  readonly #clock: Clock
  readonly #byKey = new Map<string, Repeated>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * True if a line is logged now: the first with its words, and then none for a minute. At its end `tell` is called
   * with the number of those that were left out, if there were any, and another minute begins.
   */
  pass(words: string, tell: (repeated: number) => void): boolean {
    // Words of an error may be long, and those of a stranger.
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
