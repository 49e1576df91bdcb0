// `npm run test:races -- FILE… [TIMES]` runs test files many times while busy loops occupy all cores, and reports the
// number of failed runs.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './runner/plan.ts'
import { count, readWords, runTool, WrongArgument } from './support/tool.ts'

const USUAL_TIMES = 20

const USAGE = `npm run test:races -- FILE... [TIMES]

  Runs test files TIMES times (20) beside busy processors, and reports the number of failed runs.
`

await runTool(USAGE, async (words) => {
  const files = words.filter((word) => !/^\d+$/.test(word))
  const [times] = readWords(
    words.filter((word) => /^\d+$/.test(word)),
    count('TIMES', USUAL_TIMES),
  )
  if (files.length === 0) throw new WrongArgument('Name a test file, such as src/queue/manager.test.ts.')
  for (const file of files)
    if (!existsSync(join(ROOT, file))) throw new WrongArgument(`There is no file ${file}.`)

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
  return failed === 0 ? 0 : 1
})
