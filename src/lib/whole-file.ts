// Writes files that survive a crash and a power failure: a file gets its name only after its content is on stable
// storage. Also decodes the text of a file.

import { isUtf8 } from 'node:buffer'
import { closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Writes a file atomically: readers find either the previous or the new content, even after a power failure, and find
 * the new content once the promise is resolved. Throws errors of the file system; the file is then unchanged.
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
 * Creates an empty file in the same directory, which `putInPlace` later renames to `path`, and returns the name of the
 * new file. Removes unfinished files that killed processes left.
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

/** Syncs a finished file, renames it to `path`, and syncs the directory. */
export async function putInPlace(unfinished: string, path: string): Promise<void> {
  await sync(unfinished)
  await rename(unfinished, path)
  // The directory may refer to the previous file until this sync.
  await syncDirectory(dirname(path))
}

/**
 * Creates a directory and its missing parents with access for the owner only, and syncs the parent of each new
 * directory. The option `recursive` of Node would loop forever on a file system that refuses new directories (/proc).
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
 * Gives files and directories created by root to the owner of another directory, because the administrator and the user
 * of the service may differ. Symbolic links and files with several hard links were not created by this program and keep
 * their owner.
 */
export async function giveToOwnerOf(directory: string, paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(directory)
  for (const path of paths) {
    const file = await openUnlessLink(path)
    if (file === undefined) continue
    try {
      const found = await file.stat()
      if (found.isDirectory() || found.nlink === 1) await file.chown(uid, gid)
    } finally {
      await file.close()
    }
  }
}

/** Opens a file or directory for reading; resolves to undefined for a symbolic link. */
async function openUnlessLink(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error
    return undefined
  }
}

/** Syncs the entries of a directory to stable storage. */
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
 * Decodes UTF-8 without a byte order mark; returns undefined for other bytes. NUL is not allowed, because Latin text in
 * UTF-16 is valid UTF-8 with NUL characters.
 */
export const utf8Text = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) && !bytes.includes(0) ? new TextDecoder().decode(bytes) : undefined
