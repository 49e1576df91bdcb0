// Only the service and `migrate` change the tables of an older store; every other command says so and leaves it alone.

import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Command } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { run } from '../../src/cli/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { lookAtStore } from '../../src/store/database/unopened.ts'
import { readMode } from '../../src/store/node/mode.ts'
import { type OlderStore, unpackStore } from '../support/older-store.ts'
import { type TestStorage, usualDatabase } from '../support/store.ts'

/** Commands that open a store in another way, or none. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['serve', 'migrate', 'upgrade', 'doctor', 'backup', 'restore', 'seal make-key', 'seal status'],
])

/** A value that each kind of input takes. */
const SAMPLES: Readonly<Record<string, string>> = { kind: 'sending', role: 'viewer', file: '-' }

/** The words of a command with all that it requires. */
const wordsOf = ({ name, inputs }: Command): string[] => [
  ...name.split(' '),
  ...Object.entries(inputs)
    .filter(([, { required }]) => required)
    .flatMap(([input, { positional }]) => [
      ...(positional ? [] : [`--${input}`]),
      SAMPLES[input] ?? 'example.test',
    ]),
]

describe('a store of an older program', () => {
  let older: OlderStore & { readonly storage: TestStorage }
  let mode: string
  before(async () => {
    older = await unpackStore('first-version', usualDatabase())
    mode = 'playground'
  })
  after(() => older.storage.remove())

  const cli = (words: string, settings: Record<string, string> = {}) =>
    run(words.split(' '), {
      env: {
        POSTRIDER_DATA_DIR: older.storage.dataDir,
        POSTRIDER_DATABASE_URL: older.storage.databaseUrl ?? '',
        POSTRIDER_MODE: mode,
        ...(mode === 'production' ? { POSTRIDER_HOSTNAME: 'sender.test' } : {}),
        ...settings,
      },
      clock: systemClock,
      readInput: async () => '',
    })
  const pending = () => lookAtStore(older.storage, async (_read, migrations) => migrations.pending)

  test('is told by `upgrade --check`, which changes nothing', async () => {
    const before = await pending()
    assert.ok((before?.length ?? 0) > 0)
    const { code, stdout, stderr } = await cli('upgrade --check')
    assert.equal(stderr, '')
    assert.equal(code, 0)
    for (const name of before ?? []) assert.ok(stdout.includes(name), name)
    assert.deepEqual(await pending(), before)
    assert.equal((await cli('upgrade')).code, 2)
  })

  test('is not changed by any other command', async () => {
    const before = await pending()
    const refused: string[] = []
    for (const command of COMMANDS.filter(({ name }) => !OTHERS.has(name))) {
      const { code, stderr } = await cli(wordsOf(command).join(' '))
      assert.notEqual(code, 0, command.name)
      if (/older version than this program.*`postrider migrate`/.test(stderr)) refused.push(command.name)
    }
    // The others missed something in their words before they came to the store.
    assert.ok(refused.length >= COMMANDS.length / 2, refused.join(', '))
    assert.deepEqual(await pending(), before)
  })

  test('is not changed by `migrate` in the other mode', async () => {
    const before = await pending()
    const said = await lookAtStore(older.storage, (read) => readMode(read))
    if (said === undefined) return
    mode = said === 'playground' ? 'production' : 'playground'
    assert.equal((await cli('migrate')).code, 2)
    assert.deepEqual(await pending(), before)
    mode = said
  })

  test('is changed by `migrate`, and then open to all of them', async () => {
    const { code, stderr } = await cli('migrate')
    assert.equal(stderr, '')
    assert.equal(code, 0)
    assert.deepEqual(await pending(), [])
    assert.equal((await cli('account list')).code, 0)
    assert.match((await cli('upgrade --check')).stdout, /nothing has to be changed/)
  })
})

test('where there is no store yet, nothing is made by a look', async () => {
  const dataDir = join(tmpdir(), 'postrider-no-store-here')
  assert.equal(await lookAtStore({ dataDir, databaseUrl: undefined }, async () => true), undefined)
})
