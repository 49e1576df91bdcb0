// Tests of the log output: lines are complete and in order, are kept while the disk is full, and do not prevent the end
// of the process.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { NO_SMALL_DISK, SmallDisk } from '../../test/support/small-disk.ts'
import { until } from '../../test/support/test-clock.ts'
import { LogOutput } from './log.ts'

/** Program that logs many lines, and then ends by itself or, with the argument `at-once`, by `process.exit`. */
const LOGGING = `
  import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}
  const log = createLog('info')
  for (let line = 0; line < 2_000; line++) log.info({ line }, 'x'.repeat(100))
  process.exitCode = 3
  if (process.argv.includes('at-once')) setTimeout(() => process.exit(), 50)
`

describe('the output of the log', () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-log-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  const logging = (stderr: number | 'pipe', ...words: string[]) =>
    spawn(process.execPath, ['--input-type=module', '--eval', LOGGING, ...words], {
      stdio: ['ignore', 'ignore', stderr],
      timeout: 60_000,
      killSignal: 'SIGKILL',
    })

  test('a process that ends has written all of its lines in their order', async () => {
    const child = logging('pipe')
    const [log, [code]] = await Promise.all([
      text(child.stderr as NodeJS.ReadableStream),
      once(child, 'exit'),
    ])
    const lines = log.trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).line),
      lines.map((_, index) => index),
    )
    assert.deepEqual([code, lines.length], [3, 2_000])
  })

  test('a log that cannot be written does not prevent the end of a process', async (context) => {
    if (!existsSync('/dev/full')) return context.skip('this system has no /dev/full')
    const full = await open('/dev/full', 'w')
    assert.deepEqual(await once(logging(full.fd), 'exit'), [3, null])
    assert.deepEqual(await once(logging(full.fd, 'at-once'), 'exit'), [3, null])
    await full.close()
  })

  test('lines without space are written when there is space again', async (context) => {
    const disk = await SmallDisk.mount(1)
    if (disk === undefined) return context.skip(NO_SMALL_DISK)
    const file = join(disk.path, 'log')
    const fd = openSync(file, 'a')
    const output = new LogOutput(fd)
    try {
      disk.fill()
      for (let line = 0; line < 3_000; line++) output.write(`${line}\n`)
      disk.empty()
      await until('the rest is written', () => {
        output.write('more\n')
        return readFileSync(file, 'utf8').endsWith('\nmore\n')
      })
      const kept = readFileSync(file, 'utf8').replace(/(?:more\n)+$/, '')
      assert.equal(kept, Array.from({ length: 3_000 }, (_, line) => `${line}\n`).join(''))
    } finally {
      closeSync(fd)
      await disk.unmount()
    }
  })
})
