// Upkeep of tables: who writes notices nothing when partitions and indexes are made, and what is written on a day is in that
// day's partition.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OLDER_PROGRAMS, unpackStore } from '../../test/support/older-store.ts'
import { connectTo, storeInOnePiece } from '../../test/support/partitions.ts'
import { createOwner, messageTo } from '../../test/support/queued.ts'
import { testStorage } from '../../test/support/store.ts'
import { TestClock, until } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { systemClock } from '../lib/clock.ts'
import { beforeIdsOf, newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { CONTENT_PARTITIONS, isPartitioned, listDays } from '../store/database/partitions.ts'
import type { Store } from '../store/database/store.ts'
import { acceptMessage, findContent, type Owner } from '../store/messages/messages.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { openStore } from '../store/open-store.ts'
import { TableUpkeep } from './table-upkeep.ts'

const DAY_MS = 86_400_000
/** The start of a day, counted from today. */
const startOf = (day: number): number => (Math.floor(Date.now() / DAY_MS) + day) * DAY_MS
/** The first ID of each of these days. */
const startsOf = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => beforeIdsOf('msg', startOf(first + index)))

/** A store on PostgreSQL. */
interface Divided {
  readonly store: Store
  readonly owner: Owner
  readonly client: Awaited<ReturnType<typeof connectTo>>
  /** Opens it once more, as another node. */
  open(): Promise<Store>
  /** By the clock of a node that is so far ahead. */
  upkeep(aheadMs?: number): Promise<void>
  /** The first ID of each day that has a partition. */
  days(): Promise<string[]>
  /** Accepts a message as if at that time; answers its ID. */
  accept(at: number, through?: Store): Promise<string>
  /** The table that has the content of a message. */
  partOf(id: string): Promise<string | undefined>
}

/** Runs a test on a new store, or one whose contents are in one piece as an older program made it. */
async function inStore(work: (divided: Divided) => Promise<void>, onePiece = false): Promise<void> {
  // Made now: one that is at hand has the partitions of the day on which it was made, which may be over.
  const storage = await testStorage('postgres')
  const client = await connectTo(storage)
  if (onePiece) await storeInOnePiece(storage.databaseUrl ?? '')
  const stores: Store[] = []
  const open = async (): Promise<Store> => {
    const store = await openStore({ ...storage, log: silentLog })
    stores.push(store)
    return store
  }
  try {
    const store = await open()
    const owner = await createOwner(store)
    await work({
      ...{ store, owner, client, open },
      upkeep(aheadMs = 0) {
        const clock = new TestClock(Date.now() + aheadMs)
        return new TableUpkeep({ store, clock, log: silentLog, node: new NodeName() }).run()
      },
      days: async () => (await listDays(store.read, CONTENT_PARTITIONS)).map(({ from }) => from),
      async accept(at, through = store) {
        const { message, ...rest } = messageTo(owner, ['you@receiver.example'])
        const id = `${beforeIdsOf('msg', at)}${newId('msg').slice(-16)}`
        await through.write(acceptMessage, { ...rest, message: { ...message, id, created_at: Date.now() } })
        return id
      },
      async partOf(id) {
        const text = 'select tableoid::regclass::text as part from message_contents where message_id = $1'
        return (await client.query<{ part: string }>(text, [id])).rows[0]?.part
      },
    })
  } finally {
    await Promise.all(stores.map((store) => store.close()))
    await client.end()
    await storage.remove()
  }
}

const nameOf = (at: number): string =>
  `message_contents_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`

test('a new store has those of the first days, and its first node makes those of a month', () =>
  inStore(async ({ upkeep, days, accept, partOf }) => {
    assert.deepEqual(await days(), startsOf(0, 1))
    await upkeep()
    assert.deepEqual(await days(), startsOf(0, 30))
    await upkeep()
    assert.deepEqual(await days(), startsOf(0, 30))
    assert.equal(await partOf(await accept(startOf(0) + 1)), nameOf(startOf(0)))
    assert.equal(await partOf(await accept(startOf(30) + DAY_MS - 1)), nameOf(startOf(30)))
    assert.equal(await partOf(await accept(startOf(-1))), 'message_contents_earlier')
    assert.equal(await partOf(await accept(startOf(31))), 'message_contents_other')
  }))

