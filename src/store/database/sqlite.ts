// The embedded store: SQLite in a thread that writes, a thread that reads, and a thread for heavy readers.

import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Driver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { OpenDatabase } from './database.ts'
import type { WriteProgram } from './group-commit.ts'
import type { Tables } from './schema.ts'
import { SqliteReaders } from './sqlite-readers.ts'
import { BatchPacker, Thread, type TransferredResults, unpackResults } from './sqlite-thread.ts'

/** Opens the database file, creates or migrates the tables, and starts the threads. */
export async function openSqliteStore(path: string, { find }: WriteProgram): Promise<OpenDatabase> {
  // Only the owner can read the database file, because it contains the DKIM keys. SQLite creates its other files with
  // the mode of the database file.
  closeSync(openSync(path, 'a', 0o600))
  const writer = new Thread('../writer-thread.ts', 'store writer')
  const migrated = await writer.open(path)
  const readers = new SqliteReaders(path)
  await readers.open().catch(async (error: Error) => {
    await writer.close()
    throw error
  })
  const packer = new BatchPacker(find)
  const versions = dataVersionsOf(path)
  return {
    read: databaseOf(() => readers.inTurns()),
    urgentRead: databaseOf(() => readers.urgent()),
    dataVersion: versions.latest,
    migrated,
    // SQLite has one writer.
    commitsAtOnce: { other: 1 },
    async commit(groups) {
      const batch = packer.pack(groups)
      const { results } = await writer.ask({ batch })
      packer.release(batch)
      return unpackResults(results as TransferredResults)
    },
    async close() {
      versions.close()
      await readers.close()
      await writer.close()
    },
  }
}

const databaseOf = (createDriver: () => Driver): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new ManyReaders(),
      createDriver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })

/** Lets statements run concurrently; the default of the query builder is one statement at a time. */
class ManyReaders extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/**
 * Detects changes of the database file in a few microseconds and without a thread: a separate connection never waits,
 * and only reads the data version that SQLite maintains (https://sqlite.org/pragma.html#pragma_data_version).
 */
function dataVersionsOf(path: string) {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  const version = connection.prepare('pragma data_version')
  return {
    latest(): number | undefined {
      try {
        return Number(version.get()?.data_version)
      } catch {
        // Another connection has locked the file exclusively for a moment, or this connection is closed.
        return undefined
      }
    },
    close(): void {
      if (connection.isOpen) connection.close()
    },
  }
}
