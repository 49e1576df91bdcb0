// `npm run test:races -- FILE… [TIMES]` runs test files many times while busy loops occupy all cores, and reports the
// number of failed runs.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './runner/plan.ts'

const USUAL_TIMES = 20

const words = process.argv.slice(2)
const files = words.filter((word) => !/^\d+$/.test(word))
const times = Number(words.find((word) => /^\d+$/.test(word)) ?? USUAL_TIMES)
if (files.length === 0) {
  console.error('Name a test file: npm run test:races -- src/queue/manager.test.ts')
  process.exit(2)
}

// Each busy loop ends when this process ends, because the end closes the standard input of the loop.
const busy = Array.from({ length: availableParallelism() }, () =>
  spawn(
    process.execPath,
    [
      '-e',
      'process.stdin.on("end", () => process.exit()).resume(); setInterval(() => { for (const end = Date.now() + 50; Date.now() < end;); }, 1)',
    ],
    { stdio: ['pipe', 'ignore', 'ignore'] },
  ),
)
let failed = 0
for (let run = 1; run <= times; run++) {
  const test = spawn('sh', [join(ROOT, 'test/run'), ...files], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  test.stdout.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(test, 'exit')
  if (code === 0) continue
  failed++
  console.log(`Run ${run} failed:\n${output}`)
}
for (const one of busy) one.kill()
console.log(`${failed} of ${times} runs failed.`)
process.exitCode = failed === 0 ? 0 : 1
