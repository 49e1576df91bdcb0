// Leases that ended during an outage of the shared store stay with their nodes for the duration of one more lease.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claim, createOwner, messageTo, NOW } from '../../../test/support/queued.ts'
import { changeRow, DATABASES, testStorage } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import { LEASE_MS } from '../../model/lease.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import { openStore } from '../node/open-in-mode.ts'
import { keepHeartbeat, MAX_SILENCE_MS } from './heartbeat.ts'
import { renewLeases } from './leases.ts'

const SECOND = 1_000

for (const database of DATABASES) {
  test(`a lease that ended in an outage is not taken over right after it, on ${database}`, async () => {
    const storage = await testStorage(database, 'tables')
    const store = await openStore({ ...storage, log: silentLog })
    const owner = await createOwner(store)
    await store.write(acceptMessage, messageTo(owner, ['dead@a.example', 'lives@a.example']))
    const taken = async (at: number): Promise<string[]> =>
      (await claim(store, { now: NOW + at })).recipients.map(({ email }) => email)
    const beat = () => store.write(keepHeartbeat, {})
    /** Simulates elapsed time: moves all times of the heartbeat back by this many milliseconds. */
    const pass = (ms: number) =>
      changeRow(
        storage,
        `update store_heartbeat set beat_at = beat_at - ${ms}, steady_since = steady_since - ${ms}`,
        [],
      )
    await beat()
    const { recipients } = await claim(store)
    assert.equal(recipients.length, 2)
    await pass(75 * SECOND)
    const back = 95 * SECOND
    if (database === 'postgres') {
      assert.deepEqual(await taken(back), [], 'the first after the outage is a claim')
      await beat()
      assert.deepEqual(await taken(back), [])
      // The node that survived the outage renews its lease.
      const lives = recipients.find(({ email }) => email === 'lives@a.example')
      const until = NOW + back + LEASE_MS
      assert.equal((await store.write(renewLeases, { held: [lives!], until })).length, 1)
      for (let waited = 0; waited < 45 * SECOND; waited += 15 * SECOND) {
        await pass(15 * SECOND)
        await beat()
        assert.deepEqual(await taken(back + 1), [])
      }
      await pass(15 * SECOND)
      assert.deepEqual(
        await taken(back + 2),
        ['dead@a.example'],
        'it has been steady for the time of a lease',
      )
      await pass(MAX_SILENCE_MS)
      assert.deepEqual(await taken(until + 1), [], 'the next outage')
    } else assert.equal((await taken(back)).length, 2, 'a store of one node has no other holders')
    await store.close()
    await storage.remove()
  })
}
