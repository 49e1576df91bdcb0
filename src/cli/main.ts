// The command line's entry: one run, between this process's environment and its streams.

import { systemClock } from '../lib/clock.ts'
import { readAll, readFirstLine } from './input.ts'
import { keptAlive } from './kept-alive.ts'
import { run } from './run.ts'

// An error is told to whoever has written: here it ends the process, while a node goes on without a reader.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/** Resolves when it is written; else the process ends. */
function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => (error ? endUnread(error) : resolve()))
  })
}

/** A reader that has had enough (`postrider queue list | head`) is no failure, and hides none. */
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
// Before anything is written: whether anybody reads it changes nothing about what was found.
process.exitCode = code
if (stdout !== '') void print(stdout)
process.stderr.write(stderr)
