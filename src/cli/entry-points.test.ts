// Tests that every process runs until its work has ended, even if the work waits only for an unreferenced timer.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

const SRC = join(import.meta.dirname, '..')

/**
 * Entry points with an allowed top-level `await`: `keptAlive` keeps the process alive, or the awaited work needs no
 * handle.
 */
const AWAITING: Readonly<Record<string, RegExp>> = {
  'cli/main.ts': /^const .* = await keptAlive\(\(\) =>$/,
  'check/worker.ts': /^const runner = new JobRunner\(await loadConversion\(\)\)$/,
  'templates/worker.ts': /^const runner = new JobRunner\(await loadConversion\(\)\)$/,
}
/** Pattern in the source code of a thread that listens to its parent thread; the parent thread ends such a thread. */
const LISTENS = /\bserveJobs\b|\bparentPort\b/

test('no program awaits at its top level a promise that only an unreferenced handle may settle', async () => {
  const threads: string[] = []
  for await (const file of glob('**/*.ts', { cwd: SRC })) {
    if (file.includes('.test')) continue
    const source = await readFile(join(SRC, file), 'utf8')
    const awaits = source
      .split('\n')
      .filter((line) => /^[^\s/*].*\bawait\b/.test(line) && !isInFunction(line))
    const allowed = AWAITING[file]
    for (const line of awaits) assert.ok(allowed?.test(line), `${file}: ${line}`)
    for (const [, program = ''] of source.matchAll(/new URL\('([^']+\.ts)', import\.meta\.url\)/g)) {
      threads.push(join(file, '..', program))
    }
  }
  assert.ok(threads.length >= 8, threads.join())
  for (const thread of threads) assert.match(await readFile(join(SRC, thread), 'utf8'), LISTENS, thread)
})

const isInFunction = (line: string): boolean => /^[^\s].*(async .*=>|async function)/.test(line)

/** Returns a program that waits for an unreferenced timer, which does not keep the process alive. */
const waiting = (wait: string): string => `
  import { keptAlive } from ${JSON.stringify(pathToFileURL(join(SRC, 'cli/kept-alive.ts')).href)}
  const unreferenced = () => new Promise((resolve) => setTimeout(resolve, 50, 'settled').unref())
  process.stdout.write(await ${wait})
`

test('keptAlive waits for an unreferenced timer, and lets the process end afterwards', async () => {
  for (const [wait, expected] of [
    ['unreferenced()', ['', 13]],
    ['keptAlive(unreferenced)', ['settled', 0]],
    ["keptAlive(() => unreferenced().then(() => { throw 'failed' })).catch(String)", ['failed', 0]],
  ] as const) {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', waiting(wait)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    assert.deepEqual([stdout, code], expected, wait)
  }
})