test(
  'a node whose clock is a year ahead makes those of the days that come, and takes a whole table to be of a month',
  thorough('0.7 CPU s: changes of tables beside a long reader'),
  async () => {
    const ahead = 365 * DAY_MS
    await inStore(async ({ upkeep, days }) => {
      await upkeep(ahead)
      assert.deepEqual(await days(), startsOf(0, 30))
    })
    await inStore(async ({ upkeep, days }) => {
      await upkeep(ahead)
      assert.deepEqual(await days(), startsOf(30, 30))
    }, true)
  },
)

test('a day of which rows are elsewhere gets none, and they are found', () =>
  inStore(async ({ store, owner, upkeep, days, accept, partOf }) => {
    const id = await accept(startOf(5) + 1)
    await upkeep()
    assert.deepEqual(await days(), [...startsOf(0, 4), ...startsOf(6, 30)])
    assert.equal(await partOf(id), 'message_contents_other')
    assert.notEqual(await findContent(store.read, owner, id), undefined)
  }))

test('each has the indexes and settings of the table', () =>
  inStore(async ({ client, upkeep }) => {
    await upkeep()
    const { rows } = await client.query(
      `select c.relname like '%earlier' as first, c.reloptions, t.reloptions as toast,
         (select array_agg(regexp_replace(pg_get_indexdef(indexrelid), ' (INDEX|ON) \\S+', '', 'g')) from pg_index where indrelid = c.oid) as indexes
       from pg_inherits join pg_class c on c.oid = inhrelid left join pg_class t on t.oid = c.reltoastrelid
       where inhparent = 'message_contents'::regclass`,
    )
    const [first] = rows.filter((row) => row.first)
    assert.ok(first.reloptions.length > 0 && first.toast.length > 0 && first.indexes.length > 0)
    for (const row of rows) assert.deepEqual({ ...row, first: true }, first)
  }))

test('a table in one piece becomes the first of them while two nodes write to it', () =>
  inStore(async ({ store, owner, open, upkeep, days, accept, partOf }) => {
    const other = await open()
    const old = await accept(startOf(-40))
    let isWriting = true
    const writing = [store, other].map(async (through) => {
      const ids: string[] = []
      while (isWriting) ids.push(await accept(Date.now(), through))
      return ids
    })
    await upkeep()
    isWriting = false
    const ids = (await Promise.all(writing)).flat()
    assert.ok(await isPartitioned(store.read, CONTENT_PARTITIONS))
    // What was written until then stays, and what comes in the next month goes beside it.
    assert.deepEqual(await days(), startsOf(30, 30))
    for (const id of [old, ...ids]) assert.equal(await partOf(id), 'message_contents_earlier')
    assert.equal(await partOf(await accept(startOf(30))), nameOf(startOf(30)))
    assert.notEqual(await findContent(store.read, owner, old), undefined)
  }, true))

test('an attempt that was broken off is taken up, with time enough for all that comes', () =>
  inStore(async ({ store, client, upkeep, days, accept, partOf }) => {
    await client.query(
      `alter table message_contents add constraint message_contents_limit
         check (message_id < '${beforeIdsOf('msg', startOf(2))}') not valid`,
    )
    await upkeep()
    assert.deepEqual(await days(), startsOf(30, 30))
    assert.equal(await partOf(await accept(startOf(3))), 'message_contents_earlier')
    assert.ok(await isPartitioned(store.read, CONTENT_PARTITIONS))
  }, true))

/** Has messages accepted while a transaction is open for which upkeep waits, and ends it. */
async function upkeepBehind({
  client,
  upkeep,
  accept,
}: Pick<Divided, 'client' | 'upkeep' | 'accept'>): Promise<void> {
  let isMade = false
  const making = upkeep().then(() => {
    isMade = true
  })
  // Each of these would wait for as long as that transaction, were the change to wait.
  for (let written = 0; written < 20; written++) await accept(Date.now())
  assert.equal(isMade, false)
  await client.query('commit')
  await making
}

test(
  'who reads for longer than a change may wait keeps nobody from writing, and the change comes after',
  thorough('0.9 CPU s: changes of tables beside a long reader'),
  () =>
    inStore(async ({ client, store, upkeep, accept }) => {
      await client.query('begin')
      await client.query('select count(*) from message_contents')
      await upkeepBehind({ client, upkeep, accept })
      assert.ok(await isPartitioned(store.read, CONTENT_PARTITIONS))
    }, true),
)

