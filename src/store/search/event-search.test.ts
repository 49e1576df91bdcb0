// Finding events of many domains on both databases: the followed and the listed events have the same order, and events
// are found by the prefix of an address.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { planOf } from '../../../test/support/query-plan.ts'
import { createOwner, messageTo } from '../../../test/support/queued.ts'
import { DATABASES, settled, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { silentLog } from '../../lib/log.ts'
import { type AcceptMessage, acceptMessage } from '../accepting/accept-message.ts'
import type { Store } from '../database/store.ts'
import type { EventFilter } from '../events/event-filter.ts'
import type { Owner } from '../messages/messages.ts'
import { openStore } from '../node/open-in-mode.ts'
import { addressedMessages, followEvents, isEventCursor, listEvents } from './event-search.ts'

/**
 * Number of domains, more than one query reads at once; number of messages of one domain, more than a search by message
 * ID allows.
 */
const DOMAINS = 19
const MANY = 1_001

for (const database of DATABASES) {
  describe(`events of many domains in ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let owners: Owner[]
    let ids: string[]
    /** IDs of all events, ordered by feed position. */
    let all: string[]
    before(async () => {
      storage = await testStorage(database, 'tables')
      store = await openStore({ ...storage, log: silentLog })
      owners = await Promise.all(Array.from({ length: DOMAINS }, () => createOwner(store)))
      ids = owners.map(({ domainId }) => domainId)
      for (let round = 0; round < 3; round++) {
        for (const owner of owners)
          await store.write(acceptMessage, messageTo(owner, [`Ann_${round}@d.example`, 'bob@d.example']))
        await settled(store)
      }
      const rows = await store.read
        .selectFrom('event_feed')
        .select('event_id')
        .where('domain_id', 'in', ids)
        .orderBy('position')
        .execute()
      all = rows.map(({ event_id }) => event_id)
    })
    after(async () => {
      await store.close()
      await storage.remove()
    })

    async function follow(filter: EventFilter, limit: number): Promise<string[]> {
      const found: string[] = []
      for (let position = 0; ; ) {
        const page = await followEvents(store.read, ids, filter, { after: position, limit })
        assert.ok(page.events.length <= limit)
        found.push(...page.events.map(({ id }) => id))
        if (page.position === position) return found
        position = page.position
      }
    }

    async function list(filter: EventFilter, limit: number): Promise<string[]> {
      const found: string[] = []
      for (let cursor: string | undefined; ; ) {
        const { events, next } = await listEvents(store.read, ids, filter, { limit, cursor })
        assert.ok(events.length <= limit)
        found.push(...events.map(({ id }) => id))
        if (next === null) return found
        assert.ok(isEventCursor(filter, next), next)
        cursor = next
      }
    }

    test('to an address are found by the index, in their original spelling', async () => {
      const [domainId = ''] = ids
      assert.match(
        await planOf(store.read, addressedMessages(store.read, domainId, 'Ann_0@d.example').compile()),
        database === 'sqlite'
          ? /SEARCH recipients USING INDEX recipients_by_any_case \(domain_id=\? AND <expr>=\?\)/
          : /recipients_by_any_case.*\n.*Index Cond: .*domain_id.* AND .*lower\(email\)/,
      )
      assert.equal((await list({ email: 'Ann_0@d.example' }, 10)).length, DOMAINS)
      assert.deepEqual(await list({ email: 'ann_0@d.example' }, 10), [])
    })

    test(
      'are returned in the order of their positions across domains',
      thorough('1.1 CPU s: events of many domains'),
      async () => {
        assert.equal(all.length, DOMAINS * 6)
        for (const limit of [1, 7, 100, 200]) {
          assert.deepEqual(await follow({}, limit), all)
          assert.deepEqual(await list({}, limit), all.toReversed())
        }
        assert.deepEqual(await list({ types: new Set(['accepted']) }, 10), all.toReversed())
        assert.deepEqual(await list({ types: new Set(['bounced']) }, 10), [])
      },
    )

    test('are found by the beginning of an address in any case, and wildcards have no meaning', async () => {
      const to = async (emailBegins: string): Promise<string[]> => {
        const search = { emailBegins, words: [] }
        const found = await list({ search }, 10)
        assert.deepEqual((await follow({ search }, 10)).sort(), found.toSorted(), emailBegins)
        assert.equal(new Set(found).size, found.length)
        return found
      }
      assert.equal((await to('aNN_')).length, DOMAINS * 3)
      assert.equal((await to('ann_1@D.example')).length, DOMAINS)
      assert.equal((await to('bob')).length, DOMAINS * 3)
      for (const none of ['nn_', '%', '_nn', 'ann_1@d.example.', "a' or 1=1"])
        assert.deepEqual(await to(none), [])
    })

    test('are found by words of the subject, by causes and providers, through the feed or the messages', async () => {
      const [owner] = owners as [Owner]
      const subject = (text: string): Partial<AcceptMessage> => ({
        message: { ...messageTo(owner, ['dan@d.example']).message, subject: text },
      })
      await store.write(
        acceptMessage,
        messageTo(owner, ['dan@d.example', 'eve@d.example'], subject('Blue moon')),
      )
      await store.write(acceptMessage, messageTo(owner, ['eve@d.example'], subject('Blue sea')))
      await settled(store)
      const found = async (filter: EventFilter): Promise<number> => {
        const all = await list(filter, 1)
        assert.deepEqual((await follow(filter, 7)).sort(), all.toSorted())
        return all.length
      }
      const about = (words: readonly string[], emailBegins = 'nobody'): EventFilter => ({
        search: { emailBegins, words },
      })
      assert.equal(await found(about(['blue'])), 3)
      assert.equal(await found(about(['blu', 'mo'])), 2)
      assert.equal(await found(about(['blue', 'star'])), 0)
      // One match suffices, either in the address or in the subject.
      assert.equal(await found(about(['sea'], 'dan@')), 2)
      assert.equal(await found({ ...about(['blue']), category: 'mailbox_full' }), 0)
      assert.equal(await found({ ...about(['blue']), provider: null }), 3)
      assert.equal(await found({ types: new Set(['accepted']), provider: 'Gmail' }), 0)
    })

    test(
      'are found through the feed if there are too many messages',
      thorough('0.6 CPU s: events of many domains'),
      async () => {
        const [owner] = owners as [Owner]
        await Promise.all(
          Array.from({ length: MANY }, (_, index) =>
            store.write(acceptMessage, messageTo(owner, [`cara${index}@d.example`])),
          ),
        )
        await settled(store)
        const to = (emailBegins: string): EventFilter => ({ search: { emailBegins, words: [] } })
        assert.equal((await list(to('CARA'), 200)).length, MANY)
        assert.equal((await list(to('cara100'), 3)).length, 2)
        assert.equal((await list(to('ann_0'), 7)).length, DOMAINS)
      },
    )
  })
}
