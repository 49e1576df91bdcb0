// The log: one JSON line per event, never a secret, and the same error once a minute.

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
