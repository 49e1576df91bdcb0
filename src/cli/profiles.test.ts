// The file of profiles: only the user may read the file, and a file that is none is refused.

import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { loadConfig } from '../config/load.ts'
import { systemClock } from '../lib/clock.ts'
import { type Finished, run } from './run.ts'

const URL = 'https://mail.example.com'

describe('profiles', () => {
  let home: string
  const file = (): string => join(home, '.config/postrider/profiles.json')
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'postrider-profiles-'))
  })
  after(() => rm(home, { recursive: true }))

  const cli = (line: string, env: Record<string, string> = {}, input = ''): Promise<Finished> =>
    run(line.split(' '), {
      env: { HOME: home, ...env },
      clock: systemClock,
      readInput: async () => input,
    })

  test('are kept in a file that only the user may read', async () => {
    const added = await cli(`profile add prod --url ${URL}/v1/ --key -`, {}, 'manage_first\n')
    assert.equal(added.code, 0, added.stderr)
    assert.ok(!added.stdout.includes('manage_first'))
    assert.equal((await stat(file())).mode & 0o777, 0o600)
    const env = { POSTRIDER_URL: 'http://127.0.0.1:8025', POSTRIDER_KEY: 'manage_second' }
    assert.equal((await cli('profile add here', env)).code, 0)
    assert.deepEqual(JSON.parse(await readFile(file(), 'utf8')), {
      current: 'prod',
      profiles: {
        prod: { url: URL, key: 'manage_first' },
        here: { url: env.POSTRIDER_URL, key: env.POSTRIDER_KEY },
      },
    })
    const { data } = JSON.parse((await cli('profile list --json')).stdout)
    assert.deepEqual(
      data.map((one: { name: string; last4: string; current: boolean }) => Object.values(one)),
      [
        ['prod', URL, 'irst', true],
        ['here', env.POSTRIDER_URL, 'cond', false],
      ],
    )
  })

  test('are selected, left and removed', async () => {
    assert.equal((await cli('profile use absent')).code, 1)
    assert.equal((await cli('profile use here')).code, 0)
    assert.match((await cli('profile list')).stdout, /^here .*in use$/m)
    assert.equal((await cli('profile remove here')).code, 0)
    assert.doesNotMatch((await cli('profile list')).stdout, /in use/)
    assert.match((await cli('profile use')).stdout, /the store of this machine/)
    assert.equal((await cli('profile add x --url https://a.test')).code, 2)
  })

  test('of a file that others may read, or that is none, are not used', async () => {
    await chmod(file(), 0o644)
    const open = await cli('domain list')
    assert.equal(open.code, 1)
    assert.match(open.stderr, /Other users may read the keys in .*; run chmod 600/)
    await chmod(file(), 0o600)
    for (const text of ['{', '[]x', '{"profiles": {"a": {"url": 5}}}', '{"current": 5}', 'null5']) {
      await writeFile(file(), text)
      assert.match((await cli('profile list')).stderr, /is not a file of profiles; repair or remove/, text)
    }
  })
})

test('a service starts in an environment with the URL and the key of commands', () => {
  assert.doesNotThrow(() => loadConfig({ POSTRIDER_URL: URL, POSTRIDER_KEY: 'manage_x' }))
  assert.throws(() => loadConfig({ POSTRIDER_URI: URL }), /POSTRIDER_URI is not a setting/)
})
