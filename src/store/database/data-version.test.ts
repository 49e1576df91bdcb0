// The data version of a store changes with each commit of any process, and in no other case.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { DATABASES, testStorage } from '../../../test/support/store.ts'
import { createTenant } from '../../../test/support/tenant.ts'
import { silentLog } from '../../lib/log.ts'
import { openStore } from '../node/open-in-mode.ts'
import { databaseFile } from './store.ts'

describe('the version of the data', () => {
  for (const database of DATABASES) {
    test(`changes with each commit and with nothing else, on ${database}`, async () => {
      const storage = await testStorage(database, 'tables')
      const store = await openStore({ ...storage, log: silentLog })
      try {
        const versions = [store.dataVersion()]
        const note = (): void => void versions.push(store.dataVersion())
        await store.read.selectFrom('accounts').selectAll().execute()
        note()
        await createTenant(store)
        note()
        if (database === 'sqlite') {
          const other = new DatabaseSync(databaseFile(storage.dataDir))
          other.exec("insert into installation (name, value) values ('x', 'y')")
          other.close()
        }
        note()
        if (database === 'postgres') assert.deepEqual(versions, Array(4).fill(undefined))
        else {
          const [first, read, written, elsewhere] = versions
          assert.equal(typeof first, 'number')
          assert.equal(read, first)
          assert.notEqual(written, first)
          assert.notEqual(elsewhere, written)
        }
      } finally {
        await store.close()
        await storage.remove()
      }
      // A component that watches the data version may outlive the store.
      assert.equal(store.dataVersion(), undefined)
    })
  }
})
