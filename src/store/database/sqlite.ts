// The embedded store: SQLite in two threads, one that writes and one that reads.

import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type Driver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { OpenDatabase } from './database.ts'
import type { WriteProgram } from './group-commit.ts'
import type { Tables } from './schema.ts'
import { BatchPacker, Thread, type TransferredResults, unpackResults } from './sqlite-thread.ts'

/** Opens the database file, makes or migrates the tables, and starts both threads. */
export async function openSqliteStore(path: string, { find }: WriteProgram): Promise<OpenDatabase> {
  // For its owner only: it holds the DKIM keys. SQLite gives its other files the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const writer = new Thread('../writer-thread.ts', 'store writer')
  const migrated = await writer.open(path)
  const reader = new Thread('./sqlite-reader-thread.ts', 'store reader')
  await reader.open(path).catch(async (error: Error) => {
    await writer.close()
    throw error
  })
  const packer = new BatchPacker(find)
  const versions = dataVersionsOf(path)
  return {
    read: new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new ReaderDriver(reader),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    }),
    dataVersion: versions.latest,
    migrated,
    // There is one writer.
    commitsAtOnce: { other: 1 },
    async commit(groups) {
      const batch = packer.pack(groups)
      const { results } = await writer.ask({ batch })
      packer.giveBack(batch)
      return unpackResults(results as TransferredResults)
    },
    async close() {
      versions.close()
      await reader.close()
      await writer.close()
    },
  }
}

/**
 * Tells changes of the database file, in some microseconds and without a thread: a connection of its own that never
 * waits, and reads nothing but the version that SQLite keeps (https://sqlite.org/pragma.html#pragma_data_version).
 */
function dataVersionsOf(path: string) {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  const version = connection.prepare('pragma data_version')
  return {
    latest(): number | undefined {
      try {
        return Number(version.get()?.data_version)
      } catch {
        // Somebody has the file to themselves for a moment, or it is closed.
        return undefined
      }
    },
    close(): void {
      if (connection.isOpen) connection.close()
    },
  }
}

/** The query builder's driver for a database that only reads, in another thread. */
class ReaderDriver implements Driver {
  readonly #thread: Thread

  constructor(thread: Thread) {
    this.#thread = thread
  }

  async init(): Promise<void> {}

  async acquireConnection() {
    const thread = this.#thread
    return {
      async executeQuery<Row>({ sql, parameters }: CompiledQuery) {
        const { rows, error } = await thread.ask({ text: sql, parameters })
        if (error !== undefined) throw Object.assign(new Error(error.message), { errcode: error.errcode })
        return { rows: rows as Row[] }
      },
      streamQuery(): never {
        throw new Error('the embedded store answers whole results')
      },
    }
  }

  async beginTransaction(): Promise<void> {
    throw new Error('reading needs no transaction; writes go through Store.write')
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
