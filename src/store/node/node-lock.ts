// One node for each data directory: a lock that the system gives back when the process ends, however it ends.

import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Problem } from '../../model/problem.ts'
import { isLasting, UnfitSettingsError } from '../../model/unfit-settings.ts'

export const SERVING_LOCK = 'serving.lock'

/** Result codes of SQLite: another process holds the lock; the file is none of SQLite's. */
const SQLITE_BUSY = 5
const SQLITE_NOTADB = 26

/**
 * Holds the data directory until the answered function is called. Throws when another process serves from it (two
 * would free each other's leases, or take each other's deliveries for left over, and deliver twice), and when the lock
 * file cannot be used.
 */
export function holdDataDirectory(dataDir: string): () => void {
  const file = join(dataDir, SERVING_LOCK)
  let lock: DatabaseSync | undefined
  try {
    closeSync(openSync(file, 'a', 0o600))
    lock = new DatabaseSync(file)
    // Nothing is ever written into it, so that it needs no journal beside it.
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
      return `${file} holds bytes that Postrider has not written, so that it cannot be locked; nothing is kept in it: remove it and start again.`
    default:
      return `${file} cannot be locked (${message}); look whether it is writable for this user and the disk is not full.`
  }
}
