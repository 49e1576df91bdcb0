// A store belongs to the mode in which it was created: no data of the playground enters a production store.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { run } from '../../src/cli/run.ts'
import { loadConfig } from '../../src/config/load.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startApp } from '../../src/node/node.ts'
import { readMode } from '../../src/store/node/mode.ts'
import { OtherModeError } from '../../src/store/node/open-in-mode.ts'
import { lookInto, type TestStorage, testStorage, usualDatabase } from '../support/store.ts'
import { thorough } from '../support/thorough.ts'
import { UNSAFE_DATABASE } from '../support/usual-settings.ts'

type Mode = 'playground' | 'production'

const settingsOf = ({ dataDir, databaseUrl }: TestStorage, mode: Mode | undefined) => ({
  POSTRIDER_DATA_DIR: dataDir,
  POSTRIDER_DATABASE_URL: databaseUrl ?? '',
  ...(mode === undefined ? {} : { POSTRIDER_MODE: mode }),
  POSTRIDER_HOSTNAME: 'sender.test',
  POSTRIDER_HTTP_PORT: '0',
  POSTRIDER_SMTP_PORT: '0',
  POSTRIDER_INBOUND_PORT: '0',
  POSTRIDER_ADMIN_PORT: mode === 'production' ? '0' : '',
  ...UNSAFE_DATABASE,
})

describe('the mode of a store', () => {
  const cli = (storage: TestStorage, mode: Mode | undefined, ...words: string[]) =>
    run(words, { env: settingsOf(storage, mode), clock: systemClock, readInput: async () => '' })

  async function startAndStop(storage: TestStorage, mode: Mode | undefined): Promise<void> {
    const app = await startApp(loadConfig(settingsOf(storage, mode)), silentLog)
    await app.stop()
  }

  async function withStorage(work: (storage: TestStorage) => Promise<void>): Promise<void> {
    const storage = await testStorage(usualDatabase())
    try {
      await work(storage)
    } finally {
      await storage.remove()
    }
  }

  /** Returns all rows that a first start creates in either mode. */
  async function rowsOf(storage: TestStorage): Promise<string> {
    const store = await lookInto(storage)
    const tables = [
      'accounts',
      'domains',
      'users',
      'keys',
      'dkim_keys',
      'streams',
      'test_inboxes',
      'test_mails',
      'installation',
    ] as const
    const rows = await Promise.all(tables.map((table) => store.read.selectFrom(table).selectAll().execute()))
    await store.close()
    return JSON.stringify(rows)
  }

  async function modeOf(storage: TestStorage): Promise<string | undefined> {
    const store = await lookInto(storage)
    const mode = await readMode(store.read)
    await store.close()
    return mode
  }

  async function refusedAsBefore(storage: TestStorage, wrong: Mode | undefined, right: Mode): Promise<void> {
    const before = await rowsOf(storage)
    const sentence = new RegExp(
      `was made in ${right} mode, .* set POSTRIDER_MODE=${right}, or name another store`,
    )
    await assert.rejects(startAndStop(storage, wrong), (error: Error) => {
      assert.ok(error instanceof OtherModeError)
      assert.match(error.message, sentence)
      return true
    })
    for (const words of [
      'account list',
      'account create Other',
      'queue list',
      'migrate',
      'doctor',
      'serve',
    ]) {
      const { code, stderr, stdout } = await cli(storage, wrong, ...words.split(' '))
      assert.equal(code, 2, `${words}: ${stdout}`)
      assert.match(stderr, sentence)
    }
    assert.ok((await rowsOf(storage)) === before, 'something was written')
    assert.equal(existsSync(join(storage.dataDir, 'playground.json')), right === 'playground')
  }

  test('a production store is not started or changed without POSTRIDER_MODE', () =>
    withStorage(async (storage) => {
      assert.equal((await cli(storage, 'production', 'account', 'create', 'Ours')).code, 0)
      assert.equal(await modeOf(storage), 'production')
      await refusedAsBefore(storage, undefined, 'production')
      await startAndStop(storage, 'production')
    }))

  test(
    'a playground is not started in production',
    thorough('0.7 CPU s; the other tests of the file cover the common cases'),
    () =>
      withStorage(async (storage) => {
        await startAndStop(storage, undefined)
        assert.equal(await modeOf(storage), 'playground')
        await refusedAsBefore(storage, 'production', 'playground')
        await startAndStop(storage, 'playground')
      }),
  )
})
