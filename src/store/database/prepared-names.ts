// Names of prepared statements on one PostgreSQL connection: the number of names is limited, and the least used
// statement is closed to make room.

/**
 * Maximum number of prepared statement names on one connection; docs/decisions/0044-names-by-use.md explains the value.
 */
export const MAX_NAMES = 256
/**
 * Maximum length of a named statement, in characters: the memory for the plan of a longer statement is not worth the
 * time saved by keeping the plan.
 */
const MAX_NAMED_TEXT = 4_096
/**
 * Maximum use count of a statement. Each counted use saves the statement once from being closed. PostgreSQL limits the
 * use counts of its buffers in the same way.
 */
const MAX_USES = 5

/** A statement that is or will be prepared under this name. */
export interface NamedStatement {
  readonly name: string
  /** True once the server has confirmed that the statement is prepared. */
  isParsed: boolean
  uses: number
}

/**
 * The prepared statements of one connection, by text. Each text is prepared at its first use. The clock sweep that
 * PostgreSQL uses for its buffers selects the statement to close when all names are in use. The preparation of a
 * statement therefore does not depend on earlier statements, and texts that run once do not displace texts that run
 * repeatedly.
 */
export class PreparedNames {
  readonly #close: (name: string) => void
  /** Named statements by text, in the order of the clock sweep. */
  readonly #byText = new Map<string, NamedStatement>()
  #made = 0

  /**
   * @param close closes a prepared statement on the server; the server processes the close message in the order of all
   * sent messages
   */
  constructor(close: (name: string) => void) {
    this.#close = close
  }

  get size(): number {
    return this.#byText.size
  }

  /**
   * Returns the named statement under which this text is sent; undefined if the text is sent without a name. A text is
   * also sent without a name until the server has prepared the statement: preparing may fail, for example in an aborted
   * transaction, and would make all uses of the name fail that were already sent.
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

  /** Closes a statement whose state on the server is unknown; the text of the statement gets another name. */
  forget(text: string, statement: NamedStatement): void {
    if (this.#byText.get(text) !== statement) return
    this.#byText.delete(text)
    this.#close(statement.name)
  }

  /**
   * Closes the first statement of the sweep with a use count of 0. Returns false if all statements still wait for their
   * first answer.
   */
  #makeRoom(): boolean {
    // An entry that is deleted and set again moves to the end of the map, so the loop visits the entry again.
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
