// The log: one JSON line an event, never a secret.

import { pino } from 'pino'

/** What the parts log with; `child` adds fields to every line. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  debug(fields: object, message: string): void
  child(fields: object): Log
}

/** A log to standard error, so that standard output stays free for what a command prints. */
export function createLog(level: string): Log {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: 4 * 1024 * 1024 })
  // A full disk behind standard error must not end the process.
  destination.on('error', () => {})
  return pino(
    {
      level,
      base: null,
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
