// Compares partitioned tables with plain tables for the message history in PostgreSQL: the cost of writes, of reads,
// and of the removal of old rows.

import { sql } from 'kysely'
import pg from 'pg'
import { beforeIdsOf, newId, timeOfId } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { DELIVERED } from '../../src/model/attempt.ts'
import { type AcceptMessage, acceptMessage } from '../../src/store/accepting/accept-message.ts'
import type { Day } from '../../src/store/database/partitions.ts'
import type { Store } from '../../src/store/database/store.ts'
import { readContents } from '../../src/store/messages/contents.ts'
import { findMessage, type Owner } from '../../src/store/messages/messages.ts'
import { openStore } from '../../src/store/node/open-in-mode.ts'
import { recordOutcome } from '../../src/store/queue/outcomes.ts'
import type { Claimed } from '../../src/store/queue/queue.ts'
import { contentDays, removeDay } from '../../src/store/removal/content-days.ts'
import { removeOld } from '../../src/store/removal/retention.ts'
import { findAddresses } from '../../src/store/search/account-search.ts'
import { listMessages } from '../../src/store/search/message-search.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { claim, createOwner, messageTo } from '../../test/support/queued.ts'
import { settled } from '../../test/support/store.ts'
import { databaseCost } from '../harness/database-cost.ts'
import type { Options } from '../harness/options.ts'
import { figure, heading, line, median } from '../harness/report.ts'
import { fillPast } from '../harness/retention-fill.ts'

const DAY_MS = 86_400_000
const KEPT_DAYS = 400
const CONTENT_DAYS = 45
/** Age in days of the day whose contents are removed. */
const OLD_DAYS = 20
/** Number of messages of the day whose contents are removed. */
const DAY_MESSAGES = 50_000
const AT_ONCE = 128
const READS = 40
const DESTINATIONS = Array.from({ length: 1_000 }, (_, index) => `inbox-${index}.test`)

/** Tables that grow with each message, and the column with the message ID. */
const CONTENTS = { message_contents: 'message_id' }
const HISTORY = {
  ...CONTENTS,
  ...{ messages: 'id', recipients: 'message_id', events: 'message_id' },
  ...{ attempts: 'message_id', tracked_links: 'message_id' },
}

interface Layout {
  readonly name: string
  readonly tables: Readonly<Record<string, string>>
  readonly days: number
}

const LAYOUTS: readonly Layout[] = [
  { name: 'one piece', tables: {}, days: 1 },
  { name: 'contents by day', tables: CONTENTS, days: 1 },
  { name: 'all by month', tables: HISTORY, days: 30 },
  { name: 'all by week', tables: HISTORY, days: 7 },
  { name: 'all by day', tables: HISTORY, days: 1 },
]

/** Runs the measurement `npm run bench -- partitions`. */
export async function measurePartitions({ messages, rounds, queued = 60_000 }: Options): Promise<void> {
  const server = await startPostgres(['-c', 'autovacuum=off', '-c', 'max_wal_size=8GB'])
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  try {
    const urlOf = (name: string): string => server.url.replace(/\/postgres$/, `/${name}`)
    await admin.query('create database filled')
    const now = Date.now()
    const owner = await fill(urlOf('filled'), queued, now)
    heading(`partitions: ${queued} messages of ${KEPT_DAYS} days, ${messages} more`)
    for (let round = 0; round < rounds; round++) {
      for (const [index, layout] of LAYOUTS.entries()) {
        const name = `layout_${round}_${index}`
        await admin.query(`create database ${name} template filled strategy file_copy`)
        await measure(urlOf(name), layout, owner, messages, now)
        await admin.query(`drop database ${name} with (force)`)
      }
    }
  } finally {
    await admin.end()
    await server.stop()
  }
}

async function fill(databaseUrl: string, count: number, now: number): Promise<Owner> {
  const store = await openStore({ dataDir: '/tmp', databaseUrl, log: silentLog })
  const owner = await createOwner(store)
  const stepMs = Math.floor((KEPT_DAYS * DAY_MS) / count)
  const past = { owner, count, stepMs, from: now - KEPT_DAYS * DAY_MS }
  await fillPast(
    store,
    { ...past, contentsFrom: now - CONTENT_DAYS * DAY_MS, transcriptsFrom: now - 14 * DAY_MS },
    DESTINATIONS,
  )
  await settled(store)
  await sql`delete from message_contents where length(content) < 10`.execute(store.read)
  await store.close()
  return owner
}

