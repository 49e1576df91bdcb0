// npm test [-- FILE…]: every test, or those of some files. A file that fails beside others is run once more alone, and
// the run tells which passed only then.

import { once } from 'node:events'
import { relative } from 'node:path'
import { run, type TestsStream } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { globalSetup, globalTeardown } from './support/global-setup.ts'
import { type FilePart, filePartOf } from './support/together.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ALL = ['src/dkim/*.test.ts', 'test/together/*/*.test.ts']
/** For more of them the machine, or what they share, is at fault, and alone they would take too long. */
const MAX_AGAIN = 12
/** Of one test: it ends what hangs, on machines that are many times slower as well. */
const TIMEOUT_MS = 420_000

const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort())
process.once('SIGTERM', () => stopped.abort())

/** Runs test files, and answers what failed at their top level: the name, and the file that has it. */
async function failuresOf(
  options: Parameters<typeof run>[0],
): Promise<readonly (readonly [name: string, file: string])[]> {
  const failed: [string, string][] = []
  const tests: TestsStream = run({ cwd: ROOT, timeout: TIMEOUT_MS, signal: stopped.signal, ...options })
  tests.on('test:fail', ({ name, nesting, file = '' }) => {
    if (nesting === 0) failed.push([name, relative(ROOT, file)])
  })
  const report = tests.compose(spec)
  report.pipe(process.stdout, { end: false })
  await once(report, 'end')
  return failed
}

const failsAlone = async ({ file, database }: FilePart): Promise<boolean> => {
  process.env.TEST_DATABASE = database
  // What a failed test left running does not keep the others from their turn.
  return (await failuresOf({ files: [file], forceExit: true })).length > 0
}

async function main(): Promise<void> {
  const named = process.argv.slice(2)
  const failed = await failuresOf({ globPatterns: named.length > 0 ? named : ALL, concurrency: 8 })
  const parts = failed.map(([name, file]) => filePartOf(name) ?? filePartOf(file))
  if (stopped.signal.aborted || failed.length > MAX_AGAIN || parts.includes(undefined)) {
    process.exitCode = failed.length > 0 ? 1 : 130
    return
  }
  for (const part of parts as readonly FilePart[]) {
    const fails = await failsAlone(part)
    if (fails) process.exitCode = 1
    const told = fails
      ? 'fails alone, too'
      : 'failed beside other files, and passes alone: it races, and wants mending'
    console.log(`${fails ? '✖' : '⚠'} ${part.file} (${part.database}): ${told}`)
  }
}

await globalSetup()
try {
  await main()
} finally {
  await globalTeardown()
}
