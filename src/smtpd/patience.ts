// How much of a client's noise is borne before its connection is closed.

import type { SmtpLimits } from './limits.ts'

type Bounds = Pick<SmtpLimits, 'malformedLines' | 'fruitlessCommands' | 'fruitlessCommandsBeforeLogin'>

/** Commands that by themselves bring no message nearer. */
const IDLE = new Set(['NOOP', 'RSET', 'HELP', 'VRFY', 'EXPN', 'EHLO', 'HELO'])

/** Counts for one connection; an accepted message makes up for all before it. */
export class Patience {
  readonly #bounds: Bounds
  #malformed = 0
  #fruitless = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** A line that is no command; false when it was one too many. */
  bearsMalformed(): boolean {
    return ++this.#malformed < this.#bounds.malformedLines
  }

  /** A command; false when too many before it brought nothing. */
  bears(verb: string, loggedIn: boolean): boolean {
    if (IDLE.has(verb)) this.#fruitless++
    const { fruitlessCommands, fruitlessCommandsBeforeLogin } = this.#bounds
    return this.#fruitless <= (loggedIn ? fruitlessCommands : fruitlessCommandsBeforeLogin)
  }

  /** A command was refused for good. */
  refused(): void {
    this.#fruitless++
  }

  restore(): void {
    this.#malformed = 0
    this.#fruitless = 0
  }
}