/** Recreates the tables with partitions, and copies the rows into the partitions. */
async function partition(client: pg.Client, { tables, days }: Layout, now: number): Promise<number> {
  let made = 0
  for (const [table, column] of Object.entries(tables)) {
    const kept = table === 'message_contents' ? CONTENT_DAYS : KEPT_DAYS
    await client.query(`alter table ${table} rename to old_${table}`)
    await client.query(
      `create table ${table} (like old_${table} including defaults including indexes including storage) partition by range (${column})`,
    )
    const bounds = ['minvalue']
    for (let at = now - kept * DAY_MS; at < now + 8 * DAY_MS; at += days * DAY_MS)
      bounds.push(`'${beforeIdsOf('msg', at - (at % DAY_MS))}'`)
    for (const [index, bound] of bounds.slice(1).entries()) {
      await client.query(
        `create table ${table}_p${index} partition of ${table} for values from (${bounds[index]}) to (${bound})`,
      )
    }
    await client.query(`create table ${table}_rest partition of ${table} default`)
    await client.query(`insert into ${table} select * from old_${table}`)
    await client.query(`drop table old_${table}`)
    made = bounds.length
  }
  return made
}

async function measure(
  url: string,
  layout: Layout,
  owner: Owner,
  messages: number,
  now: number,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const made = await partition(client, layout, now)
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  const store = await openStore({ dataDir: '/tmp', databaseUrl: url, log: silentLog })
  line(`${layout.name} (${made})`)
  try {
    await deliver(store, owner, 1_280, true)
    await deliver(store, owner, 1_280, false)
    const cost = async (label: string, count: number, work: () => Promise<unknown>): Promise<void> => {
      const before = (await databaseCost(url))!
      const began = performance.now()
      await work()
      const took = performance.now() - began
      const after = (await databaseCost(url))!
      line(
        `  ${label}`,
        `${figure((after.cpuMicros - before.cpuMicros) / count)} µs`,
        `${figure((after.walBytes - before.walBytes) / count)} B`,
        `${figure((1_000 * took) / count)} µs`,
      )
    }
    await cost('immediate: CPU, WAL, time', messages, () => deliver(store, owner, messages, true))
    await cost('by claims', messages, () => deliver(store, owner, messages, false))
    const locks = await locksOf(client, store, owner)
    line('  locks of a claim, an outcome', `${locks}`)
    await reads(store, owner, now)
    const day = await fillDay(client, now - (now % DAY_MS) - OLD_DAYS * DAY_MS)
    const byDay = layout.tables === CONTENTS
    await cost(`contents of ${DAY_MESSAGES} ${byDay ? 'by the day' : 'by rows'}`, DAY_MESSAGES, () =>
      byDay
        ? removeDays(store, day)
        : sweep(store, 'content', now - timeOfId(`${day.until}${'0'.repeat(16)}`), now),
    )
    await cost('vacuum after it', DAY_MESSAGES, () => client.query('vacuum message_contents'))
    const records = Math.round(messages / 8)
    await cost(`records of ${records} by rows`, records, () => sweep(store, 'record', 0, now, records))
    await cost('vacuum after it', records, () =>
      client.query('vacuum messages, recipients, events, attempts, message_words'),
    )
  } finally {
    await store.close()
    await client.end()
  }
}

/** Inserts copies of a message with its content, all of one day; sets the retention mark to the start of the day. */
async function fillDay(client: pg.Client, at: number): Promise<Range> {
  const range = { from: beforeIdsOf('msg', at), until: beforeIdsOf('msg', at + DAY_MS) }
  const { rows } = await client.query<{ id: string }>('select max(message_id) as id from message_contents')
  for (const [table, column] of [
    ['messages', 'id'],
    ['recipients', 'message_id'],
    ['message_contents', 'message_id'],
  ]) {
    await client.query(
      `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('${column}', $1 || lpad(n::text, 16, '0')))).*
       from ${table} t, generate_series(1, $2::int) n where ${column} = $3`,
      [range.from, DAY_MESSAGES, rows[0]?.id],
    )
  }
  await client.query("delete from retention_marks where kind = 'content'")
  await client.query("insert into retention_marks values ('content', '', '', $1)", [range.from])
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  return range
}

/** Range of message IDs with an inclusive start and an exclusive end. */
type Range = Pick<Day, 'from' | 'until'>

async function removeDays(store: Store, { from, until }: Range): Promise<void> {
  for (const day of await contentDays(store.read)) {
    if (day.from < from || day.until > until) continue
    const removed = await store.unlimited?.((db) => removeDay(db, day), new AbortController().signal)
    if (typeof removed !== 'number') throw new Error(`${removed}`)
  }
}

async function sweep(
  store: Store,
  kind: 'content' | 'record',
  keptMs: number,
  now: number,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let looked = 0; looked < most; ) {
    const step = await store.write(removeOld, {
      ...{ sweep: { kind, domainId: '', stream: '', keptMs }, now, skippedAfter: undefined },
      limit: Math.min(400, most - looked),
    })
    if (step.waits) await settled(store)
    else if (step.looked === 0) return
    looked += step.looked
  }
}

