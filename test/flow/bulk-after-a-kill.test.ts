// A node that is killed while it creates the messages of a bulk continues at its next start: each row becomes one
// message, and each message arrives.

// thorough: takes 6 CPU seconds to kill a node that sends a bulk; test/flow/bulk.test.ts covers bulks without a kill

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Store } from '../../src/store/database/store.ts'
import { LoadedNode } from '../support/crash/loaded-node.ts'
import { Receiver } from '../support/crash/receiver.ts'
import { DnsHost } from '../support/dns-host.ts'
import { untilReached } from '../support/reached.ts'
import { type DatabaseName, lookInto, testStorage, usualDatabase } from '../support/store.ts'
import { until } from '../support/test-clock.ts'

const ROWS = 1_500
const KILLS = 3
/** Line number of the last row; the first line of a bulk is the shared message. */
const LAST_LINE = ROWS + 1

/**
 * Trigger that refuses the last row until the trigger is dropped, so that the bulk cannot end before
 * the kills.
 */
const HOLD: Readonly<Record<DatabaseName, readonly string[]>> = {
  sqlite: [
    `create trigger hold before update on bulk_rows when new.line = ${LAST_LINE}
     begin select raise(abort, 'held by the test'); end`,
  ],
  postgres: [
    `create function hold() returns trigger language plpgsql as
     $$ begin raise exception 'held by the test'; end $$`,
    `create trigger hold before update on bulk_rows for each row when (new.line = ${LAST_LINE})
     execute function hold()`,
  ],
}
const RELEASE: Readonly<Record<DatabaseName, string>> = {
  sqlite: 'drop trigger hold',
  postgres: 'drop trigger hold on bulk_rows',
}

const run = ({ read }: Store, statement: string): Promise<unknown> => sql.raw(statement).execute(read)

test('a bulk whose node is killed loses and doubles nothing', { timeout: 180_000 }, async (context) => {
  const host = await Receiver.start()
  const dns = await DnsHost.start({
    '*.example': { MX: ['10 mx.test'] },
    'mx.test': { A: ['127.0.0.1'] },
  })
  const database = usualDatabase()
  const storage = await testStorage(database, 'playground')
  const node = await LoadedNode.in(storage, host, dns)
  context.after(async () => {
    await node.kill()
    await Promise.all([host.stop(), dns.stop()])
    await storage.remove()
  })
  await node.start()
  const { baseUrl, key } = await node.access()
  const call = async (method: string, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' }
    const response = await fetch(`${baseUrl}${path}`, { method, headers, ...(body ? { body } : {}) })
    return response.json() as Promise<Record<string, never>>
  }
  const message = { from: 'hello@example.test', subject: 'Row {{row}}', text: 'This is row {{row}}.' }
  const rows = Array.from({ length: ROWS }, (_, row) => ({
    to: `r${row}@receiver.example`,
    template_model: { row },
  }))
  const store = await lookInto(storage)
  context.after(() => store.close())
  for (const statement of HOLD[database]) await run(store, statement)
  const { bulk_id: id = '' } = await call(
    'POST',
    '/bulk',
    [message, ...rows].map((one) => JSON.stringify(one)).join('\n'),
  )
  const stateOf = () =>
    store.read
      .selectFrom('bulks')
      .select(['lease', 'accepted'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const leaseOf = async (): Promise<string | null> => (await stateOf()).lease
  const acceptedAt: number[] = []
  await untilReached('a kill among rows', KILLS, async (round) => {
    await until('a worker has leased the bulk', async () => (await leaseOf()) !== null)
    await node.killAfter(100 * round)
    // The bulk has no lease during a pause: on a busy machine, the kill may come after the worker has deferred the last
    // row.
    const { lease, accepted } = await stateOf()
    if (lease !== null) acceptedAt.push(accepted)
    await node.start()
    assert.ok(
      lease === null || (await leaseOf()) !== lease,
      'a node that is ready has released its former leases',
    )
    return lease !== null
  })
  await run(store, RELEASE[database])
  let bulk: { status?: string; accepted?: number; refused?: number } = {}
  await until('the bulk is done', async () => {
    bulk = await call('GET', `/bulk/${id}`)
    return bulk.status === 'done'
  })
  assert.deepEqual([bulk.status, bulk.accepted, bulk.refused], ['done', ROWS, 0])
  const stored = await store.read
    .selectFrom('messages')
    .innerJoin('recipients', 'recipients.message_id', 'messages.id')
    .select(['messages.id', 'subject', 'email'])
    .where('subject', 'like', 'Row %')
    .execute()
  assert.equal(stored.length, ROWS)
  assert.equal(new Set(stored.map(({ email }) => email)).size, ROWS)
  for (const { subject, email } of stored) assert.equal(email, `r${subject.slice(4)}@receiver.example`)
  const underWay = await node.settle(host, new Map(stored.map(({ id }) => [id, true])))
  assert.deepEqual([...underWay], [])
  const ofBulk = new Set(stored.map(({ id }) => id))
  const arrived = host.arrivals.filter((arrival) => ofBulk.has(arrival.id))
  assert.equal(new Set(arrived.map((arrival) => arrival.id)).size, ROWS)
  context.diagnostic(`killed behind rows ${acceptedAt}; ${arrived.length - ROWS} delivered twice by kills`)
})
