// The event log and its readers on both databases: no event is missed or counted twice, even if a reader is killed.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import pg from 'pg'
import { writeKilled } from '../../../test/support/killed.ts'
import { claim, createOwner, finish, messageTo } from '../../../test/support/queued.ts'
import { changeRow, DATABASES, settled, type TestStorage, testStorage } from '../../../test/support/store.ts'
import { until } from '../../../test/support/test-clock.ts'
import { thorough } from '../../../test/support/thorough.ts'
import { silentLog } from '../../lib/log.ts'
import { COUNTED_EVENTS } from '../../model/event.ts'
import { subjectWords } from '../../model/subject-words.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import type { Store } from '../database/store.ts'
import type { Owner } from '../messages/messages.ts'
import { readStoredBytes } from '../messages/stored-bytes.ts'
import { openStore } from '../node/open-in-mode.ts'
import { LogFollower } from '../readers/log-follower.ts'
import { followEventLog, LOG_READERS, unreadSince } from '../readers/log-readers.ts'
import { streamWord, tagWord } from '../readers/message-words.ts'

const HOUR_MS = 3_600_000

for (const database of DATABASES) {
  describe(`the readers of the event log in ${database}`, () => {
    let storage: TestStorage
    let store: Store
    let owner: Owner
    beforeEach(async () => {
      storage = await testStorage(database, 'tables')
      store = await open()
      owner = await createOwner(store)
    })
    afterEach(async () => {
      await store.close()
      await storage.remove()
    })

    const open = (): Promise<Store> => openStore({ ...storage, log: silentLog })

    /** Sends messages to two recipients each, over two hours and two streams, and records one delivery. */
    async function send(count: number): Promise<void> {
      await Promise.all(
        Array.from({ length: count }, (_, index) => {
          const made = messageTo(owner, [`a${index}@d.example`, `b${index}@d.example`])
          const stream = index % 3 === 0 ? 'broadcast' : 'transactional'
          const created_at = made.message.created_at + (index % 2) * HOUR_MS
          const tag = index % 2 === 0 ? null : `tag ${index}`
          const message = { ...made.message, stream, tag, created_at, subject: `Order ${index} of all` }
          return store.write(acceptMessage, { ...made, message })
        }),
      )
      const { recipients } = await claim(store, { now: Date.now() })
      const [one] = recipients
      assert.ok(one !== undefined)
      await finish(store, one, 'delivered')
    }

    /** Returns the rows that the readers have written, and the same rows recomputed from events and messages. */
    async function derived(): Promise<{ written: object; recounted: object }> {
      const counts = await store.read.selectFrom('message_counts').selectAll().execute()
      const written = new Map<string, number>()
      for (const row of counts) {
        for (const type of COUNTED_EVENTS) {
          if (Number(row[type]) > 0) written.set(`${row.stream} ${row.hour_at} ${type}`, Number(row[type]))
        }
      }
      const events = await store.read
        .selectFrom('events')
        .innerJoin('messages', 'messages.id', 'events.message_id')
        .select(['events.type', 'events.at', 'messages.stream'])
        .execute()
      const recounted = new Map<string, number>()
      for (const { type, at, stream } of events) {
        if (!(COUNTED_EVENTS as readonly string[]).includes(type)) continue
        const key = `${stream} ${at - (at % HOUR_MS)} ${type}`
        recounted.set(key, (recounted.get(key) ?? 0) + 1)
      }
      const feed = await store.read
        .selectFrom('event_feed')
        .select(['type', 'message_id', 'event_id'])
        .execute()
      const all = await store.read
        .selectFrom('events')
        .select(['type', 'message_id', 'id as event_id'])
        .execute()
      const listed = (rows: typeof feed): string[] =>
        rows.map(({ type, message_id, event_id }) => `${type} ${message_id} ${event_id}`).sort()
      const words = await store.read.selectFrom('message_words').select(['word', 'message_id']).execute()
      const messages = await store.read
        .selectFrom('messages')
        .select(['id', 'subject', 'stream', 'tag', 'size'])
        .execute()
      const sorted = (
        fed: string[],
        figures: Map<string, number>,
        storedBytes: number,
        found: string[],
      ): object => ({ fed, figures: [...figures].sort(), storedBytes, words: found.sort() })
      return {
        written: sorted(
          listed(feed),
          written,
          await readStoredBytes(store.read, owner.accountId),
          words.map(({ word, message_id }) => `${word} ${message_id}`),
        ),
        recounted: sorted(
          listed(all),
          recounted,
          messages.reduce((sum, { size }) => sum + size, 0),
          messages.flatMap(({ id, subject, stream, tag }) =>
            [...subjectWords(subject), streamWord(stream), ...(tag === null ? [] : [tagWord(tag)])].map(
              (word) => `${word} ${id}`,
            ),
          ),
        ),
      }
    }

    async function assertDerived(): Promise<void> {
      await settled(store)
      const { written, recounted } = await derived()
      assert.deepEqual(written, recounted)
    }

    const logged = async (): Promise<number> => {
      const rows = await store.read.selectFrom('event_log').select('position').execute()
      return rows.length
    }

    test(
      'derive the figures of a recount, and the log keeps unread events',
      thorough('0.6 CPU s: kills a process after each statement of a write'),
      async () => {
        await send(5)
        const before = await logged()
        assert.ok(before >= 2)
        await store.write(followEventLog, { readers: ['figures'] })
        assert.equal(await logged(), before)
        await assertDerived()
        assert.equal(await logged(), 1)
        for (let round = 0; round < 3; round++) {
          await send(20)
          await assertDerived()
        }
      },
    )

    test('do not read commits that they leave to a later step', async () => {
      await send(1_500)
      await send(1)
      const last = 'position = (select max(position) from event_log)'
      await changeRow(storage, `update event_log set events = $1 where ${last}`, ['no events'])
      const { events, more } = await store.write(followEventLog, { readers: LOG_READERS })
      assert.ok(more && events >= 500, `${events} events were read`)
    })

    test('count once the commits that several of them read at the same time, on two nodes', async () => {
      const other = await open()
      try {
        const followerOf = (at: Store) => new LogFollower(at, silentLog, () => {})
        const followers = [followerOf(store), followerOf(other)]
        for (const follower of followers) follower.start()
        const read = (at: Store) =>
          Promise.all(
            [LOG_READERS, ...LOG_READERS.map((reader) => [reader])].map((readers) =>
              at.write(followEventLog, { readers }),
            ),
          )
        for (let round = 0; round < 5; round++) await Promise.all([send(10), read(store), read(other)])
        await assertDerived()
        await Promise.all(followers.map((follower) => follower.stop()))
        const [lag] = (followers[0] as LogFollower).figures().map((figure) => figure.read())
        const seconds = new Map(lag as Iterable<readonly [string, number]>)
        assert.ok(LOG_READERS.every((reader) => (seconds.get(reader) as number) < 60))
      } finally {
        await other.close()
      }
    })

    test('skip a commit that figures cannot process, and feed and search miss nothing', async () => {
      await send(3)
      await store.write(followEventLog, { readers: LOG_READERS })
      const before = await store.read.selectFrom('message_counts').select('accepted').execute()
      await send(1)
      // The counts need the account ID, but the feed and the search words do not.
      const text = `update event_log set events = replace(events, $1, 'null')`
      await changeRow(storage, text, [JSON.stringify(owner.accountId)])
      await send(2)
      const follower = new LogFollower(store, silentLog, () => {})
      follower.start()
      try {
        await until('readers at the end', async () =>
          [...(await unreadSince(store.read)).values()].every((one) => one === undefined),
        )
      } finally {
        await follower.stop()
      }
      const total = (rows: readonly { accepted: number }[]): number =>
        rows.reduce((sum, { accepted }) => sum + Number(accepted), 0)
      const after = await store.read.selectFrom('message_counts').select('accepted').execute()
      assert.equal(total(after) - total(before), 2 * 2)
      const events = await store.read.selectFrom('events').select('id').execute()
      const feed = await store.read.selectFrom('event_feed').select('event_id').execute()
      assert.deepEqual(feed.map((one) => one.event_id).sort(), events.map(({ id }) => id).sort())
      const words = await store.read.selectFrom('message_words').select('message_id').distinct().execute()
      assert.equal(words.length, 3 + 1 + 2)
    })

    test(
      'continue exactly where they stopped after a crash at any of their statements',
      thorough('3 CPU s: kills a process after each statement of a write'),
      async () => {
        const readAll: boolean[] = []
        for (let statements = 0, killed = true; killed; statements++) {
          await send(2)
          killed = await writeKilled(storage, followEventLog, { readers: LOG_READERS }, statements)
          // A run of the readers executes at least nine statements: for the lock, the log, the counts, the bytes, the
          // words, the feed, the feed ends, the positions and the removal.
          assert.ok(killed || statements >= 9, `only ${statements} statements`)
          readAll.push([...(await unreadSince(store.read)).values()].every((since) => since === undefined))
          await assertDerived()
        }
        // Some processes were killed before the commit, and others after the commit. Other transactions on a PostgreSQL
        // server may delay reading.
        assert.equal(readAll[0], false)
        if (database === 'sqlite') assert.ok(readAll.slice(0, -1).includes(true))
      },
    )

    if (database === 'postgres') {
      test('wait for a transaction that commits after later ones, and miss none of its events', async () => {
        await send(1)
        await assertDerived()
        const client = new pg.Client({ connectionString: storage.databaseUrl })
        await client.connect()
        await client.query('begin')
        await client.query('select pg_current_xact_id()')
        await send(2)
        const late = JSON.stringify([
          [owner.accountId, owner.domainId, 'late', [['accepted', 0, 'msg_late', '', null, ' late']]],
        ])
        await client.query('insert into event_log values (pg_current_xact_id()::text::bigint, $1, $2)', [
          Date.now(),
          late,
        ])
        const step = await store.write(followEventLog, { readers: LOG_READERS })
        assert.deepEqual(step, { events: 0, more: false })
        await client.query('commit')
        await client.end()
        await settled(store)
        const found = await store.read
          .selectFrom('message_words')
          .select('message_id')
          .where('word', '=', 'late')
          .execute()
        assert.deepEqual(found, [{ message_id: 'msg_late' }])
        const { accepted } = await store.read
          .selectFrom('message_counts')
          .select(({ fn }) => fn.sum<number>('accepted').as('accepted'))
          .executeTakeFirstOrThrow()
        assert.equal(Number(accepted), 7)
      })

      test('continue in another PostgreSQL whose transactions have lower numbers', async () => {
        await send(3)
        await store.write(followEventLog, { readers: ['search'] })
        await send(3)
        await store.close()
        const client = new pg.Client({ connectionString: storage.databaseUrl })
        await client.connect()
        await client.query('update event_log set position = position + 1000000')
        await client.query('update event_log_readers set position = position + 1000000')
        await client.end()
        store = await open()
        await send(3)
        await assertDerived()
      })

      test('do not block the opening of a store, and are not blocked by an opening', async () => {
        await store.close()
        const client = new pg.Client({ connectionString: storage.databaseUrl })
        await client.connect()
        await client.query('begin')
        await client.query('select from event_log_readers for update')
        store = await open()
        await client.query('rollback')
        await client.end()
        await send(3)
        await assertDerived()
      })

      test('continue in another PostgreSQL that has reached the middle of the unread commits', async () => {
        await store.close()
        const client = new pg.Client({ connectionString: storage.databaseUrl })
        await client.connect()
        // Inserts the rows out of order, as in a table whose early rows were removed and whose space was reused.
        await client.query(`insert into event_log (position, written_at, events)
          select xmax + at, 0, '[]' from generate_series(50, -50, -1) at,
          (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xmax)`)
        await client.end()
        store = await open()
        await send(3)
        await assertDerived()
      })
    }
  })
}
