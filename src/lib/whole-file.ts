// Files that survive a crash and a power cut: a file gets its name when its content is on stable storage, or not at
// all; and the text of a file.

import { isUtf8 } from 'node:buffer'
import { closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Writes a file. Readers find the previous content or the new one, and so does a start after a power cut; after
 * resolving, the new one. Throws errors of the file system; the file is then unchanged.
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
 * Creates the empty file that `putInPlace` later renames to `path`, in the same directory, and returns its name.
 * Removes files that killed processes left.
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
  // Before this sync the directory may still refer to the previous file.
  await syncDirectory(dirname(path))
}

/**
 * Creates a directory and its missing parents, for their owner only, and syncs each into its parent. The option
 * `recursive` of Node would loop for ever on a file system that refuses (/proc).
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
 * Gives files and directories created by root to the owner of another directory, since an administrator need not be
 * the user of the service. Links, and files with a second name, were not created here and stay.
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

/** Syncs the names in a directory to stable storage. */
export const syncDirectory = (path: string): Promise<void> => sync(path)

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Returns the text of bytes, without a byte order mark; undefined when they are not UTF-8. NUL is not allowed in
 * text, because UTF-16 of Latin letters is valid UTF-8 as well.
 */
export const utf8Text = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) && !bytes.includes(0) ? new TextDecoder().decode(bytes) : undefined
