// Leases that an outage of the shared store has ended are left to their holders for the time of a lease.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claim, createOwner, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { acceptMessage } from '../messages/messages.ts'
import { keepHeartbeat, MAX_SILENCE_MS } from './heartbeat.ts'
import { renewLeases } from './leases.ts'

const SECOND = 1_000

for (const database of DATABASES) {
  test(`what an outage ended is not taken over right after it, on ${database}`, async () => {
    const store = await openTestStore(database)
    const owner = await createOwner(store)
    await store.write(acceptMessage, messageTo(owner, ['dead@a.example', 'lives@a.example']))
    const taken = async (at: number): Promise<string[]> =>
      (await claim(store, { now: NOW + at })).recipients.map(({ email }) => email)
    const beat = (at: number) => store.write(keepHeartbeat, { now: NOW + at })
    for (let at = 0; at <= 20 * SECOND; at += 5 * SECOND) await beat(at)
    const { recipients } = await claim(store)
    assert.equal(recipients.length, 2)
    const back = 95 * SECOND
    if (database === 'sqlite') {
      assert.equal((await taken(back)).length, 2, 'a store of one node has no other holders')
      await store.close()
      return
    }
    assert.deepEqual(await taken(back), [], 'the first after the outage is a claim')
    await beat(back)
    assert.deepEqual(await taken(back + 1), [])
    // The holder that lives is back as well.
    const lives = recipients.find(({ email }) => email === 'lives@a.example')
    const until = NOW + back + 60 * SECOND
    assert.equal((await store.write(renewLeases, { held: [lives!], until })).length, 1)
    for (let at = back + 5 * SECOND; at < back + 60 * SECOND; at += 15 * SECOND) {
      await beat(at)
      assert.deepEqual(await taken(at), [])
    }
    await beat(back + 59 * SECOND)
    await store.write(renewLeases, { held: [lives!], until: until + 60 * SECOND })
    assert.deepEqual(await taken(back + 61 * SECOND), ['dead@a.example'])
    assert.deepEqual(await taken(back + 59 * SECOND + MAX_SILENCE_MS + 1), [], 'the next outage')
    await store.close()
  })
}
