// The disk below a directory: which one it is, and whether anything can be written there.

import { readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** Reason why nothing can be written. */
export interface NotWritable {
  /** Room may come, so that waiting makes sense: the disk or the quota is full. */
  readonly full: boolean
  /** In a sentence, with the disk and the path. */
  readonly sentence: string
}

/** Bytes that are free for this user on the disk of a directory. Throws when there is no such directory. */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

/** More than a file system keeps inside of its directory, and than is left over in its last block. */
const PROBE = Buffer.alloc(64 * 1024, 'postrider ')

/** Tries to write 64 KiB into a directory; undefined when that can be done. */
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
/** Result code of SQLite. */
const SQLITE_FULL = 13

/** Whether an error, or one that caused it, is about a disk or a quota that is full. */
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

/** The device and where it is mounted, as `/dev/vdb1 (mounted at /var/lib) `; empty where the system does not tell. */
async function diskOf(path: string): Promise<string> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  const within = `${resolve(path)}/`
  const found = mounts
    .split('\n')
    .map((line) => line.split(' ').map(unescaped))
    .filter(([, at = '']) => at !== '' && within.startsWith(at.endsWith('/') ? at : `${at}/`))
    // The last of equals lies above the others.
    .reduce<readonly string[]>(
      (best, one) => ((one[1] ?? '').length >= (best[1] ?? '').length ? one : best),
      [],
    )
  return found.length === 0 ? '' : `${found[0]} (mounted at ${found[1]}) `
}

/** Spaces and the like stand in octal there (proc_pid_mounts(5), fstab(5)). */
const unescaped = (word: string): string =>
  word.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
