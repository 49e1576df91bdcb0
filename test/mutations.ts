// Puts single faults into the sources, one at a time, and tells which the tests find:
//
//   npm run mutations -- [COUNT [SEED]]
//
// Each fault is tried with the tests of `npm test` that the changed file touches, then with all of them; what those miss is
// tried with `npm run test:thorough`. The working tree has to be clean: faults are written into it, and taken out again.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, faultsOf, ROOMS } from './mutations/faults.ts'
import { testsTouchedBy } from './runner/import-graph.ts'
import { ROOT } from './runner/plan.ts'
import { shuffled } from './runner/seed.ts'

const [, , count = '60', seed = '1'] = process.argv
/** Seconds after which a run counts as having found the fault: it hangs. */
const MAX_SECONDS = 1_200

/** The steps of a search, the cheapest first; the first that fails has found the fault. */
const STEPS: readonly (readonly [name: string, words: (fault: Fault) => readonly string[]])[] = [
  ['npm test, touched files', ({ file }) => ['--short', '--bail', ...(testsTouchedBy([file]) ?? [])]],
  ['npm test', () => ['--short', '--bail']],
  ['test:thorough', () => ['--thorough', '--bail']],
]

if (execFileSync('git', ['status', '--porcelain', '--', 'src'], { cwd: ROOT, encoding: 'utf8' }) !== '') {
  console.error('There are uncommitted changes in src: commit them first.')
  process.exit(2)
}

/** The same number of faults from each room. */
const faults = Object.entries(ROOMS).flatMap(([room, patterns]) => {
  const share = Math.ceil(Number(count) / Object.keys(ROOMS).length)
  return shuffled(faultsOf(patterns), Number(seed))
    .slice(0, share)
    .map((fault) => ({ ...fault, room }))
})

/** Runs the steps on a fault; returns the name of the first that finds it. */
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

const found = new Map<string, number>()
for (const fault of faults) {
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
