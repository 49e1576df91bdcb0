// The entry point of the command line: runs one command with the environment and streams of this process.

import { systemClock } from '../lib/clock.ts'
import { readAll, readFirstLine } from './input.ts'
import { keptAlive } from './kept-alive.ts'
import { run } from './run.ts'

// Write errors are handled by the callbacks in this process, while a node goes on without a reader.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/** Resolves when the text is written; otherwise the process ends. */
function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => (error ? endUnread(error) : resolve()))
  })
}

/** A reader that stops early (`postrider queue list | head`) causes no failure, and hides none. */
function endUnread({ code, message }: NodeJS.ErrnoException): never {
  if (code === 'EPIPE') process.exit()
  process.stderr.write(`postrider: Standard output cannot be written (${message}).\n`)
  process.exit(1)
}

const { code, stdout, stderr } = await keptAlive(() =>
  run(process.argv.slice(2), {
    env: process.env,
    clock: systemClock,
    readInput: () => readAll(process.stdin),
    readLine: (asked) => readFirstLine(process.stdin, asked),
    print,
  }),
)
// Set before anything is written, because a missing reader must not change the result.
process.exitCode = code
if (stdout !== '') void print(stdout)
process.stderr.write(stderr)
