// Only the service and `migrate` change the tables of an older store; every other command reports the older store and
// does not change it.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Command } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { run } from '../../src/cli/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { lookAtStore } from '../../src/store/database/unopened.ts'
import { knowMadeUp, MADE_UP } from '../support/made-up-migration.ts'
import { type TestStorage, testStorage, usualDatabase } from '../support/store.ts'

/** Commands that open the store in a different way, or not at all. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['serve', 'migrate', 'upgrade', 'doctor', 'backup', 'restore', 'seal make-key', 'seal status'],
  ...COMMANDS.filter(({ place }) => place === 'profiles').map(({ name }) => name),
])

/** A valid value for each kind of input. */
const SAMPLES: Readonly<Record<string, string>> = { kind: 'sending', role: 'viewer', file: '-' }

/** Returns the words of a command with all of its required arguments. */
const wordsOf = ({ name, inputs }: Command): string[] => [
  ...name.split(' '),
  ...Object.entries(inputs)
    .filter(([, { required }]) => required)
    .flatMap(([input, { positional }]) => [
      ...(positional ? [] : [`--${input}`]),
      SAMPLES[input] ?? 'example.test',
    ]),
]

describe('a store', () => {
  let storage: TestStorage
  let mode = 'playground'
  before(async () => {
    storage = await testStorage(usualDatabase())
  })
  after(() => storage.remove())

  const cli = (words: string) =>
    run(words.split(' '), {
      env: {
        POSTRIDER_DATA_DIR: storage.dataDir,
        POSTRIDER_DATABASE_URL: storage.databaseUrl ?? '',
        POSTRIDER_MODE: mode,
        ...(mode === 'production' ? { POSTRIDER_HOSTNAME: 'sender.test' } : {}),
      },
      clock: systemClock,
      readInput: async () => '',
    })
  const pending = () => lookAtStore(storage, async (_read, migrations) => migrations.pending)

  test('is created by `migrate` where there is none, and not changed by it again', async () => {
    const { code, stdout, stderr } = await cli('migrate')
    assert.equal(stderr, '')
    assert.equal(code, 0)
    assert.match(stdout, /have run:\n {2}0001-initial$/m)
    assert.match((await cli('migrate')).stdout, /no migration was needed/)
    assert.deepEqual(await pending(), [])
    assert.match((await cli('upgrade --check')).stdout, /no change is needed/)
  })

  describe('of an older version', () => {
    let forget: () => void
    before(() => {
      forget = knowMadeUp()
    })
    after(() => forget())

    test('is reported by `upgrade --check`, which changes nothing', async () => {
      const { code, stdout, stderr } = await cli('upgrade --check')
      assert.equal(stderr, '')
      assert.equal(code, 0)
      assert.ok(stdout.includes(MADE_UP), stdout)
      assert.deepEqual(await pending(), [MADE_UP])
      assert.equal((await cli('upgrade')).code, 2)
    })

    test('is not changed by any other command', async () => {
      const refused: string[] = []
      for (const command of COMMANDS.filter(({ name }) => !OTHERS.has(name))) {
        const { code, stderr } = await cli(wordsOf(command).join(' '))
        assert.notEqual(code, 0, command.name)
        if (/older version than this program.*`postrider migrate`/.test(stderr)) refused.push(command.name)
      }
      // Commands that are not in `refused` failed because of an argument, before they opened the store.
      assert.ok(refused.length >= COMMANDS.length / 2, refused.join(', '))
      assert.deepEqual(await pending(), [MADE_UP])
    })

    test('is not changed by `migrate` in the other mode', async () => {
      mode = 'production'
      assert.equal((await cli('migrate')).code, 2)
      assert.deepEqual(await pending(), [MADE_UP])
      mode = 'playground'
    })

    test('is changed by `migrate`, and all commands can then open it', async (context) => {
      if (usualDatabase() === 'sqlite') return context.skip('the thread that migrates does not know it')
      const { code, stdout } = await cli('migrate')
      assert.equal(code, 0)
      assert.ok(stdout.includes(MADE_UP), stdout)
      assert.deepEqual(await pending(), [])
      assert.equal((await cli('account list')).code, 0)
    })
  })
})

describe('a store that does not exist', () => {
  const dataDir = join(tmpdir(), 'postrider-no-store-here')
  const cli = (words: readonly string[]) =>
    run(words, { env: { POSTRIDER_DATA_DIR: dataDir }, clock: systemClock, readInput: async () => '' })

  test('is not created by a check', async () => {
    assert.equal(await lookAtStore({ dataDir, databaseUrl: undefined }, async () => true), undefined)
    const { code, stdout } = await cli(['doctor', '--port25-host', 'nowhere.test'])
    assert.match(stdout, /^warn +store: there is none yet\n +-> There is no store in .*POSTRIDER_DATA_DIR/m)
    assert.doesNotMatch(stdout, / disk: /)
    assert.equal(code, 0, stdout)
    assert.equal(existsSync(dataDir), false)
  })

  test('is reported by every command but those that create one', async () => {
    const creating = new Set([...OTHERS, 'account create'])
    const refused: string[] = []
    for (const command of COMMANDS.filter(({ name }) => !creating.has(name))) {
      const { code, stdout, stderr } = await cli(wordsOf(command))
      assert.deepEqual([code === 0, stdout], [false, ''], command.name)
      if (
        /^postrider: There is no store in .*postrider-no-store-here: check that POSTRIDER_DATA_DIR/.test(
          stderr,
        )
      )
        refused.push(command.name)
    }
    // Commands that are not in `refused` failed because of an argument, before they looked for the store.
    assert.ok(refused.length >= COMMANDS.length / 2, refused.join(', '))
    assert.ok(refused.includes('account list') && refused.includes('queue list'), refused.join(', '))
    assert.equal(existsSync(dataDir), false)
    assert.match((await cli(['seal', 'status'])).stderr, /There is no store in /)
  })
})
