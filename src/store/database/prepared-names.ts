// Names of prepared statements on one connection to PostgreSQL: their number is bounded, and the least used statement
// makes room.

/** Maximum number of names on one connection; docs/decisions/0044-names-by-use.md has the reasons. */
export const MAX_NAMES = 256
/**
 * Maximum length of a named statement in characters: planning a longer statement again costs less time than keeping its
 * plan costs memory.
 */
const MAX_NAMED_TEXT = 4_096
/**
 * Maximum number of uses that count: each use saves a statement once from making room. PostgreSQL bounds the uses of
 * its buffers in the same way.
 */
const MAX_USES = 5

/** A statement that is prepared under this name, or is about to be. */
export interface NamedStatement {
  readonly name: string
  /** True once the server has confirmed that the statement is prepared. */
  isParsed: boolean
  uses: number
}

/**
 * The prepared statements of one connection, by text. Each text is prepared at its first use; when all names are taken,
 * the clock sweep that PostgreSQL uses for its buffers selects the statement to close. A statement therefore does not
 * depend on the ones that ran before it, and texts that run once do not displace texts that run repeatedly.
 */
export class PreparedNames {
  readonly #close: (name: string) => void
  /** In the order of the sweep. */
  readonly #byText = new Map<string, NamedStatement>()
  #made = 0

  /**
   * @param close closes a prepared statement on the server, after everything sent before and before everything sent
   * later
   */
  constructor(close: (name: string) => void) {
    this.#close = close
  }

  get size(): number {
    return this.#byText.size
  }

  /**
   * Returns the statement under whose name this text is sent; undefined when the text is sent without a name. A text is
   * also sent without a name until the server has prepared it: preparing may fail, as in an aborted transaction, and
   * would fail all uses sent after it.
   */
  take(text: string): NamedStatement | undefined {
    const known = this.#byText.get(text)
    if (known !== undefined) {
      if (known.uses < MAX_USES) known.uses++
      return known.isParsed ? known : undefined
    }
    if (text.length > MAX_NAMED_TEXT || !/^\s*(select|with|insert|update|delete)/.test(text)) return undefined
    if (this.#byText.size >= MAX_NAMES && !this.#makeRoom()) return undefined
    const made = { name: `s${this.#made++}`, isParsed: false, uses: 0 }
    this.#byText.set(text, made)
    return made
  }

  /** Closes a statement whose state on the server is unknown; its text gets another name. */
  forget(text: string, statement: NamedStatement): void {
    if (this.#byText.get(text) !== statement) return
    this.#byText.delete(text)
    this.#close(statement.name)
  }

  /**
   * Closes the first statement without a use since the last sweeps. False when all names wait for their first answer.
   */
  #makeRoom(): boolean {
    // An entry that is set again moves to the end, so the loop meets it once more.
    for (const [text, statement] of this.#byText) {
      if (!statement.isParsed) continue
      if (statement.uses === 0) {
        this.forget(text, statement)
        return true
      }
      statement.uses--
      this.#byText.delete(text)
      this.#byText.set(text, statement)
    }
    return false
  }
}
