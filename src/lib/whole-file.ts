// Files that survive a crash and a power cut: each takes its name when all of it is on stable storage, or not at all.

import { closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Writes a file. A reader finds the content before or the new one, and so does a start after a power cut; when this
 * resolves, it is the new one. Throws errors of the file system; then the file is as it was before.
 */
export async function writeWholeFile(path: string, content: string, mode: number): Promise<void> {
  const unfinished = await beginUnfinished(path, mode)
  try {
    await writeFile(unfinished, content)
    await putInPlace(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/**
 * Makes the empty file that is to become `path` by `putInPlace`, in the same directory, and answers its name. Removes
 * those that processes left that were killed.
 */
export async function beginUnfinished(path: string, mode: number): Promise<string> {
  const [directory, prefix] = [dirname(path), `${basename(path)}.`]
  for (const name of await readdir(directory)) {
    const [, pid] = /^(\d+)\.part$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : '') ?? []
    if (pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid)))) {
      await rm(join(directory, name), { force: true })
    }
  }
  const unfinished = `${path}.${process.pid}.part`
  await writeFile(unfinished, '', { mode, flag: 'wx' })
  return unfinished
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Gives a finished file its name: syncs it, renames it, syncs the directory. */
export async function putInPlace(unfinished: string, path: string): Promise<void> {
  await sync(unfinished)
  await rename(unfinished, path)
  // Until then the directory may still name the file before.
  await syncDirectory(dirname(path))
}

/**
 * Makes a directory and those above it that are missing, for its owner only, and syncs each into the one above it. Not
 * with `recursive`: on a file system that refuses (/proc), Node then tries for ever.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  makeDirectory(parent)
  mkdirSync(path, { mode: 0o700 })
  const directory = openSync(parent, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/**
 * Gives files and directories to the owner of another directory, where root has made them: who administrates a machine
 * need not be the user that serves. What has a second name, or is a link, was not made here, and stays.
 */
export async function giveToOwnerOf(directory: string, paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(directory)
  for (const path of paths) {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const found = await file.stat()
      if (found.isDirectory() || found.nlink === 1) await file.chown(uid, gid)
    } finally {
      await file.close()
    }
  }
}

/** Puts the names in a directory on stable storage. */
export const syncDirectory = (path: string): Promise<void> => sync(path)

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
