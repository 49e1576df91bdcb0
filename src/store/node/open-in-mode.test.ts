// Opening a store that does not answer every query: a missing answer does not count as a negative answer.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectTo } from '../../../test/support/partitions.ts'
import { testStorage } from '../../../test/support/store.ts'
import { createAccount } from '../../access/accounts.ts'
import { auditedStore } from '../../access/audit.ts'
import { systemClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import { lookAtStore } from '../database/unopened.ts'
import { listRunningNodes } from './nodes.ts'
import { openStoreInMode } from './open-in-mode.ts'
import { makeSealingKey } from './sealing-key.ts'

test('a locked table, as during a migration, does not make a used store a new one', async () => {
  const storage = await testStorage('postgres', 'tables')
  const settings = { ...storage, mode: 'production', migrates: true, log: silentLog } as const
  const store = await openStoreInMode(settings)
  await createAccount({ store: auditedStore(store), clock: systemClock }, 'Example')
  await store.close()
  const sealingKeyFile = join(storage.dataDir, 'key')
  makeSealingKey(sealingKeyFile)

  const holder = await connectTo(storage)
  await holder.query('begin')
  await holder.query('lock table accounts, nodes in access exclusive mode')
  const place = { ...settings, sealingKeyFile, databaseTimeoutMs: 500 }
  await assert.rejects(openStoreInMode(place), { code: 'unavailable' })
  await assert.rejects(
    lookAtStore(place, (read) => listRunningNodes(read, Date.now())),
    { code: 'unavailable' },
  )
  await holder.query('rollback')

  assert.deepEqual((await holder.query('select * from sealing')).rows, [])
  await assert.rejects(openStoreInMode(place), /the store is not sealed yet/)
  await holder.end()
  await storage.remove()
})