/** Accepts messages and records their delivery; recipients are leased at acceptance or claimed afterwards. */
async function deliver(store: Store, owner: Owner, count: number, leased: boolean): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    const now = Date.now()
    const items = Array.from({ length: AT_ONCE }, (_, index) => {
      const destination = DESTINATIONS[(done + index) % DESTINATIONS.length]!
      const item = messageTo(owner, [`customer-${(done + index) * 7_919}@${destination}`], {
        content: CONTENT,
      })
      const lease = { token: newId('nod'), until: now + 60_000, endsAt: Number.POSITIVE_INFINITY }
      return {
        ...item,
        message: { ...item.message, created_at: now, size: CONTENT.length },
        recipients: item.recipients.map((one) => ({ ...one, startTag: now })),
        lease: leased ? lease : undefined,
      }
    })
    await Promise.all(items.map((item) => store.write(acceptMessage, item)))
    const request = { now: Date.now() + 1_000, limit: AT_ONCE, bytes: 1e9, eachBytes: 1e9 }
    const held = leased
      ? items.map((item) => ({ ...claimedOf(item), lease: item.lease?.token ?? '' }))
      : (await claim(store, request)).recipients
    if (held.length !== AT_ONCE) throw new Error(`${held.length} of ${AT_ONCE} recipients were claimed`)
    await Promise.all(held.map((one) => end(store, one)))
  }
}

/** Returns the only recipient of a message in the form that immediate delivery uses. */
const claimedOf = ({ message, recipients: [recipient] }: AcceptMessage): Claimed => ({
  inboxId: null,
  ...{ messageId: message.id, position: 0, accountId: message.account_id, domainId: message.domain_id },
  ...{ domainName: 'example.test', stream: message.stream, email: recipient?.email ?? '' },
  ...{ destination: recipient?.destination ?? '', startTag: 0, attempt: 1, faults: 0 },
  ...{ possibleDuplicate: false, createdAt: message.created_at, expiresAt: null, size: message.size },
  ...{ tag: null, recipientCount: 1, requireTls: false, relayUrl: null },
})

const CONTENT = JSON.stringify({ subject: 'Grüße', text: 'Hello, this is your receipt. '.repeat(100) })

const end = (store: Store, claimed: Claimed & { readonly lease: string }): Promise<boolean> =>
  store.write(recordOutcome, {
    ...{ claimed, lease: claimed.lease, outcome: DELIVERED, nextAttemptAt: null, now: Date.now() },
    attempt: {
      ...{ startedAt: Date.now(), durationMs: 5, mx: 'mx.example.com', transcript: 'x'.repeat(300) },
      reply: { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 1A2B3C4D5E' },
    },
  })

/** Returns the maximum number of locks on tables and indexes that one transaction held. */
async function locksOf(client: pg.Client, store: Store, owner: Owner): Promise<number> {
  let most = 0
  let isRunning = true
  const watching = (async () => {
    while (isRunning) {
      const { rows } = await client.query<{ most: number }>(
        "select coalesce(max(n), 0)::int as most from (select count(*) as n from pg_locks where locktype = 'relation' and pid <> pg_backend_pid() group by pid) as held",
      )
      most = Math.max(most, rows[0]?.most ?? 0)
    }
  })()
  await deliver(store, owner, 20 * AT_ONCE, false)
  isRunning = false
  await watching
  return most
}

async function reads(store: Store, owner: Owner, now: number): Promise<void> {
  const { read } = store
  const recent = await read
    .selectFrom('messages')
    .select('id')
    .where('domain_id', '=', owner.domainId)
    .orderBy('id', 'desc')
    .limit(AT_ONCE)
    .execute()
  const ids = recent.map(({ id }) => id)
  const time = async (label: string, run: (index: number) => Promise<unknown>): Promise<void> => {
    const times: number[] = []
    for (let index = 0; index < READS; index++) {
      const began = performance.now()
      await run(index)
      times.push(performance.now() - began)
    }
    line(`  ${label}`, `${figure(median(times), 'ms')}`)
  }
  const account = { accountId: owner.accountId, domainIds: [owner.domainId] }
  await time('one message', (index) => findMessage(read, owner, ids[index]!))
  await time('contents of 128', () => readContents(read, ids))
  await time('list, newest 50', () => listMessages(read, owner, {}, 50, undefined))
  await time('list, 50 of 200 days ago', () =>
    listMessages(read, owner, {}, 50, beforeIdsOf('msg', now - 200 * DAY_MS)),
  )
  await time('search by address', (index) =>
    listMessages(read, owner, { recipient: `customer-0000${index}` }, 50, undefined),
  )
  await time('search by status (none)', () => listMessages(read, owner, { status: 'failed' }, 50, undefined))
  await time('search by word', () => listMessages(read, owner, { subject: 'receipt' }, 50, undefined))
  await time('addresses of an account', () => findAddresses(read, account, 'customer-00', 10))
}
