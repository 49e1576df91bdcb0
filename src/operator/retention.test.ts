// The retention removes old messages, keeps younger messages and messages that are not final, and loses no disk space.

import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { beginDump, divideFrom } from '../../test/support/partitions.ts'
import { claim, createOwner, finish, messageTo, NOW } from '../../test/support/queued.ts'
import { DATABASES, openTestStore, pagesOf, settled, testStorage } from '../../test/support/store.ts'
import { TestClock, until } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { beforeIdsOf, newId, timeOfId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import type { Retention } from '../model/retention.ts'
import { type AcceptMessage, acceptMessage } from '../store/accepting/accept-message.ts'
import { databaseFile, type Store } from '../store/database/store.ts'
import { setDomainOptions } from '../store/domains/domains.ts'
import { findContent, type Owner } from '../store/messages/messages.ts'
import { readStoredBytes } from '../store/messages/stored-bytes.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { contentDays } from '../store/removal/content-days.ts'
import { changeStream } from '../store/workspace/streams.ts'
import { erase } from './erasure.ts'
import { HistoryRemoval } from './history-removal.ts'
import { RemovalTime } from './removal-time.ts'

const DAY_MS = 86_400_000
const LIFETIMES = { webhooksMs: 7 * DAY_MS, auditMs: 365 * DAY_MS }
const KEPT: Retention = { content: 5 * DAY_MS, transcript: 3 * DAY_MS, record: 10 * DAY_MS }
/** Tables with rows that belong to a message. */
const TABLES = ['message_contents', 'recipients', 'events', 'attempts', 'message_words'] as const

/** Returns a message with this creation time, ready for `acceptMessage`. */
function submitted(owner: Owner, at: number, more: Partial<AcceptMessage['message']> = {}, recipients = 1) {
  const emails = Array.from({ length: recipients }, (_, i) => `you${i}@receiver.example`)
  const { message, ...item } = messageTo(owner, emails)
  // ID with this time; `newId` never goes back in time within a process.
  const id = `${beforeIdsOf('msg', at)}${newId('msg').slice(-16)}`
  return { ...item, message: { ...message, id, created_at: at, size: 1_000, ...more } }
}

const removal = (store: Store, clock: TestClock, retention = KEPT): HistoryRemoval =>
  new HistoryRemoval({
    ...{
      store,
      clock,
      log: silentLog,
      node: new NodeName(),
      time: new RemovalTime({ store, clock, log: silentLog }),
      retention,
      auditMs: 999 * DAY_MS,
      figuresMs: 999 * DAY_MS,
      webhooksMs: 999 * DAY_MS,
      requestsMs: 999 * DAY_MS,
    },
  })

/** Returns the IDs of the messages with rows in each table; `transcripts` has the messages with a stored transcript. */
async function stored(store: Store): Promise<Record<string, ReadonlySet<string>>> {
  const sets: Record<string, Set<string>> = {}
  for (const table of TABLES) {
    const rows = await store.read.selectFrom(table).select('message_id').distinct().execute()
    sets[table] = new Set(rows.map(({ message_id }) => message_id))
  }
  const dialogs = await store.read
    .selectFrom('attempts')
    .select('message_id')
    .where('transcript', '!=', '')
    .execute()
  const messages = await store.read.selectFrom('messages').select('id').execute()
  return {
    ...sets,
    transcripts: new Set(dialogs.map(({ message_id }) => message_id)),
    messages: new Set(messages.map(({ id }) => id)),
  }
}

/** Returns a pseudorandom generator of numbers from 0 to below 1, determined by the seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

for (const database of DATABASES) {
  describe(`retention on ${database}`, () => {
    let store: Store
    let owner: Owner
    beforeEach(async () => {
      store = await openTestStore(database)
      owner = await createOwner(store)
    })
    afterEach(() => store.close())

    test('a message that waits is noted by each rule, and forgotten with a rule that is gone', async () => {
      const clock = new TestClock(NOW)
      const removing = removal(store, clock)
      const setDays = (content_retention_days: number | null) =>
        store.write(setDomainOptions, {
          domain: { id: owner.domainId, account_id: owner.accountId },
          changes: { content_retention_days },
          now: NOW,
        })
      const noted = async () =>
        (await store.read.selectFrom('retention_skipped').select('domain_id').execute()).map(
          ({ domain_id }) => domain_id,
        )
      await setDays(2)
      await store.write(acceptMessage, submitted(owner, NOW - 4 * DAY_MS, {}, 1))
      await settled(store)
      await removing.run()
      assert.ok((await noted()).includes(owner.domainId))
      await setDays(null)
      await removing.run()
      assert.equal((await noted()).includes(owner.domainId), false)
      assert.ok((await noted()).includes(''), 'the rule of the installation keeps its notes')
    })

    test('a message whose first recipient was erased is removed in its time', async () => {
      const clock = new TestClock(NOW)
      await store.write(acceptMessage, submitted(owner, NOW - 4 * DAY_MS, {}, 2))
      for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
      await settled(store)
      await erase({ store, clock, ...LIFETIMES }, 'you0@receiver.example', {})
      assert.equal((await stored(store)).messages?.size, 1)
      clock.advance(999 * DAY_MS)
      await removal(store, clock).run()
      for (const [table, ids] of Object.entries(await stored(store))) assert.equal(ids.size, 0, table)
    })

    test(
      'over random histories: exactly the final messages beyond their retention are removed',
      thorough('4 CPU s: random histories over many days; the other tests of the file cover each rule'),
      async () => {
        const clock = new TestClock(NOW)
        const removing = removal(store, clock)
        for (const seed of [1, 2]) {
          const random = randomOf(seed)
          const own = await createOwner(store)
          const ids = new Map<string, { at: number; stream: string; send_at: number | null }>()
          const days = { content_retention_days: 2 }
          await store.write(changeStream, { ...own, alias: 'broadcast', changes: days, now: NOW })
          await store.write(setDomainOptions, {
            domain: { id: own.domainId, account_id: own.accountId },
            changes: { record_retention_days: 8 },
            now: NOW,
          })
          for (let day = 0; day < 14; day++) {
            const now = clock.now()
            const accepted: Promise<unknown>[] = []
            for (let i = 0; i < 12; i++) {
              const at = now - Math.floor(random() * DAY_MS)
              const stream = random() < 0.5 ? 'transactional' : 'broadcast'
              const send_at = random() < 0.1 ? at + Math.floor(random() * 7 * DAY_MS) : null
              const item = submitted(own, at, { stream, send_at }, 1 + Math.floor(random() * 3))
              ids.set(item.message.id, { at, stream, send_at })
              accepted.push(store.write(acceptMessage, item))
            }
            await Promise.all(accepted)
            const { recipients } = await claim(store, { now, limit: Math.floor(random() * 40) })
            const ended = recipients.map((one) => {
              const chance = random()
              if (chance < 0.1) return undefined
              if (chance < 0.3) return finish(store, one, 'deferred', now + DAY_MS)
              return finish(store, one, 'delivered')
            })
            await Promise.all(ended)
            await settled(store)
            const waiting = new Set(
              (await store.read.selectFrom('queue').select('message_id').execute()).map(
                ({ message_id }) => message_id,
              ),
            )
            const before = await stored(store)
            await removing.run()
            const after = await stored(store)
            for (const [id, { at, stream, send_at }] of ids) {
              const kept = (table: string, keptMs: number, from = at): void => {
                const isYoung = clock.now() - from < keptMs && clock.now() - at < 8 * DAY_MS
                const isKept = waiting.has(id) || isYoung
                const there = isKept && before[table]?.has(id) === true
                assert.equal(after[table]?.has(id), there, `seed ${seed} day ${day}: ${table} of ${id}`)
              }
              kept('message_contents', (stream === 'broadcast' ? 2 : 5) * DAY_MS)
              kept('transcripts', 3 * DAY_MS, send_at ?? at)
              for (const table of ['messages', 'recipients', 'events', 'attempts', 'message_words']) {
                kept(table, 8 * DAY_MS)
              }
            }
            clock.advance(DAY_MS)
          }
          assert.ok(ids.size === 168)
        }
      },
    )

    test('frees the bytes of the account with the content', async () => {
      const old = submitted(owner, NOW - 6 * DAY_MS)
      const young = submitted(owner, NOW - 4 * DAY_MS)
      for (const item of [old, young]) await store.write(acceptMessage, item)
      for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
      await settled(store)
      assert.equal(await readStoredBytes(store.read, owner.accountId), 2_000)
      await removal(store, new TestClock(NOW)).run()
      assert.equal(await readStoredBytes(store.read, owner.accountId), 1_000)
      assert.equal(await findContent(store.read, owner, old.message.id), undefined)
      assert.notEqual(await findContent(store.read, owner, young.message.id), undefined)
    })

    test('keeps a record until every reader of the event log has read its events', async () => {
      const item = submitted(owner, NOW - 20 * DAY_MS)
      await store.write(acceptMessage, item)
      for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
      const clock = new TestClock(NOW)
      const removing = removal(store, clock)
      await removing.run()
      assert.equal((await stored(store)).messages?.size, 1)
      await settled(store)
      await removing.run()
      assert.equal((await stored(store)).messages?.size, 0)
    })

    test('is enforced by one node at a time', async () => {
      const clock = new TestClock(NOW)
      const [first, second] = [removal(store, clock), removal(store, clock)]
      await first.run()
      await store.write(acceptMessage, submitted(owner, NOW - 20 * DAY_MS))
      for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
      await settled(store)
      await second.run()
      assert.equal((await stored(store)).messages?.size, 1)
      await first.run()
      assert.equal((await stored(store)).messages?.size, 0)
    })

    test('removes the content of a stream that stores none as soon as all its recipients are final', async () => {
      const changes = { store_content: 0 }
      await store.write(changeStream, { ...owner, alias: 'transactional', changes, now: NOW })
      const two = submitted(owner, NOW, {}, 2)
      const other = submitted(owner, NOW, { stream: 'broadcast' })
      for (const item of [two, other]) await store.write(acceptMessage, item)
      const { recipients } = await claim(store)
      const [last, ...all] = recipients.filter(({ messageId }) => messageId === two.message.id)
      const rest = recipients.filter(({ messageId }) => messageId === other.message.id)
      for (const one of [...all, ...rest]) await finish(store, one, 'delivered')
      await settled(store)
      const removing = removal(store, new TestClock(NOW))
      await removing.redact()
      assert.notEqual(await findContent(store.read, owner, two.message.id), undefined)
      if (last !== undefined) await finish(store, last, 'bounced')
      await removing.redact()
      assert.equal(await findContent(store.read, owner, two.message.id), undefined)
      assert.notEqual(await findContent(store.read, owner, other.message.id), undefined)
      assert.equal(await readStoredBytes(store.read, owner.accountId), 1_000)
    })
  })
}

describe('retention of contents by the day, on postgres', () => {
  const kept = { content: 10 * DAY_MS, transcript: 10 * DAY_MS, record: 400 * DAY_MS }
  let store: Store
  let owner: Owner
  beforeEach(async () => {
    store = await openTestStore('postgres')
    owner = await createOwner(store)
    await divideFrom(store, NOW - 20 * DAY_MS)
  })
  afterEach(() => store.close())

  /** Accepts a message created this number of days ago; returns the ID. */
  const accept = async (daysAgo: number): Promise<string> => {
    const item = submitted(owner, NOW - daysAgo * DAY_MS)
    await store.write(acceptMessage, item)
    return item.message.id
  }
  const isThere = async (id: string): Promise<boolean> =>
    (await findContent(store.read, owner, id)) !== undefined
  /** Returns the age, in days, of the oldest day with a partition. */
  const oldestDay = async (): Promise<number> => {
    const [first] = await contentDays(store.read)
    return (NOW - timeOfId(`${first?.from}${'0'.repeat(16)}`)) / DAY_MS
  }

  test('a whole day is removed when the youngest is old enough, and contents without a partition in their time', async () => {
    const before = await accept(25)
    const [old, last, next, young] = [
      await accept(15),
      await accept(10.1),
      await accept(9.9),
      await accept(1),
    ]
    for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
    await settled(store)
    const clock = new TestClock(NOW)
    const removing = removal(store, clock, kept)
    await removing.run()
    const left = async () =>
      Promise.all([before, old, last, next, young].map(async (id) => Number(await isThere(id))))
    assert.deepEqual(await left(), [0, 0, 0, 1, 1])
    assert.equal(await oldestDay(), 10)
    assert.equal(await readStoredBytes(store.read, owner.accountId), 2_000)
    clock.advance(DAY_MS / 2)
    await removing.run()
    assert.deepEqual(await left(), [0, 0, 0, 1, 1], 'the day is not over yet')
    clock.advance(DAY_MS / 2)
    await removing.run()
    assert.deepEqual(await left(), [0, 0, 0, 0, 1])
    assert.equal(await oldestDay(), 9)
    assert.equal(await readStoredBytes(store.read, owner.accountId), 1_000)
  })

  test('a day with a waiting message is removed when the message is final, and its other contents in their time', async () => {
    const [waits, other, young] = [await accept(15), await accept(14.9), await accept(13)]
    const { recipients } = await claim(store)
    const [late, ...rest] = recipients.toSorted((a, b) => (a.messageId < b.messageId ? -1 : 1))
    for (const one of rest) await finish(store, one, 'delivered')
    await settled(store)
    const removing = removal(store, new TestClock(NOW), kept)
    await removing.run()
    assert.deepEqual([await isThere(waits), await isThere(other), await isThere(young)], [true, false, false])
    assert.equal(await oldestDay(), 15)
    assert.equal(await readStoredBytes(store.read, owner.accountId), 1_000)
    if (late !== undefined) await finish(store, late, 'bounced')
    await removing.run()
    assert.equal(await isThere(waits), false)
    assert.equal(await oldestDay(), 10)
    assert.equal(await readStoredBytes(store.read, owner.accountId), 0)
  })

  test('with a retention of a few days each content is removed in its time, and the days afterwards', async () => {
    const [old, young] = [await accept(3.6), await accept(3.4)]
    for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
    await settled(store)
    await removal(store, new TestClock(NOW), { ...kept, content: 3.5 * DAY_MS }).run()
    assert.deepEqual([await isThere(old), await isThere(young)], [false, true])
    assert.equal(await oldestDay(), 4)
  })

  test('shorter retentions of domains and streams apply by message, and the rest is removed by day', async () => {
    const changes = { content_retention_days: 2 }
    await store.write(changeStream, { ...owner, alias: 'transactional', changes, now: NOW })
    const [old, young] = [await accept(2.6), await accept(1.9)]
    for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
    await settled(store)
    const clock = new TestClock(NOW)
    const removing = removal(store, clock, kept)
    await removing.run()
    assert.deepEqual([await isThere(old), await isThere(young)], [false, true])
    await store.write(changeStream, {
      ...{ ...owner, alias: 'transactional', now: NOW },
      changes: { content_retention_days: null },
    })
    clock.advance(12 * DAY_MS)
    await removing.run()
    assert.equal(await isThere(young), false)
    assert.equal(await readStoredBytes(store.read, owner.accountId), 0)
  })

  test('messages of a clock far ahead, without a partition, are removed in their time', async () => {
    const ahead = await accept(-40)
    for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
    await settled(store)
    const clock = new TestClock(NOW)
    const removing = removal(store, clock, kept)
    clock.advance(49 * DAY_MS)
    await removing.run()
    assert.equal(await isThere(ahead), true)
    clock.advance(2 * DAY_MS)
    await removing.run()
    assert.equal(await isThere(ahead), false)
    assert.equal(await readStoredBytes(store.read, owner.accountId), 0)
  })

  test('a dump delays the removal of a day but no writers, and the day is removed after the dump', async () => {
    const old = await accept(15)
    for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
    await settled(store)
    const dump = await beginDump(store)
    const removing = removal(store, new TestClock(NOW), kept).run()
    await until('the removal waits for the dump', () => dump.isWaitedFor())
    // Each of these writes would wait for the dump if the removal held a lock while waiting for the dump.
    for (let written = 0; written < 20; written++) await accept(1)
    assert.equal(await isThere(old), true)
    assert.equal(await oldestDay(), 20)
    await dump.end()
    await removing
    assert.equal(await isThere(old), false)
    assert.equal(await oldestDay(), 10)
  })

  test('a person is erased whose contents are in removed days, and in one being removed', async () => {
    const ids = [await accept(15), await accept(2)]
    for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
    await settled(store)
    const clock = new TestClock(NOW)
    const removing = removal(store, clock, kept)
    await removing.run()
    assert.deepEqual(await Promise.all(ids.map(isThere)), [false, true])
    const found = await store.read.selectFrom('recipients').select('email').execute()
    clock.advance(10 * DAY_MS)
    await Promise.all([removing.run(), erase({ store, clock, ...LIFETIMES }, found[0]?.email ?? '', {})])
    const rest = await store.read.selectFrom('message_contents').select('message_id').execute()
    assert.deepEqual([rest, await readStoredBytes(store.read, owner.accountId)], [[], 0])
    assert.deepEqual(await store.read.selectFrom('recipients').select('email').execute(), [])
  })
})

