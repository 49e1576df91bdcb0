// The command line's entry: one run, between this process's environment and its streams.

import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { systemClock } from '../lib/clock.ts'
import { run } from './run.ts'

// A reader that has had enough (`postrider queue list | head`) is no failure.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0)
  process.stderr.write(`postrider: Standard output cannot be written (${message}).\n`)
  process.exit(1)
})

const { code, stdout, stderr } = await run(process.argv.slice(2), {
  env: process.env,
  clock: systemClock,
  readInput: () => text(process.stdin),
  async print(chunk) {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
  },
})
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = code
