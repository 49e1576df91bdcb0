// Upkeep of tables: creating partitions does not delay writers, and each partition contains the rows of its day.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectTo } from '../../test/support/partitions.ts'
import { createOwner, messageTo } from '../../test/support/queued.ts'
import { testStorage } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { beforeIdsOf, newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import { CONTENT_PARTITIONS, listDays } from '../store/database/partitions.ts'
import type { Store } from '../store/database/store.ts'
import { findContent, type Owner } from '../store/messages/messages.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { TableUpkeep } from './table-upkeep.ts'

const DAY_MS = 86_400_000
/** Returns the time at which a day begins; the number of the day counts from today. */
const startOf = (day: number): number => (Math.floor(Date.now() / DAY_MS) + day) * DAY_MS
/** Returns the lowest message ID of each day in this range. */
const startsOf = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => beforeIdsOf('msg', startOf(first + index)))

/** A store on PostgreSQL with partitioned tables. */
interface Divided {
  readonly store: Store
  readonly owner: Owner
  readonly client: Awaited<ReturnType<typeof connectTo>>
  /** Runs the upkeep with a clock that is ahead by this number of milliseconds. */
  upkeep(aheadMs?: number): Promise<void>
  /** Returns the lowest message ID of each day that has a partition. */
  days(): Promise<string[]>
  /** Accepts a message whose ID has this time; returns the ID. */
  accept(at: number): Promise<string>
  /** Returns the partition that contains the content of a message. */
  partOf(id: string): Promise<string | undefined>
}

/** Runs a test on a new store. */
async function inStore(work: (divided: Divided) => Promise<void>): Promise<void> {
  // The store is new, because a prepared store has the partitions of an earlier day.
  const storage = await testStorage('postgres')
  const client = await connectTo(storage)
  const store = await openStore({ ...storage, log: silentLog })
  try {
    const owner = await createOwner(store)
    await work({
      ...{ store, owner, client },
      upkeep(aheadMs = 0) {
        const clock = new TestClock(Date.now() + aheadMs)
        return new TableUpkeep({ store, clock, log: silentLog, node: new NodeName() }).run()
      },
      days: async () => (await listDays(store.read, CONTENT_PARTITIONS)).map(({ from }) => from),
      async accept(at) {
        const { message, ...rest } = messageTo(owner, ['you@receiver.example'])
        const id = `${beforeIdsOf('msg', at)}${newId('msg').slice(-16)}`
        await store.write(acceptMessage, { ...rest, message: { ...message, id, created_at: Date.now() } })
        return id
      },
      async partOf(id) {
        const text = 'select tableoid::regclass::text as part from message_contents where message_id = $1'
        return (await client.query<{ part: string }>(text, [id])).rows[0]?.part
      },
    })
  } finally {
    await Promise.all([client.end(), store.close()])
    await storage.remove()
  }
}

const nameOf = (at: number): string =>
  `message_contents_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`

test('a new store has partitions for the first days, and its first node makes those of a month', () =>
  inStore(async ({ upkeep, days, accept, partOf }) => {
    assert.deepEqual(await days(), startsOf(0, 1))
    await upkeep()
    assert.deepEqual(await days(), startsOf(0, 30))
    await upkeep()
    assert.deepEqual(await days(), startsOf(0, 30))
    assert.equal(await partOf(await accept(startOf(0) + 1)), nameOf(startOf(0)))
    assert.equal(await partOf(await accept(startOf(30) + DAY_MS - 1)), nameOf(startOf(30)))
    assert.equal(await partOf(await accept(startOf(-1))), 'message_contents_other')
    assert.equal(await partOf(await accept(startOf(31))), 'message_contents_other')
  }))

test('a node whose clock is a year ahead makes the partitions of the coming days', () =>
  inStore(async ({ upkeep, days }) => {
    await upkeep(365 * DAY_MS)
    assert.deepEqual(await days(), startsOf(0, 30))
  }))

test('a day with rows elsewhere gets no partition, and its rows are found', () =>
  inStore(async ({ store, owner, upkeep, days, accept, partOf }) => {
    const id = await accept(startOf(5) + 1)
    await upkeep()
    assert.deepEqual(await days(), [...startsOf(0, 4), ...startsOf(6, 30)])
    assert.equal(await partOf(id), 'message_contents_other')
    assert.notEqual(await findContent(store.read, owner, id), undefined)
  }))

test('each partition has the indexes and settings of the table', () =>
  inStore(async ({ client, upkeep }) => {
    await upkeep()
    const { rows } = await client.query(
      `select c.relname like '%other' as first, c.reloptions, t.reloptions as toast,
         (select array_agg(regexp_replace(pg_get_indexdef(indexrelid), ' (INDEX|ON) \\S+', '', 'g')) from pg_index where indrelid = c.oid) as indexes
       from pg_inherits join pg_class c on c.oid = inhrelid left join pg_class t on t.oid = c.reltoastrelid
       where inhparent = 'message_contents'::regclass`,
    )
    const [first] = rows.filter((row) => row.first)
    assert.ok(first.reloptions.length > 0 && first.toast.length > 0 && first.indexes.length > 0)
    for (const row of rows) assert.deepEqual({ ...row, first: true }, first)
  }))

test(
  'a reader that outlasts the waiting time of a change does not block writers, and the change follows later',
  thorough('0.9 CPU s: changes of tables beside a long reader'),
  () =>
    inStore(async ({ client, upkeep, days, accept }) => {
      await client.query('begin')
      await client.query('select count(*) from message_contents')
      let isMade = false
      const making = upkeep().then(() => {
        isMade = true
      })
      // Each of these writes would wait for the open transaction if the upkeep held a lock while waiting for its end.
      for (let written = 0; written < 20; written++) await accept(Date.now())
      assert.equal(isMade, false)
      await client.query('commit')
      await making
      assert.deepEqual(await days(), startsOf(0, 30))
    }),
)
