// Restores a data directory from a backup of the embedded database, completely or not at all.

import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { giveToOwnerOf, makeDirectory, syncDirectory } from '../../lib/whole-file.ts'
import { Problem } from '../../model/problem.ts'
import { checkCopy, isDatabase } from './backup.ts'
import { databaseFile } from './store.ts'

/** Name of the working directory within the data directory; its files only need to be renamed. */
const UNFINISHED = 'restoring'
/** Entries that a directory without a store may have. */
const EMPTY = new Set([UNFINISHED, 'serving.lock', 'lost+found'])

/**
 * Copies a backup into a working directory within `dataDir`, calls `settle` on this directory, and moves the database
 * and the other files that `settle` created into `dataDir`. `requireRestorable` must have accepted `file` and
 * `dataDir`. Throws if the copy is damaged; `dataDir` has no store after an error or a crash. The store belongs to the
 * owner of `dataDir` when root restores the store.
 */
export async function restoreDatabase<T>(
  file: string,
  dataDir: string,
  settle: (dataDir: string) => Promise<T>,
): Promise<T> {
  const unfinished = join(resolve(dataDir), UNFINISHED)
  await rm(unfinished, { recursive: true, force: true })
  try {
    await mkdir(unfinished, { mode: 0o700 })
    const copy = databaseFile(unfinished)
    await copyFile(file, copy)
    checkCopy(copy)
    const result = await settle(unfinished)
    const made = (await readdir(unfinished)).map((name) => join(unfinished, name))
    await giveToOwnerOf(dataDir, made)
    await moveInto(resolve(dataDir), unfinished)
    return result
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/**
 * Throws `conflict` unless `dataDir` is empty or missing and `file` looks like a backup, and `not_found` if `file` does
 * not exist. A missing `dataDir` is created; a directory that root creates belongs to the owner of its parent
 * directory.
 */
export async function requireRestorable(file: string, dataDir: string): Promise<void> {
  const isBackup = await isDatabase(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new Problem(
      'not_found',
      `There is no file ${resolve(file)}; name the file that \`postrider backup\` wrote.`,
    )
  })
  if (!isBackup)
    throw new Problem(
      'conflict',
      `${file} is not a SQLite database; name the file that \`postrider backup\` wrote.`,
    )
  if (!existsSync(dataDir)) {
    makeDirectory(resolve(dataDir))
    await giveToOwnerOf(dirname(resolve(dataDir)), [resolve(dataDir)])
  }
  const found = (await readdir(dataDir)).filter((name) => !EMPTY.has(name))
  if (found.length === 0) return
  const directory = resolve(dataDir)
  throw new Problem(
    'conflict',
    `${directory} is not empty (${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}), and an existing store is never replaced: stop the service, \`mv ${directory} ${directory}.before\`, and restore with \`--previous ${directory}.before\`.`,
  )
}

/**
 * Moves the files into `dataDir`, with the database as the last file: without a database, the directory has no store.
 */
async function moveInto(dataDir: string, unfinished: string): Promise<void> {
  const names = await readdir(unfinished)
  const isLast = (name: string): boolean => join(unfinished, name) === databaseFile(unfinished)
  for (const name of names.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))) {
    await rename(join(unfinished, name), join(dataDir, name))
  }
  await rmdir(unfinished)
  await syncDirectory(dataDir)
}
