// Results of one kind are found at any position of a long list of addresses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DATABASES, lookInto, testStorage } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { listAnswers } from './verifications.ts'

const ROWS = 25_000
const AT_ONCE = 2_500
/** Positions of risky addresses at the boundaries of the rows that one statement reads. */
const RISKY = [0, 9_999, 10_000, 10_001, 19_999, 20_000, 24_999]

for (const database of DATABASES) {
  test(`${database}: page by page, and all at once`, async () => {
    const storage = await testStorage(database, 'tables')
    const store = await lookInto(storage)
    const [accountId, id] = [newId('acc'), newId('ver')]
    for (let first = 0; first < ROWS; first += AT_ONCE) {
      const rows = Array.from({ length: AT_ONCE }, (_, index) => {
        const position = first + index
        const result = RISKY.includes(position) ? 'risky' : 'deliverable'
        const answer = position === 5 ? null : `{"email":"a${position}@b.test","result":"${result}","x":1}`
        return {
          verification_id: id,
          account_id: accountId,
          position,
          email: 'a@b.test',
          answer,
          cells: null,
        }
      })
      await store.read.insertInto('verification_addresses').values(rows).execute()
    }
    const positions = async (after: number, limit: number): Promise<number[]> => {
      const found = await listAnswers(store.read, accountId, id, { after, limit, result: 'risky' })
      return found.map(({ position }) => Number(position))
    }
    assert.deepEqual(await positions(-1, 100), RISKY)
    assert.deepEqual(await positions(-1, 3), RISKY.slice(0, 3))
    assert.deepEqual(await positions(9_999, 3), RISKY.slice(2, 5))
    assert.deepEqual(await positions(24_999, 3), [])
    await store.close()
    await storage.remove()
  })
}
