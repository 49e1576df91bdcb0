// Backups of the embedded database during concurrent writes.

import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { NO_SMALL_DISK, SmallDisk } from '../../../test/support/small-disk.ts'
import { type TestStorage, testStorage } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import type { Problem } from '../../model/problem.ts'
import { UnfitSettingsError } from '../../model/unfit-settings.ts'
import { createAccount, listAccounts, WITHOUT_LIMITS } from '../access/accounts.ts'
import { openStore } from '../node/open-in-mode.ts'
import { backupDatabase } from './backup.ts'
import { databaseFile, type Store } from './store.ts'
import { lookAtStore } from './unopened.ts'

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
      ...WITHOUT_LIMITS,
      created_at: 0,
    })

  test('holds all writes that were acknowledged before it, while writes go on', async () => {
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

  test('replaces an earlier copy, and only the owner can read the copy', async () => {
    const file = join(to.dataDir, 'again.db')
    await backupDatabase(from.dataDir, file)
    await keepAccount('later')
    await backupDatabase(from.dataDir, file)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.ok((await readFile(file)).includes('acc_later'))
  })

  test('refuses to replace any other file', async () => {
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

  test('distinguishes a database that this user cannot read from a missing one', async () => {
    const file = join(to.dataDir, 'no-directory')
    await writeFile(file, '')
    const isUnfit = (error: Error): boolean =>
      error instanceof UnfitSettingsError && /cannot be opened \(ENOTDIR/.test(error.message)
    await assert.rejects(backupDatabase(file, join(to.dataDir, 'copy.db')), isUnfit)
    await assert.rejects(
      lookAtStore({ dataDir: file, databaseUrl: undefined }, async () => true),
      isUnfit,
    )
    const broken = join(to.dataDir, 'broken')
    await mkdir(broken)
    await writeFile(databaseFile(broken), Buffer.alloc(8_192, 'no database'))
    await assert.rejects(
      backupDatabase(broken, join(to.dataDir, 'copy.db')),
      (error: Error) =>
        error instanceof UnfitSettingsError && /cannot be opened \(file is not/.test(error.message),
    )
  })

  test('reports that the disk is too full to open the database', async (context) => {
    const disk = await SmallDisk.mount(1)
    if (disk === undefined) return context.skip(NO_SMALL_DISK)
    try {
      await backupDatabase(from.dataDir, databaseFile(disk.path))
      disk.fill()
      await assert.rejects(backupDatabase(disk.path, join(to.dataDir, 'of-a-full-disk.db')), {
        code: 'unavailable',
        message: /cannot be opened \(disk I\/O error\); check that .* not full\.$/,
      })
    } finally {
      await disk.unmount()
    }
  })

  test('leaves nothing on a full disk and reports it', async (context) => {
    const disk = await SmallDisk.mount(1)
    if (disk === undefined) return context.skip(NO_SMALL_DISK)
    try {
      await writeFile(join(disk.path, 'other'), Buffer.alloc(900_000))
      await assert.rejects(backupDatabase(from.dataDir, join(disk.path, 'copy.db')), {
        code: 'conflict',
        message: `The copy cannot be written to ${disk.path}: the disk is full.`,
      })
      assert.deepEqual(await readdir(disk.path), ['other'])
    } finally {
      await disk.unmount()
    }
  })
})
