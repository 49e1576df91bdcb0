// Tests of the whole test runner with generated test files: its output and exit code if tests fail, hang or kill their
// process.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ROOT } from './plan.ts'

interface Ended {
  readonly status: number | null
  readonly output: string
}

describe('the runner', () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'postrider runner '))
  })
  after(() => rmSync(folder, { recursive: true }))

  /** Writes a test file with this body, and runs the file by name. */
  function runOf(body: string, ...words: readonly string[]): Ended {
    const file = join(folder, `made-${words.length}.test.ts`)
    writeFileSync(file, `import { test } from 'node:test'\n${body}\n`)
    // The variables of the outer test run must not reach the runner under test.
    const { TEST_RUN_DIR: _run, NODE_TEST_CONTEXT: _context, ...env } = process.env
    const { status, stdout, stderr } = spawnSync('sh', [join(ROOT, 'test/run'), file, ...words], {
      env: { ...env, TEST_END_WITHIN_MS: '1000' },
      encoding: 'utf8',
      timeout: 120_000,
    })
    return { status, output: stdout + stderr }
  }

  test('says which test failed, with its error, and ends with 1', () => {
    const { status, output } = runOf(
      `test('is wrong', () => { throw new Error('so it is') })\ntest('is right', () => {})`,
    )
    assert.equal(status, 1, output)
    assert.match(output, /is wrong/)
    assert.match(output, /so it is/)
    assert.match(output, /ℹ pass 1\nℹ fail 1\n/)
  })

  test('takes a process that never ends for a failure, and says what it waits for', () => {
    const { status, output } = runOf(
      `import { setTimeout as sleep } from 'node:timers/promises'\n` +
        `test('leaves timers', () => { setInterval(() => {}, 1000); setTimeout(() => {}, 99e3).unref(); void sleep(60e3) })`,
    )
    assert.equal(status, 1, output)
    assert.match(output, /Still running after the last test: .*Timeout/)
    assert.match(output, /1 of setInterval 1000 ms\n +at .*made-0\.test\.ts/)
    assert.match(output, /1 of sleep 60000 ms\n +at .*made-0\.test\.ts/)
    assert.doesNotMatch(output, /setTimeout 99000/)
  })

  test('takes a process that dies for a failure', () => {
    const { status, output } = runOf(`test('dies', () => { process.kill(process.pid, 'SIGKILL') })`)
    assert.equal(status, 1, output)
  })

  test('leaves out marked tests where it is asked to, and runs them in a file that is named', () => {
    const mark = `import { thorough } from '${join(ROOT, 'test/support/thorough.ts')}'`
    const body = `${mark}\ntest('is cheap', () => {})\ntest('is dear', thorough('3 CPU s: is dear'), () => {})`
    assert.match(runOf(body, '--short').output, /ℹ tests 1\n/)
    assert.match(runOf(body, '--thorough').output, /ℹ tests 1\n/)
    assert.match(runOf(body).output, /ℹ tests 2\n/)
  })

  test('runs a file that is marked as a whole with its tier, and names a file that the tier leaves out', () => {
    const marked = `// thorough: starts other programs\ntest('is dear', () => {})`
    for (const words of [[], ['--thorough'], ['--all']]) {
      const { status, output } = runOf(marked, ...words)
      assert.deepEqual([status, /ℹ tests 1\n/.test(output)], [0, true], output)
    }
    for (const [body, word] of [
      [marked, '--short'],
      [`test('is cheap', () => {})`, '--thorough'],
    ] as const) {
      const { status, output } = runOf(body, word)
      assert.equal(status, 1, output)
      assert.match(output, new RegExp(`made-1\\.test\\.ts: not run, because ${word} has none of its tests`))
      assert.match(output, /no test of the named files ran/)
    }
  })

  test('fails if no test of a named file runs, although the file has the word of the mark', () => {
    const { status, output } = runOf(`test('names thorough() alone', () => {})`, '--thorough')
    assert.equal(status, 1, output)
    assert.match(output, /no test of the named files ran/)
  })

  test('refuses a file that there is not, and an option that it does not know', () => {
    assert.deepEqual(refused('src/none.test.ts'), [2, 'npm test: there is no test file src/none.test.ts\n'])
    assert.match(refused('--fast')[1], /there is no option --fast; there are --short/)
  })

  function refused(word: string): [number | null, string] {
    const { status, stderr } = spawnSync('sh', [join(ROOT, 'test/run'), word], { encoding: 'utf8' })
    return [status, stderr]
  }
})
