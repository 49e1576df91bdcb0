// The error limits of one connection: how many faulty or fruitless commands are borne before it is closed.

import type { SmtpLimits } from './limits.ts'

type Bounds = Pick<SmtpLimits, 'malformedLines' | 'fruitlessCommands' | 'fruitlessCommandsBeforeLogin'>

/** Commands that by themselves bring no message nearer. */
const IDLE = new Set(['NOOP', 'RSET', 'HELP', 'VRFY', 'EXPN', 'EHLO', 'HELO'])

/** Counts for one connection; an accepted message makes up for all before it. */
export class ErrorLimits {
  readonly #bounds: Bounds
  #malformed = 0
  #fruitless = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Counts a line that is no command; false when it was one too many. */
  allowsMalformed(): boolean {
    return ++this.#malformed < this.#bounds.malformedLines
  }

  /** Counts a command; false when too many before it brought nothing. */
  allows(verb: string, loggedIn: boolean): boolean {
    if (IDLE.has(verb)) this.#fruitless++
    const { fruitlessCommands, fruitlessCommandsBeforeLogin } = this.#bounds
    return this.#fruitless <= (loggedIn ? fruitlessCommands : fruitlessCommandsBeforeLogin)
  }

  /** Counts a command that was refused for good. */
  refused(): void {
    this.#fruitless++
  }

  /** Forgets what was counted. */
  reset(): void {
    this.#malformed = 0
    this.#fruitless = 0
  }
}
