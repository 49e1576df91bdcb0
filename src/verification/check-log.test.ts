// The log of single verifications: written in batches, in full at a stop, and later where the store is away.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { openTestStore, usualDatabase } from '../../test/support/store.ts'
import { createTenant } from '../../test/support/tenant.ts'
import { until } from '../../test/support/test-clock.ts'
import { newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import { listChecks, type VerificationCheck } from '../store/verification/verification-checks.ts'
import { CheckLog } from './check-log.ts'

describe('the log of single verifications', () => {
  let store: Store
  let accountId: string
  let isAway = false

  beforeEach(async () => {
    isAway = false
    const open = await openTestStore(usualDatabase())
    store = {
      ...open,
      write: (write, item) =>
        isAway ? Promise.reject(new Problem('unavailable', 'away')) : open.write(write, item),
    }
    const { account } = await createTenant(store)
    accountId = account.id
  })
  afterEach(() => store.close())

  const check = (email: string, id = newId('chk')): VerificationCheck => ({
    ...{ account_id: accountId, id, email, result: 'risky', answer: '{}' },
    ...{ key_id: null, user_id: null, checked_at: Date.now() },
  })
  const kept = async (): Promise<string[]> =>
    (await listChecks(store.read, accountId, undefined, 200)).map(({ email }) => email).toSorted()

  test('writes by itself, and the rest at a stop', async () => {
    const log = new CheckLog(store, silentLog)
    log.start()
    log.add(check('a@x.test'))
    await until('it is written', async () => (await kept()).length === 1)
    log.add(check('b@x.test'))
    await log.stop()
    assert.deepEqual(await kept(), ['a@x.test', 'b@x.test'])
  })

  test('one that the database refuses takes none with it', async () => {
    const log = new CheckLog(store, silentLog)
    const id = newId('chk')
    for (const email of ['a@x.test', 'b@x.test']) log.add(check(email, id))
    log.add(check('c@x.test'))
    await log.flush()
    assert.deepEqual(await kept(), ['a@x.test', 'c@x.test'])
    assert.equal(log.figures()[0]?.read(), 1)
  })

  test('while the store is away a bounded number waits', async () => {
    const log = new CheckLog(store, silentLog, 3)
    isAway = true
    for (const email of ['a@x.test', 'b@x.test']) log.add(check(email))
    await log.flush()
    for (const email of ['c@x.test', 'd@x.test', 'e@x.test']) log.add(check(email))
    assert.equal(log.figures()[0]?.read(), 2)
    isAway = false
    await log.flush()
    assert.deepEqual(await kept(), ['a@x.test', 'b@x.test', 'c@x.test'])
  })
})
