// The log of single verifications is written in batches; a node that stops writes the whole log, and a node whose store
// is unavailable writes the log later.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { openTestStore, usualDatabase } from '../../test/support/store.ts'
import { createTenant } from '../../test/support/tenant.ts'
import { until } from '../../test/support/test-clock.ts'
import { newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import type { Store } from '../store/database/store.ts'
import {
  type CheckFilter,
  listChecks,
  recordChecks,
  type VerificationCheck,
} from '../store/verification/verification-checks.ts'
import { CheckLog } from './check-log.ts'

describe('the log of single verifications', () => {
  let store: Store
  let accountId: string
  let isAway = false
  let isSilent = false

  beforeEach(async () => {
    isAway = false
    isSilent = false
    const open = await openTestStore(usualDatabase())
    store = {
      ...open,
      async write(write, item) {
        if (isAway) throw new Problem('unavailable', 'away')
        const result = await open.write(write, item)
        if (isSilent) throw new Problem('unavailable', 'not known whether this was accepted')
        return result
      },
    }
    const { account } = await createTenant(store)
    accountId = account.id
  })
  afterEach(() => store.close())

  const check = (email: string): VerificationCheck => ({
    ...{ account_id: accountId, id: newId('chk'), email, result: 'risky', answer: '{}' },
    ...{ key_id: null, user_id: null, checked_at: Date.now() },
  })
  const kept = async (): Promise<string[]> =>
    (await listChecks(store.read, accountId, {}, 200)).map(({ email }) => email).toSorted()

  test('writes by itself, and the rest at a stop', async () => {
    const log = new CheckLog(store, silentLog)
    log.start()
    log.add(check('a@x.test'))
    await until('it is written', async () => (await kept()).length === 1)
    log.add(check('b@x.test'))
    await log.stop()
    assert.deepEqual(await kept(), ['a@x.test', 'b@x.test'])
  })

  test('is searched by a part of the address and by the result, also among many checks', async () => {
    const needle = check('Needle@x.test')
    const others = Array.from({ length: 10_500 }, (_, index) => check(`other${index}@x.test`))
    await store.write(recordChecks, { checks: [needle, ...others] })
    const found = async (filter: CheckFilter, limit = 10): Promise<string[]> =>
      (await listChecks(store.read, accountId, filter, limit)).map(({ email }) => email)
    assert.deepEqual(await found({ text: 'nEEdle@' }), ['Needle@x.test'])
    assert.deepEqual(await found({ text: 'needle', result: 'unknown' }), [])
    assert.deepEqual(await found({ text: '%' }), [])
    assert.equal((await found({ result: 'risky' }, 10_501)).length, 10_501)
    assert.equal((await found({}, 3)).length, 3)
  })

  test('one that the database refuses takes none with it', async () => {
    const log = new CheckLog(store, silentLog)
    log.add(check('a@x.test'))
    log.add({ ...check('b@x.test'), answer: null as unknown as string })
    log.add(check('c@x.test'))
    await log.flush()
    assert.deepEqual(await kept(), ['a@x.test', 'c@x.test'])
    assert.equal(log.figures()[0]?.read(), 1)
  })

  test('what the store has kept without saying so is there once, and none is lost', async () => {
    const log = new CheckLog(store, silentLog)
    for (const email of ['a@x.test', 'b@x.test']) log.add(check(email))
    isSilent = true
    await log.flush()
    assert.deepEqual(await kept(), ['a@x.test', 'b@x.test'])
    log.add(check('c@x.test'))
    isSilent = false
    await log.flush()
    assert.deepEqual(await kept(), ['a@x.test', 'b@x.test', 'c@x.test'])
    assert.equal(log.figures()[0]?.read(), 0)
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
