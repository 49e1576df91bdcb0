// Copies of the embedded database, taken while it is written.

import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type TestStorage, testStorage } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import type { Problem } from '../../model/problem.ts'
import { createAccount, listAccounts } from '../access/accounts.ts'
import { openStore } from '../open-store.ts'
import { backupDatabase } from './backup.ts'
import { databaseFile, type Store } from './store.ts'

describe('backupDatabase', () => {
  let from: TestStorage
  let to: TestStorage
  let store: Store

  before(async () => {
    from = await testStorage('sqlite')
    to = await testStorage('sqlite')
    store = await openStore({ ...from, log: silentLog })
  })
  after(async () => {
    await store.close()
    await from.remove()
    await to.remove()
  })

  const keepAccount = (name: string): Promise<true> =>
    store.write(createAccount, {
      id: `acc_${name}`,
      name,
      status: 'active',
      sending_allowance: null,
      stored_bytes_limit: null,
      verification_credits: 0,
      created_at: 0,
    })

  test('holds what was acknowledged before, while writes go on', async () => {
    await keepAccount('before')
    let writing = true
    const writes = (async () => {
      for (let number = 0; writing; number++) await keepAccount(`during${number}`)
    })()
    const file = databaseFile(to.dataDir)
    const made = await backupDatabase(from.dataDir, file)
    writing = false
    await writes
    assert.equal(made.file, file)
    assert.equal(made.bytes, (await stat(file)).size)
    assert.deepEqual(await readdir(to.dataDir), ['postrider.db'])
    const copied = await openStore({ ...to, log: silentLog })
    const names = (await listAccounts(copied.read)).map((account) => account.name)
    await copied.close()
    assert.ok(names.includes('before'))
  })

  test('replaces an earlier copy, readable by its owner only', async () => {
    const file = join(to.dataDir, 'again.db')
    await backupDatabase(from.dataDir, file)
    await keepAccount('later')
    await backupDatabase(from.dataDir, file)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.ok((await readFile(file)).includes('acc_later'))
  })

  test('refuses to replace anything else', async () => {
    const other = join(to.dataDir, 'notes.txt')
    await writeFile(other, 'not a database')
    const refused: [string, string, string][] = [
      [from.dataDir, databaseFile(from.dataDir), 'conflict'],
      [from.dataDir, other, 'conflict'],
      [from.dataDir, to.dataDir, 'conflict'],
      [from.dataDir, join(to.dataDir, 'nowhere/copy.db'), 'not_found'],
      [join(to.dataDir, 'empty'), join(to.dataDir, 'copy.db'), 'not_found'],
    ]
    for (const [dataDir, file, code] of refused) {
      await assert.rejects(backupDatabase(dataDir, file), (error: Problem) => error.code === code, file)
    }
    assert.equal(await readFile(other, 'utf8'), 'not a database')
  })
})
