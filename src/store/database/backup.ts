// Copies the embedded database while it is in use.

import { existsSync } from 'node:fs'
import { open, realpath, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { beginUnfinished, putInPlace } from '../../lib/whole-file.ts'
import { Problem } from '../../model/problem.ts'
import { cannotOpen, databaseFile } from './store.ts'
import { isThere } from './unopened.ts'

/**
 * Number of pages to copy in one step: large enough for the whole database, so that the copy contains a single state.
 * With smaller steps, SQLite would restart the copy whenever another process writes.
 */
const ALL_PAGES = 2_147_483_647
const SQLITE_MAGIC = 'SQLite format 3\0'
/** SQLite result code SQLITE_FULL: the disk of the copy is full. */
const SQLITE_FULL = 13

/** Reasons why the copy cannot be written, each with its remedy, by error code. */
const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there; name another directory',
  EPERM: 'this user may not write there; name another directory',
  EROFS: 'the file system is read-only; name a directory on another file system',
  ENOTDIR: 'it is not a directory',
  ENOSPC: 'the disk is full',
}

/** Result of a backup. */
export interface Backup {
  /** Absolute path of the copy. */
  readonly file: string
  /** Absolute path of the database. */
  readonly database: string
  readonly bytes: number
}

/**
 * Copies the embedded database of `dataDir` to `file` while other processes read and write the database. The copy is
 * checked and on stable storage before it is renamed to `file`; only the owner can read the copy, because it contains
 * private keys. Throws `not_found` if there is no database, `conflict` if `file` cannot be written or exists and is not
 * an earlier copy, and `UnfitSettingsError` if the database cannot be read.
 */
export async function backupDatabase(dataDir: string, file: string): Promise<Backup> {
  const database = resolve(databaseFile(dataDir))
  const target = resolve(file)
  if (!isDatabaseThere(dataDir)) {
    throw new Problem(
      'not_found',
      `There is no database in ${resolve(dataDir)}; check that POSTRIDER_DATA_DIR and POSTRIDER_CONFIG are right.`,
    )
  }
  if (!existsSync(dirname(target))) {
    throw new Problem(
      'not_found',
      `There is no directory ${dirname(target)} for the copy; create it, or name another file.`,
    )
  }
  await refuseForeignFile(database, target)
  // SQLite reads an empty file as an empty database, and keeps the mode of the file.
  const unfinished = await beginUnfinished(target, 0o600).catch((error: NodeJS.ErrnoException) => {
    throw notWritten(target, error.code) ?? error
  })
  try {
    await copy(database, unfinished).catch((error: Error & { readonly errcode?: number }) => {
      if (error.errcode === SQLITE_FULL) throw notWritten(target, 'ENOSPC')
      throw cannotOpen({ dataDir, databaseUrl: undefined }, error)
    })
    checkCopy(unfinished)
    const { size } = await stat(unfinished)
    await putInPlace(unfinished, target)
    return { file: target, database, bytes: size }
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

function isDatabaseThere(dataDir: string): boolean {
  try {
    return isThere(databaseFile(dataDir))
  } catch (error) {
    throw cannotOpen({ dataDir, databaseUrl: undefined }, error as Error)
  }
}

/** Returns the problem for a copy that cannot be written; undefined for any other error. */
function notWritten(target: string, code = ''): Problem | undefined {
  const why = REFUSALS[code]
  if (why === undefined) return undefined
  return new Problem('conflict', `The copy cannot be written to ${dirname(target)}: ${why}.`)
}

/** Throws unless `target` is missing or is an earlier copy. */
async function refuseForeignFile(database: string, target: string): Promise<void> {
  if (!existsSync(target)) return
  if ((await realpath(target)) === (await realpath(database))) {
    throw new Problem('conflict', `${target} is the database itself; name another file.`)
  }
  if (!(await isDatabase(target))) {
    throw new Problem('conflict', `${target} already exists and is no SQLite database; name another file.`)
  }
}

/** True for a SQLite database or an empty file. Throws errors of the file system. */
export async function isDatabase(path: string): Promise<boolean> {
  const handle = await open(path, 'r')
  try {
    if (!(await handle.stat()).isFile()) return false
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(SQLITE_MAGIC.length),
      0,
      SQLITE_MAGIC.length,
      0,
    )
    return bytesRead === 0 || buffer.toString('latin1') === SQLITE_MAGIC
  } finally {
    await handle.close()
  }
}

async function copy(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 })
  try {
    await backup(source, to, { rate: ALL_PAGES })
  } finally {
    source.close()
  }
}

/** Reads the whole copy, and throws an error with the first damage that SQLite finds. */
export function checkCopy(path: string): void {
  // The copy is opened as immutable, because it has no other writer; SQLite then creates no write-ahead log files next
  // to it.
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  const copied = new DatabaseSync(url, { readOnly: true })
  try {
    const rows = copied.prepare('pragma integrity_check').all() as { integrity_check: string }[]
    const [first] = rows
    if (rows.length !== 1 || first?.integrity_check !== 'ok') {
      throw new Error(`the copy is damaged, and the database may be damaged too: ${first?.integrity_check}`)
    }
  } finally {
    copied.close()
  }
}
