// The number of files that the system lets this process have open, sockets among them.

import { readFileSync } from 'node:fs'

/** The limit; undefined where there is none, or the system does not tell. Linux: proc_pid_limits(5). */
export function maxOpenFiles(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