/** The indexes of messages by status that are in use. */
async function indexesIn(client: Divided['client']): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index
     where indrelid = 'messages'::regclass and indisvalid
       and indexrelid::regclass::text in ('messages_by_status', 'messages_by_ending')`,
  )
  return rows.map(({ name }) => name)
}

/** Makes the index of the version before, without the one that takes its place. */
async function indexedAsBefore(client: Divided['client']): Promise<void> {
  await client.query('drop index messages_by_ending')
  await client.query(
    "create index messages_by_status on messages (domain_id, status, id) where status <> 'delivered'",
  )
}

test('an index takes the place of another one while a node writes, also beside an old transaction', () =>
  inStore(async ({ client, upkeep, accept }) => {
    await indexedAsBefore(client)
    await client.query('begin isolation level repeatable read')
    await client.query('select count(*) from messages')
    await upkeepBehind({ client, upkeep, accept })
    assert.deepEqual(await indexesIn(client), ['messages_by_ending'])
  }))

test('what one node takes longer for than its lease is left to it by the next one', () =>
  inStore(async ({ store, client, upkeep }) => {
    await indexedAsBefore(client)
    const made = async () => {
      const text =
        "select indexrelid, indisvalid from pg_index where indexrelid = to_regclass('messages_by_ending')"
      return (await client.query<{ indexrelid: number; indisvalid: boolean }>(text)).rows[0]
    }
    const leaseIsOver = () => store.read.deleteFrom('duties').execute()
    await client.query('begin')
    await client.query('lock table messages in row exclusive mode')
    const making = upkeep()
    const begun = await until('the index is begun', made)
    assert.equal(begun.indisvalid, false)
    await leaseIsOver()
    await upkeep()
    assert.deepEqual(await made(), begun)
    await client.query('commit')
    await making
    assert.deepEqual(await made(), { ...begun, indisvalid: true })
    await leaseIsOver()
    await indexedAsBefore(client)
    await upkeep()
    assert.equal((await made())?.indisvalid, true, 'the next one goes on when it is done')
  }))

test('an index that was left unfinished is made anew', () =>
  inStore(async ({ client, upkeep }) => {
    await indexedAsBefore(client)
    await client.query("create index messages_by_ending on messages (id) where status = 'bounced'")
    await client.query(
      "update pg_index set indisvalid = false where indexrelid = 'messages_by_ending'::regclass",
    )
    await upkeep()
    assert.deepEqual(await indexesIn(client), ['messages_by_ending'])
    const { rows } = await client.query<{ text: string }>(
      "select pg_get_indexdef('messages_by_ending'::regclass) as text",
    )
    assert.match(rows[0]?.text ?? '', /recipient_count/)
  }))

test('the index of verifications by address gives way to the one by length', () =>
  inStore(async ({ client, upkeep }) => {
    await client.query('drop index verification_checks_by_length')
    await client.query('create index verification_checks_by_any_case on verification_checks (lower(email))')
    await upkeep()
    const { rows } = await client.query<{ name: string }>(
      "select indexname as name from pg_indexes where tablename = 'verification_checks' order by 1",
    )
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['verification_checks_by_length', 'verification_checks_key'],
    )
  }))

for (const program of OLDER_PROGRAMS) {
  test(`the contents of a store of ${program} become the first partition, and all are there`, async () => {
    const { storage, messages } = await unpackStore(program, 'postgres')
    const store = await openStore({ ...storage, log: silentLog })
    const client = await connectTo(storage)
    try {
      const stored = async () =>
        (await store.read.selectFrom('message_contents').selectAll().orderBy('message_id').execute()).map(
          ({ content, ...row }) => ({ ...row, content: Buffer.from(content).toString() }),
        )
      const before = await stored()
      assert.equal(await isPartitioned(store.read, CONTENT_PARTITIONS), false)
      assert.deepEqual(await indexesIn(client), ['messages_by_status'])
      await new TableUpkeep({ store, clock: systemClock, log: silentLog, node: new NodeName() }).run()
      assert.ok(await isPartitioned(store.read, CONTENT_PARTITIONS))
      assert.deepEqual(await stored(), before)
      assert.deepEqual(await indexesIn(client), ['messages_by_ending'])
      assert.equal(before.length, Object.keys(messages).length)
    } finally {
      await Promise.all([client.end(), store.close()])
      await storage.remove()
    }
  })
}
