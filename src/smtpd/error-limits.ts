// The error limits of one connection: malformed and junk commands that are borne before it is closed.

import type { SmtpLimits } from './limits.ts'

type Bounds = Pick<SmtpLimits, 'malformedLines' | 'junkCommands' | 'junkCommandsBeforeLogin'>

/** Commands that by themselves bring no message nearer. */
const IDLE = new Set(['NOOP', 'RSET', 'HELP', 'VRFY', 'EXPN', 'EHLO', 'HELO'])

/** Counts for one connection; an accepted message makes up for all before it. */
export class ErrorLimits {
  readonly #bounds: Bounds
  #malformed = 0
  #junk = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Counts a line that is no command; false when it was one too many. */
  allowsMalformed(): boolean {
    return ++this.#malformed < this.#bounds.malformedLines
  }

  /** Counts a command; false when too many before it brought nothing. */
  allows(verb: string, loggedIn: boolean): boolean {
    if (IDLE.has(verb)) this.#junk++
    const { junkCommands, junkCommandsBeforeLogin } = this.#bounds
    return this.#junk <= (loggedIn ? junkCommands : junkCommandsBeforeLogin)
  }

  /** Counts a command that was refused for good. */
  refused(): void {
    this.#junk++
  }

  /** Forgets what was counted. */
  reset(): void {
    this.#malformed = 0
    this.#junk = 0
  }
}
