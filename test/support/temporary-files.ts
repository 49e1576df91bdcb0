// Place of all temporary files of a run: in memory, where there is room. A database is some hundreds of files, which take
// a tenth of the time to make and to remove there, and what is written durably waits for no disk.

import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
const MIN_BYTES = 4 * 1024 ** 3

/** Removes a directory when standard input ends: also behind a process that was killed. */
const UNTIL_STDIN_ENDS = `trap : INT TERM
cat > /dev/null
rm -rf "$0"`

/** Makes it for this process and those that it starts; the answer removes it. */
export async function makeTemporaryPlace(): Promise<() => Promise<void>> {
  const { type, bavail, bsize } = await statfs(MEMORY).catch(() => ({ type: 0, bavail: 0, bsize: 0 }))
  const hasRoom = type === TMPFS && bavail * bsize >= MIN_BYTES
  const directory = await mkdtemp(join(hasRoom ? MEMORY : tmpdir(), 'postrider-tests-'))
  // Some of the tests become another user.
  await chmod(directory, 0o711)
  const removal = spawn('sh', ['-c', UNTIL_STDIN_ENDS, directory], { stdio: ['pipe', 'ignore', 'ignore'] })
  process.env.TMPDIR = directory
  return async () => {
    removal.stdin?.end()
    // A PostgreSQL of a process of tests may still be removing its own files.
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}
