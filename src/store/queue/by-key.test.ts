// Statements on PostgreSQL: no statement scans a table from the beginning, even if the statement was planned while the
// table was small. A delivery writes neither its message nor an index of its recipient.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { connectTo } from '../../../test/support/partitions.ts'
import { claim, createOwner, finish, messageTo } from '../../../test/support/queued.ts'
import { type TestStorage, testStorage } from '../../../test/support/store.ts'
import { until } from '../../../test/support/test-clock.ts'
import { silentLog } from '../../lib/log.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import { openStore } from '../node/open-in-mode.ts'

const GROWING = ['messages', 'recipients', 'queue', 'attempts', 'events', 'suppressions']
const MESSAGES = 100

let storage: TestStorage
beforeEach(async () => {
  storage = await testStorage('postgres', 'tables')
})
afterEach(() => storage.remove())

/** Accepts messages, claims the recipients and writes the outcomes of the attempts. */
async function passThrough(): Promise<void> {
  const store = await openStore({ ...storage, log: silentLog })
  const owner = await createOwner(store)
  const messages = Array.from({ length: MESSAGES }, (_, n) => messageTo(owner, [`r${n}@a.example`]))
  await Promise.all(messages.map((message) => store.write(acceptMessage, message)))
  const { recipients } = await claim(store)
  await Promise.all(recipients.map((one) => finish(store, one, 'delivered')))
  await store.close()
}

/** Statistics of a table (`pg_stat_user_tables`). */
interface Counted {
  /** Number of sequential scans. */
  readonly scans: number
  readonly deleted: number
  readonly updated: number
  /** Number of heap-only updates, which change no index. */
  readonly beside: number
}

async function counted(): Promise<ReadonlyMap<string, Counted>> {
  const client = await connectTo(storage)
  const { rows } = await client
    .query(`select relname, seq_scan::int as scans, n_tup_del::int as deleted, n_tup_upd::int as updated,
      n_tup_hot_upd::int as beside from pg_stat_user_tables`)
    .finally(() => client.end())
  return new Map(rows.map(({ relname, ...counts }) => [relname, counts]))
}

/** Waits for the statistics of a session, which PostgreSQL writes a moment after the client has disconnected. */
const ended = () =>
  until('the ends of attempts are counted', async () => {
    const tables = await counted()
    return tables.get('queue')?.deleted === MESSAGES && tables.get('recipients')?.updated === MESSAGES
  })

test('messages are accepted, claimed and ended by key, without statistics and in small tables', async () => {
  await passThrough()
  await ended()
  const scanned = [...(await counted())].filter(
    ([table, { scans }]) => scans > 0 && (GROWING.includes(table) || table.startsWith('message_contents')),
  )
  assert.deepEqual(scanned, [])
})

test('a delivery does not write its message, and updates its recipient without touching an index', async () => {
  await passThrough()
  await ended()
  const tables = await counted()
  assert.equal(tables.get('messages')?.updated, 0)
  // An update is heap-only if the page has room for the new row.
  assert.ok((tables.get('recipients')?.beside ?? 0) > MESSAGES / 4)
})
