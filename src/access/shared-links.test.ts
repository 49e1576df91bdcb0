// Tests that revocations of shared links hold even if the clocks of the nodes differ.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DATABASES, testStorage } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { silentLog } from '../lib/log.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { SharedLinks } from './shared-links.ts'

const MINUTE_MS = 60_000

for (const database of DATABASES) {
  describe(`links without a login on ${database}`, () => {
    test('are revoked by a node whose clock is slower than that of the node that made them', async () => {
      const storage = await testStorage(database, 'tables')
      const store = await openStore({ ...storage, log: silentLog })
      try {
        const clock = new TestClock()
        const ahead = new TestClock(clock.now() + 5 * MINUTE_MS)
        const linksBy = (by: TestClock) =>
          new SharedLinks({ secret: 'a secret', purpose: 'message link', store, clock: by })
        const [links, linksAhead] = [linksBy(clock), linksBy(ahead)]
        const isGood = async (token: string) => (await links.read('msg_1', token)) !== undefined
        const tokens: string[] = []
        for (const by of [linksAhead, links, linksAhead]) {
          const { token } = await by.make('msg_1', 1)
          assert.equal(await isGood(token), true)
          assert.equal(await links.read('msg_2', token), undefined)
          await links.revoke('msg_1')
          tokens.push(token)
          for (const one of tokens) assert.equal(await isGood(one), false)
        }
        const { token } = await links.make('msg_1', 1)
        assert.equal(await isGood(token), true)
        clock.advance(60 * MINUTE_MS)
        assert.equal(await isGood(token), false)
      } finally {
        await store.close()
        await storage.remove()
      }
    })
  })
}
