// Entry point of the command line: runs one command with the environment and the standard streams of this process.

import { systemClock } from '../lib/clock.ts'
import { readAll, readFirstLine } from './input.ts'
import { keptAlive } from './kept-alive.ts'
import { run } from './run.ts'

// Commands handle write errors in their callbacks; a node keeps running if its standard output is closed.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/** Writes to standard output; resolves when the text is written. The process ends if the text cannot be written. */
function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => (error ? endUnread(error) : resolve()))
  })
}

/** Ends the process; a reader that stops early (`postrider queue list | head`) does not change the exit code. */
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
// The exit code is set before the output is written, because a missing reader must not change the exit code.
process.exitCode = code
if (stdout !== '') void print(stdout)
process.stderr.write(stderr)
