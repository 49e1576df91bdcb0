// Name and free space of the disk of a directory, and a test whether the disk is writable.

import { readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** Reason why nothing can be written to a disk. */
export interface NotWritable {
  /** True if the disk or the quota is full, a condition that ends when space is freed. */
  readonly full: boolean
  /** Sentence that names the disk and the path. */
  readonly sentence: string
}

/**
 * Returns the number of free bytes for this user on the disk of a directory. Throws if the directory does not exist.
 */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

/**
 * Test data, too long for a file system to store in a directory entry or in the unused end of another file's last
 * block.
 */
const PROBE = Buffer.alloc(64 * 1024, 'postrider ')

/** Tries to write 64 KiB into a directory; returns undefined on success, otherwise the reason of the failure. */
export async function whyNotWritable(directory: string): Promise<NotWritable | undefined> {
  const probe = join(directory, `write-test.${process.pid}`)
  try {
    await writeFile(probe, PROBE, { mode: 0o600 })
    return undefined
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const why = WHY[code] ?? `cannot be written (${message})`
    const sentence = `The disk ${await diskOf(directory)}${why}: nothing can be written into ${resolve(directory)}.`
    return { full: FULL.has(code), sentence }
  } finally {
    await rm(probe, { force: true }).catch(() => {})
  }
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])
/** Result code of SQLite for a full disk. */
const SQLITE_FULL = 13

/** True if an error, or one of its causes, reports a full disk or quota. */
export function isForRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', errcode, cause } = error as NodeJS.ErrnoException & { readonly errcode?: number }
  return FULL.has(code) || errcode === SQLITE_FULL || isForRoom(cause)
}

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'is full',
  EDQUOT: 'has no room left for this user (disk quota)',
  EROFS: 'is mounted read-only',
}

/**
 * Returns the device and mount point, such as `/dev/vdb1 (mounted at /var/lib) `; an empty text if the system does not
 * report both.
 */
async function diskOf(path: string): Promise<string> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  const within = `${resolve(path)}/`
  const found = mounts
    .split('\n')
    .map((line) => line.split(' ').map(unescaped))
    .filter(([, at = '']) => at !== '' && within.startsWith(at.endsWith('/') ? at : `${at}/`))
    // The last of several mounts at one mount point hides the earlier mounts.
    .reduce<readonly string[]>(
      (best, one) => ((one[1] ?? '').length >= (best[1] ?? '').length ? one : best),
      [],
    )
  return found.length === 0 ? '' : `${found[0]} (mounted at ${found[1]}) `
}

/** Decodes octal escapes, such as `\040` for a space (proc_pid_mounts(5), fstab(5)). */
const unescaped = (word: string): string =>
  word.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
