// Lists of addresses in the store, on both databases: the result of an address counts once, even if the result is
// written repeatedly.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { createAccount, WITHOUT_LIMITS } from '../access/accounts.ts'
import { openListsOf } from '../person/about-address.ts'
import { countCredits, grantCredits, listCreditUses } from './verification-credits.ts'
import {
  type AddressResult,
  claimVerification,
  finishVerificationAddresses,
  listPendingAddresses,
} from './verification-work.ts'
import {
  addVerificationAddresses,
  cancelVerification,
  findVerification,
  openVerification,
  queueVerification,
} from './verifications.ts'

const NOW = Date.UTC(2026, 0, 31, 12)

for (const database of DATABASES) {
  test(`results that are written again after a commit without an answer count and cost once, on ${database}`, async (t) => {
    const store = await openTestStore(database)
    t.after(() => store.close())
    const [accountId, id] = [newId('acc'), newId('ver')]
    await store.write(createAccount, {
      ...{ ...WITHOUT_LIMITS, id: accountId, name: 'Test', created_at: NOW },
    })
    await store.write(grantCredits, { accountId, credits: 7, note: null, now: NOW })
    await store.write(openVerification, {
      ...{ id, account_id: accountId, key_id: newId('key'), name: null, columns: null, status: 'loading' },
      ...{ total: 0, duplicates: 0, deliverable: 0, undeliverable: 0, risky: 0, unknown: 0 },
      ...{ lease: null, lease_until: null, created_at: NOW, finished_at: null },
    })
    const addresses = Array.from({ length: 10 }, (_, position) => ({
      ...{ position, email: `x${position}@receiver.example`, cells: null },
    }))
    await store.write(addVerificationAddresses, { accountId, verificationId: id, addresses })
    await store.write(queueVerification, { accountId, id, total: 10, duplicates: 0 })
    const claim = { now: NOW, lease: 'one', leaseUntil: NOW + 60_000 }
    assert.equal((await store.write(claimVerification, claim))?.id, id)

    const finish = (...positions: number[]) =>
      store.write(finishVerificationAddresses, {
        ...{ accountId, id, lease: 'one', now: NOW },
        addresses: positions.map((position): AddressResult => ({ position, result: 'risky', answer: '{}' })),
      })
    const left = async () => {
      const list = await findVerification(store.read, accountId, id)
      const [use] = await listCreditUses(store.read, accountId, 1)
      return [list?.risky, use?.credits, await countCredits(store.read, accountId)]
    }
    assert.equal(await finish(0, 1, 2), 'kept')
    assert.equal(await finish(0, 1, 2), 'kept')
    assert.deepEqual(await left(), [3, 3, 4])
    assert.equal(await finish(2, 3, 0, 4), 'kept')
    assert.deepEqual(await left(), [5, 5, 2])
    assert.equal(await finish(4, 5, 6, 7), 'no_credits')
    assert.deepEqual(await left(), [7, 7, 0])
    assert.equal(await finish(5, 6), 'kept')
    const pending = await listPendingAddresses(store.read, id, -1, 10)
    assert.deepEqual(
      pending.map(({ position }) => position),
      [7, 8, 9],
    )

    // An unfinished list prevents the erasure of its addresses; a cancelled list does not.
    const lists = () => openListsOf(store.read, { email: 'x9@receiver.example', accountId })
    assert.deepEqual(await lists(), [id])
    await store.write(cancelVerification, { accountId, id, now: NOW })
    assert.deepEqual(await lists(), [])
  })
}
