// The log: one JSON line an event, never a secret, and the same error once a minute.

import { pino } from 'pino'
import { systemClock } from './clock.ts'
import { LineLimit } from './line-limit.ts'

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
  const destination = pino.destination({ dest: 2, sync: false, maxLength: 4 * 1024 * 1024 })
  // A full disk behind standard error must not end the process.
  destination.on('error', () => {})
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
    destination,
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
