// The error limits of one connection: malformed and junk commands that are tolerated before it is closed.

import type { SmtpLimits } from './limits.ts'

type Bounds = Pick<SmtpLimits, 'malformedLines' | 'junkCommands' | 'junkCommandsBeforeLogin'>

/** Commands that by themselves do not advance a message. */
const IDLE = new Set(['NOOP', 'RSET', 'HELP', 'VRFY', 'EXPN', 'EHLO', 'HELO'])

/** Counts for one connection; an accepted message clears the counts. */
export class ErrorLimits {
  readonly #bounds: Bounds
  #malformed = 0
  #junk = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Counts a line that is no command; false when the limit is exceeded. */
  allowsMalformed(): boolean {
    return ++this.#malformed < this.#bounds.malformedLines
  }

  /** Counts a command; false after too many junk commands. */
  allows(verb: string, loggedIn: boolean): boolean {
    if (IDLE.has(verb)) this.#junk++
    const { junkCommands, junkCommandsBeforeLogin } = this.#bounds
    return this.#junk <= (loggedIn ? junkCommands : junkCommandsBeforeLogin)
  }

  /** Counts a command that was refused permanently. */
  refused(): void {
    this.#junk++
  }

  /** Clears the counts. */
  reset(): void {
    this.#malformed = 0
    this.#junk = 0
  }
}
