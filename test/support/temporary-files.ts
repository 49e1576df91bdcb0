// The place of all temporary files of a run: in memory, if there is space. A database consists of some hundreds of
// files, which take a tenth of the time to create and remove there, and durable writes wait for no disk.

import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
const MIN_BYTES = 4 * 1024 ** 3

/** Removes a directory when standard input ends, even after a kill of the process. */
const UNTIL_STDIN_ENDS = `trap : INT TERM
cat > /dev/null
rm -rf "$0"`

/** Creates the folder for this process and its child processes; the returned function removes the folder. */
export async function makeTemporaryPlace(): Promise<() => Promise<void>> {
  const { type, bavail, bsize } = await statfs(MEMORY).catch(() => ({ type: 0, bavail: 0, bsize: 0 }))
  const hasRoom = type === TMPFS && bavail * bsize >= MIN_BYTES
  const directory = await mkdtemp(join(hasRoom ? MEMORY : tmpdir(), 'postrider-tests-'))
  // Some tests run as another user.
  await chmod(directory, 0o711)
  const removal = spawn('sh', ['-c', UNTIL_STDIN_ENDS, directory], { stdio: ['pipe', 'ignore', 'ignore'] })
  process.env.TMPDIR = directory
  return async () => {
    removal.stdin?.end()
    // A PostgreSQL of a test process may still be removing its own files.
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}
