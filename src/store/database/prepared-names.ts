// The names of prepared statements on one connection to PostgreSQL: a bounded number, of which the least used make room.

/** Names that one connection holds at most. What decides it is in docs/decisions/0044-names-by-use.md. */
export const MAX_NAMES = 256
/** Longest text of a named statement, in characters: the plan of a longer one takes more memory than making it again takes time. */
const MAX_NAMED_TEXT = 4_096
/** Uses that count for a statement: each saves it once from making room. PostgreSQL bounds those of its buffers alike. */
const MAX_USES = 5

/** A statement that is prepared under this name, or is about to be. */
export interface NamedStatement {
  readonly name: string
  /** The server has answered that it is prepared. */
  isParsed: boolean
  uses: number
}

/**
 * The prepared statements of one connection, by their texts. Each text is prepared at its first use; when all names are
 * taken, the clock sweep that PostgreSQL runs over its buffers chooses the one that is closed. So no statement depends on
 * those that ran before it, and texts that come once do not displace those that come again and again.
 */
export class PreparedNames {
  readonly #close: (name: string) => void
  /** In the order in which the sweep meets them. */
  readonly #byText = new Map<string, NamedStatement>()
  #made = 0

  /** @param close closes a prepared statement on the server, behind all that was sent and ahead of what is sent next */
  constructor(close: (name: string) => void) {
    this.#close = close
  }

  get size(): number {
    return this.#byText.size
  }

  /**
   * Returns the statement under whose name this text is sent; undefined when it is sent without a name. The latter holds
   * also until the server has prepared it: that may fail, as in a transaction that is aborted, and would fail all that
   * were sent behind it.
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

  /** Closes a statement whose state on the server is not known; its text gets another name. */
  forget(text: string, statement: NamedStatement): void {
    if (this.#byText.get(text) !== statement) return
    this.#byText.delete(text)
    this.#close(statement.name)
  }

  /** Closes the first statement that was not used since the last sweeps. False when all names wait for their first answer. */
  #makeRoom(): boolean {
    // What is set again comes once more, at the end.
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
