// Opens a connection to the embedded database whose acknowledged writes survive a power failure.

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { SqliteDatabase } from 'kysely'

const MAX_STATEMENTS = 500

/**
 * Opens the database file with WAL and `synchronous=FULL`. Reads both settings back after a statement, because a power
 * failure would lose acknowledged mail if `synchronous=FULL` were not in force. Throws if the file system does not
 * support one of the settings.
 */
export function openSqlite(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 10_000 })
  // The setting `auto_vacuum` takes effect only on a database without tables. The setting `secure_delete` overwrites
  // deleted data, so that no byte of a mail remains after its row is deleted.
  database.exec('pragma auto_vacuum=incremental')
  database.exec('pragma journal_mode=wal; pragma synchronous=full; pragma foreign_keys=off')
  database.exec('pragma secure_delete=on')
  database.prepare('select count(*) from sqlite_master').get()
  const { synchronous } = database.prepare('pragma synchronous').get() as { synchronous: number }
  const { journal_mode } = database.prepare('pragma journal_mode').get() as { journal_mode: string }
  if (synchronous !== 2 || journal_mode !== 'wal') {
    database.close()
    throw new Error(
      `${path} cannot be opened durably (synchronous=${synchronous}, journal_mode=${journal_mode})`,
    )
  }
  return database
}

/**
 * Matches a limit before a parameter. SQLite plans a statement by the value of such a limit, and therefore plans the
 * statement anew for each execution (`sqlite3ExprIsInteger` in expr.c); a sum has no value that SQLite looks at.
 */
const LIMIT = /\b(?:limit|offset)(?= \?)/g

/** Prepared statements of one connection by text; the most recently used statements are kept. */
export class Statements {
  readonly #database: DatabaseSync
  readonly #byText = new Map<string, { statement: StatementSync; reader: boolean }>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Runs a statement, and returns the result rows and the number of changed rows. */
  run(text: string, parameters: readonly unknown[]): { rows: unknown[]; changes: number | bigint } {
    const { statement, reader } = this.#get(text)
    const values = parameters as SQLInputValue[]
    if (reader) return { rows: statement.all(...values), changes: 0 }
    return { rows: [], changes: statement.run(...values).changes }
  }

  /**
   * Runs a statement without result rows once for each list of parameters. Returns the indices of the parameter lists
   * that changed a row.
   */
  runForEach(text: string, lists: readonly (readonly unknown[])[]): number[] {
    const { statement } = this.#get(text)
    const changed: number[] = []
    for (const [index, parameters] of lists.entries()) {
      if (statement.run(...(parameters as SQLInputValue[])).changes > 0) changed.push(index)
    }
    return changed
  }

  #get(text: string): { statement: StatementSync; reader: boolean } {
    let found = this.#byText.get(text)
    if (found === undefined) {
      const statement = this.#database.prepare(text.replaceAll(LIMIT, '$& 0+'))
      // A pragma without declared columns may still return rows, and does its work while the rows are read.
      found = { statement, reader: statement.columns().length > 0 || text.startsWith('pragma ') }
      const oldest = this.#byText.keys().next().value
      if (this.#byText.size >= MAX_STATEMENTS && oldest !== undefined) this.#byText.delete(oldest)
    } else {
      this.#byText.delete(text)
    }
    this.#byText.set(text, found)
    return found
  }
}

const areLists = (parameters: readonly unknown[]): parameters is readonly (readonly unknown[])[] =>
  Array.isArray(parameters[0])

/**
 * Returns the prepared statements of a connection in the form of the query builder's SQLite driver. A statement whose
 * parameters are lists runs once for each list; see `Statements.runForEach`.
 */
export function asKyselyDatabase(
  database: DatabaseSync,
  statements = new Statements(database),
): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare: (text) => ({
      reader: true,
      all: (parameters) =>
        areLists(parameters)
          ? statements.runForEach(text, parameters)
          : statements.run(text, parameters).rows,
      run: () => ({ changes: 0, lastInsertRowid: 0 }),
      iterate: (parameters) => statements.run(text, parameters).rows.values(),
    }),
  }
}
