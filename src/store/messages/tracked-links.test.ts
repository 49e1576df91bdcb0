// Hits of tracked links on both databases: each recipient has one first hit, even if hits are written concurrently.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { writeKilled } from '../../../test/support/killed.ts'
import { claim, createOwner, finish, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, settled, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { silentLog } from '../../lib/log.ts'
import { MAX_EVENTS_PER_LINK, type NewHit, TOO_SOON_MS } from '../../model/tracking-hit.ts'
import { OPEN_LINK } from '../../model/tracking-link.ts'
import { HitLog } from '../../tracking/hit-log.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import type { Store } from '../database/store.ts'
import { openStore } from '../node/open-in-mode.ts'
import type { Owner } from './messages.ts'
import { recordHits } from './tracked-links.ts'

for (const database of DATABASES) {
  describe(`hits of tracked links in ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let owner: Owner
    beforeEach(async () => {
      storage = await testStorage(database)
      store = await openStore({ ...storage, log: silentLog })
      owner = await createOwner(store)
    })
    afterEach(async () => {
      await store.close()
      await storage.remove()
    })

    /**
     * Accepts a message to this number of recipients, and delivers the message to the first `delivered` recipients.
     */
    async function sent(recipients: number, delivered = recipients): Promise<string> {
      const made = messageTo(
        owner,
        Array.from({ length: recipients }, (_, index) => `r${index}@d.example`),
      )
      await store.write(acceptMessage, made)
      const { recipients: claimed } = await claim(store, { now: NOW })
      for (const one of claimed) if (one.position < delivered) await finish(store, one, 'delivered')
      return made.message.id
    }

    const hitOf = (messageId: string, more: Partial<NewHit> = {}): NewHit => ({
      ...{ messageId, position: 0, link: OPEN_LINK, url: '', at: NOW + 3_600_000, more: 0 },
      ...{ userAgent: 'Mozilla/5.0 Firefox/150.0', machine: undefined },
      ...more,
    })

    /** Returns the number of events of this type for each kind of hit. */
    async function kinds(type: string, at: Store = store): Promise<Record<string, number>> {
      const rows = await at.read
        .selectFrom('events')
        .select('detail')
        .where('type', '=', type as never)
        .execute()
      const found: Record<string, number> = {}
      for (const { detail } of rows) {
        const { kind } = JSON.parse(detail)
        found[kind] = (found[kind] ?? 0) + 1
      }
      return found
    }

    test('have one first hit, even if two nodes write hits at the same time', async () => {
      const id = await sent(2)
      const other = await openStore({ ...storage, log: silentLog })
      try {
        const writes = Array.from({ length: 12 }, (_, index) =>
          (index % 2 === 0 ? store : other).write(recordHits, {
            hits: [
              hitOf(id),
              hitOf(id, { position: 1 }),
              hitOf(id, { link: index % 3, url: 'https://a.test/' }),
            ],
          }),
        )
        await Promise.all(writes)
      } finally {
        await other.close()
      }
      assert.deepEqual(await kinds('opened'), { first: 2, repeated: 22 })
      assert.deepEqual(await kinds('clicked'), { first: 1, repeated: 11 })
      await settled(store)
      assert.deepEqual(await figures(), { opened: 2, clicked: 1 })
    })

    test(
      'are counted completely or not at all after a crash at any statement that writes them',
      thorough('2 CPU s: kills a process after each statement of a write'),
      async () => {
        const id = await sent(2)
        const hits = [
          hitOf(id),
          hitOf(id, { position: 1 }),
          ...[0, 1].map((link) => hitOf(id, { link, url: 'https://a.test/' })),
        ]
        const counted: number[] = []
        for (let statements = 0, killed = true; killed; statements++) {
          killed = await writeKilled(storage, recordHits, { hits }, statements)
          const links = await store.read.selectFrom('tracked_links').select('hits').execute()
          const [first = 0] = new Set(links.map((row) => Number(row.hits)))
          assert.ok(links.every((row) => Number(row.hits) === first))
          assert.ok(links.length === 0 || links.length === hits.length)
          counted.push(first)
          assert.deepEqual(await kinds('opened'), first === 0 ? {} : kindsOf(2, 2 * first))
          assert.deepEqual(await kinds('clicked'), first === 0 ? {} : kindsOf(1, 2 * first))
        }
        // A writer that is killed before the commit counts no hit. Each later writer counts every hit, whether killed
        // after the commit or not killed at all.
        const none = counted.lastIndexOf(0) + 1
        assert.deepEqual(
          counted.slice(none),
          counted.slice(none).map((_, index) => index + 1),
        )
        assert.ok(counted.length - none >= 2)
        // A write has at least seven statements: for streams, recipients, messages, links, the change of links, events
        // and the log.
        assert.ok(none >= 7, `only ${none} statements`)
        await settled(store)
        assert.deepEqual(await figures(), { opened: 2, clicked: 1 })
      },
    )

    const kindsOf = (first: number, all: number): object =>
      all === first ? { first } : { first, repeated: all - first }

    /** Returns the numbers of opens and clicks that charts show. */
    async function figures(): Promise<{ opened: number; clicked: number }> {
      const { opened, clicked } = await store.read
        .selectFrom('message_counts')
        .select(({ fn }) => [fn.sum<number>('opened').as('opened'), fn.sum<number>('clicked').as('clicked')])
        .executeTakeFirstOrThrow()
      return { opened: Number(opened), clicked: Number(clicked) }
    }

    test('count for nobody if the link does not exist or was not delivered long enough ago', async () => {
      const id = await sent(2, 1)
      const { last_event_at: delivered } = await store.read
        .selectFrom('recipients')
        .select('last_event_at')
        .where('message_id', '=', id)
        .where('position', '=', 0)
        .executeTakeFirstOrThrow()
      await store.write(recordHits, {
        hits: [
          hitOf(id, { at: Number(delivered) - 1_000 }),
          hitOf(id, { at: Number(delivered) + TOO_SOON_MS - 1 }),
          hitOf(id, { position: 1 }),
          hitOf(id, { position: 7 }),
          hitOf('msg_01JZ0000000000000000000000'),
        ],
      })
      assert.deepEqual(await kinds('opened'), { machine: 3 })
      await store.write(recordHits, { hits: [hitOf(id, { at: Number(delivered) + TOO_SOON_MS })] })
      assert.deepEqual(await kinds('opened'), { machine: 3, first: 1 })
    })

    test('of a filter count for nobody at a host that defers the message, unless the host may have it', async () => {
      const made = messageTo(owner, ['a@d.example', 'b@d.example'])
      await store.write(acceptMessage, made)
      const { id } = made.message
      const { recipients } = await claim(store)
      for (const one of recipients) {
        const unknown = one.position === 1
        await finish(store, one, 'deferred', NOW + 60_000, { unknown })
      }
      const hits = [hitOf(id), hitOf(id, { position: 1 })]
      await store.write(recordHits, { hits })
      assert.deepEqual(await kinds('opened'), { machine: 1, first: 1 })
      // The same hits arrive during the next attempt.
      await claim(store, { now: NOW + 120_000 })
      await store.write(recordHits, { hits })
      assert.deepEqual(await kinds('opened'), { machine: 2, first: 1, repeated: 1 })
    })

    test('are written even if the database refuses one of them', async () => {
      const id = await sent(3)
      const log = new HitLog(store, silentLog)
      log.add(hitOf(id))
      log.add(hitOf(id, { position: 1, at: Number.NaN }))
      log.add(hitOf(id, { position: 2 }))
      await log.flush()
      assert.deepEqual(await kinds('opened'), { first: 2 })
      assert.equal(log.figures()[0]?.read(), 1)
    })

    test('wait in bounded memory, where a flood for one link displaces no other hit', async () => {
      const id = await sent(3)
      const log = new HitLog(store, silentLog, 20_000)
      for (let left = 5_000; left > 0; left--) log.add(hitOf(id, { machine: 'head' }))
      for (let left = 5_000; left > 0; left--) log.add(hitOf(id))
      log.add(hitOf(id, { position: 1 }))
      log.add(hitOf(id, { position: 2, link: 4, url: 'https://a.test/' }))
      const [lost] = log.figures()
      assert.equal(lost?.read(), 0)
      for (let link = 10; link < 300; link++) log.add(hitOf(id, { link, url: 'https://a.test/' }))
      assert.ok(Number(lost?.read()) > 200)
      await log.stop()
      const rows = await store.read
        .selectFrom('tracked_links')
        .select(['position', 'link', 'hits', 'machine_hits'])
        .where('link', '<', 10)
        .orderBy('position')
        .execute()
      assert.deepEqual(
        rows.map(({ position, link, hits, machine_hits }) =>
          [position, link, hits, machine_hits].map(Number),
        ),
        [
          [0, OPEN_LINK, 5_000, 5_000],
          [1, OPEN_LINK, 1, 0],
          [2, 4, 1, 0],
        ],
      )
      const { people, machines } = MAX_EVENTS_PER_LINK
      assert.deepEqual(await kinds('opened'), { first: 2, repeated: people - 1, machine: machines })
    })
  })
}
