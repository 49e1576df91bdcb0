// The folder for all temporary files of a test run, in memory if there is enough space. A database consists of some
// hundreds of files. A file system in memory creates and removes these files in a tenth of the time, and durable writes
// do not wait for a disk.

import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
const MIN_BYTES = 4 * 1024 ** 3

/** Shell script that removes a directory when standard input ends, even after a kill of this process. */
const UNTIL_STDIN_ENDS = `trap : INT TERM
cat > /dev/null
rm -rf "$0"`

/** Creates the folder for this process and its child processes; returns a function that removes the folder. */
export async function makeTemporaryPlace(): Promise<() => Promise<void>> {
  const { type, bavail, bsize } = await statfs(MEMORY).catch(() => ({ type: 0, bavail: 0, bsize: 0 }))
  const hasRoom = type === TMPFS && bavail * bsize >= MIN_BYTES
  const directory = await mkdtemp(join(hasRoom ? MEMORY : tmpdir(), 'postrider-tests-'))
  // Some tests start processes of another user.
  await chmod(directory, 0o711)
  const removal = spawn('sh', ['-c', UNTIL_STDIN_ENDS, directory], { stdio: ['pipe', 'ignore', 'ignore'] })
  process.env.TMPDIR = directory
  return async () => {
    removal.stdin?.end()
    // A PostgreSQL server of a test process may still be removing its files.
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}