test(
  'over many days the embedded database stays as large as what it keeps',
  thorough('2 CPU s: random histories over many days; the other tests of the file cover each rule'),
  async () => {
    const storage = await testStorage('sqlite')
    const store = await openStore({ ...storage, log: silentLog })
    try {
      const owner = await createOwner(store)
      const clock = new TestClock(NOW)
      const removing = removal(store, clock)
      const sizes: number[] = []
      for (let day = 0; day < 40; day++) {
        const content = Buffer.alloc(6_000, 'x')
        const items = Array.from({ length: 40 }, () => ({ ...submitted(owner, clock.now()), content }))
        await Promise.all(items.map((item) => store.write(acceptMessage, item)))
        const { recipients } = await claim(store, { now: clock.now() })
        await Promise.all(recipients.map((one) => finish(store, one, 'delivered')))
        await settled(store)
        await removing.run()
        sizes.push(pagesOf(storage))
        clock.advance(DAY_MS)
      }
      const [settledSize = 0, last = 0] = [sizes[15], sizes.at(-1)]
      assert.ok(last <= settledSize * 1.1, `${settledSize} pages after 15 days, ${last} after 40`)
      await store.close()
      // Closing the database checkpoints the WAL and truncates the database file to the pages in use.
      assert.equal(statSync(databaseFile(storage.dataDir)).size, last * 4_096)
    } finally {
      await store.close()
      await storage.remove()
    }
  },
)
