// `npm run mutations` inserts faults into the source files, one at a time, and reports whether the
// tests detect each fault.
//
// Each fault is tested first with the tests of `npm test` that import the changed file, then with all of `npm test`,
// and last with `npm run test:thorough`. The working tree must be clean, because the faults are written into the source
// files and removed again.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, faultsOf, ROOMS } from './mutations/faults.ts'
import { testsTouchedBy } from './runner/import-graph.ts'
import { ROOT } from './runner/plan.ts'
import { shuffled } from './runner/seed.ts'
import { count, readWords, runTool } from './support/tool.ts'

/** Timeout of a test run in seconds; a run that exceeds the timeout has detected the fault. */
const MAX_SECONDS = 1_200

/** Test runs for each fault, cheapest first; the first run that fails has detected the fault. */
const STEPS: readonly (readonly [name: string, words: (fault: Fault) => readonly string[]])[] = [
  ['npm test, touched files', ({ file }) => ['--short', '--bail', ...(testsTouchedBy([file]) ?? [])]],
  ['npm test', () => ['--short', '--bail']],
  ['test:thorough', () => ['--thorough', '--bail']],
]

/** Returns the faults to insert, with the same number of faults from each area of the source code. */
function chosenFaults(number: number, seed: number): readonly (Fault & { readonly room: string })[] {
  const share = Math.ceil(number / Object.keys(ROOMS).length)
  return Object.entries(ROOMS).flatMap(([room, patterns]) =>
    shuffled(faultsOf(patterns), seed)
      .slice(0, share)
      .map((fault) => ({ ...fault, room })),
  )
}

/** Runs the tests on the inserted fault; returns the name of the first test run that detects the fault. */
function foundBy(fault: Fault): string | undefined {
  for (const [name, words] of STEPS) {
    const all = words(fault)
    if (name.endsWith('files') && all.length === 2) continue
    const { status } = spawnSync('sh', [join(ROOT, 'test/run'), ...all], {
      cwd: ROOT,
      stdio: 'ignore',
      timeout: MAX_SECONDS * 1_000,
    })
    if (status !== 0) return name
  }
  return undefined
}

const USAGE = `npm run mutations -- [COUNT [SEED]]

  Inserts COUNT faults (60) into the source files, one at a time, and reports which tests detect each fault.
  SEED (1) chooses the faults. The working tree must be clean in src.
`

await runTool(USAGE, async (words) => {
  const [number, seed] = readWords(words, count('COUNT', 60), count('SEED', 1))
  if (execFileSync('git', ['status', '--porcelain', '--', 'src'], { cwd: ROOT, encoding: 'utf8' }) !== '') {
    console.error('There are uncommitted changes in src: commit them first.')
    return 2
  }
  const found = new Map<string, number>()
  for (const fault of chosenFaults(number, seed)) {
    const path = join(ROOT, fault.file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.slice(0, fault.start) + fault.to + text.slice(fault.end))
    let by: string | undefined
    try {
      by = foundBy(fault)
    } finally {
      writeFileSync(path, text)
    }
    const line = text.slice(0, fault.start).split('\n').length
    const what = `${text.slice(fault.start, fault.end)} → ${fault.to}`.replace(/\s+/g, ' ')
    console.log(`${by ?? 'NOT FOUND'}\t${fault.room}\t${fault.file}:${line}\t${what}`)
    found.set(by ?? 'not found', (found.get(by ?? 'not found') ?? 0) + 1)
  }
  console.log([...found].map(([name, number]) => `${number} by ${name}`).join(', '))
  return 0
})
