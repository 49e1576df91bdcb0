// Errors of commands name the input and the remedy.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { systemClock } from '../lib/clock.ts'
import { run } from './run.ts'

describe('the error of a command', () => {
  let dataDir: string
  const refused = async (...words: string[]): Promise<string> => {
    const env = { POSTRIDER_DATA_DIR: dataDir }
    const { code, stdout, stderr } = await run(words, { env, clock: systemClock, readInput: async () => '' })
    assert.deepEqual([code === 0, stdout], [false, ''], words.join(' '))
    assert.doesNotMatch(stderr, /^ +at /m)
    return stderr
  }
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'postrider-run-'))
    for (const words of [
      ['account', 'create', 'Acme'],
      ['domain', 'add', 'shop.test'],
    ]) {
      const env = { POSTRIDER_DATA_DIR: dataDir }
      assert.equal((await run(words, { env, clock: systemClock, readInput: async () => '' })).code, 0)
    }
  })
  after(() => rm(dataDir, { recursive: true, force: true }))

  test('about a file has a remedy', async () => {
    assert.match(
      await refused('seal', 'make-key', '/nowhere/key'),
      /^postrider: ENOENT: .*'\/nowhere\/key'; check that the path is right\.\n$/,
    )
    assert.match(await refused('template', 'push', '/nowhere'), /in \/nowhere; name the folder that contains/)
    assert.match(
      await refused('template', 'push', '/dev/null'),
      /^postrider: ENOTDIR: .*; check that the path/,
    )
    assert.match(
      await refused('backup', '/nowhere/copy.db'),
      /no directory \/nowhere for the copy; create it/,
    )
    assert.match(
      await refused('restore', '/nowhere'),
      /no file \/nowhere; name the file that `postrider backup`/,
    )
  })

  test('names the input of the command, not a field of the API', async () => {
    assert.match(await refused('erase', 'nonsense'), /^postrider: address: This is not an email address/)
    assert.match(await refused('export', 'nonsense'), /^postrider: address: This is not an email address/)
    assert.match(
      await refused('domain', 'delete', 'shop.test', '--confirm', 'x'),
      /^postrider: confirm: Repeat the name of the domain, shop\.test, to delete it\.\n$/,
    )
    assert.match(
      await refused('domain', 'relay', 'shop.test', 'http://x'),
      /^postrider: RELAY must be a URL such as smtp:/,
    )
    assert.match(
      await refused('domain', 'dkim', 'turn', 'shop.test'),
      /^postrider: STEP must be one of rotate, /,
    )
    assert.match(await refused('queue', 'show', 'msg_x'), /no such message: check the ID/)
  })
})
