// Lock of a data directory, held by one node; the operating system releases the lock when the process ends, even after
// a crash.

import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Problem } from '../../model/problem.ts'
import { isLasting, UnfitSettingsError } from '../../model/unfit-settings.ts'

export const SERVING_LOCK = 'serving.lock'

/** SQLite result codes for a lock held by another process and for a file that is not a SQLite database. */
const SQLITE_BUSY = 5
const SQLITE_NOTADB = 26

/**
 * Locks the data directory until the returned function is called. Throws if the lock file cannot be used or another
 * process holds the directory. Two processes with one directory would deliver messages twice, because each process
 * would release the leases of the other process as leases of an earlier process.
 */
export function holdDataDirectory(dataDir: string): () => void {
  const file = join(dataDir, SERVING_LOCK)
  let lock: DatabaseSync | undefined
  try {
    closeSync(openSync(file, 'a', 0o600))
    lock = new DatabaseSync(file)
    // The lock file needs no journal file, because nothing is ever written into the lock file.
    lock.exec('pragma journal_mode=memory; pragma locking_mode=exclusive; begin exclusive')
  } catch (cause) {
    lock?.close()
    const Refusal = isLasting(cause) ? UnfitSettingsError : Problem
    throw new Refusal('unavailable', sentenceOf(cause as SqliteError, file, dataDir), { cause })
  }
  return () => lock.close()
}

type SqliteError = Error & { readonly errcode?: number }

function sentenceOf({ errcode = 0, message }: SqliteError, file: string, dataDir: string): string {
  switch (errcode & 0xff) {
    case SQLITE_BUSY:
      return `Another Postrider serves from ${dataDir} already; stop it first, or give POSTRIDER_DATA_DIR.`
    case SQLITE_NOTADB:
      return `${file} contains bytes that Postrider has not written, and cannot be locked. The file stores no data: remove it and start again.`
    default:
      return `${file} cannot be locked (${message}); check that it is writable for this user and that the disk is not full.`
  }
}
