// kill -9 while the rows of a bulk become messages: its node goes on with it at its start, each row becomes one message,
// and each message arrives.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadedNode } from '../support/crash/loaded-node.ts'
import { Receiver } from '../support/crash/receiver.ts'
import { DnsHost } from '../support/dns-host.ts'
import { lookInto, testStorage, usualDatabase } from '../support/store.ts'
import { until } from '../support/test-clock.ts'

const ROWS = 3_000
const KILLS = 3

test('a bulk whose node is killed loses and doubles nothing', { timeout: 180_000 }, async (context) => {
  const host = await Receiver.start()
  const dns = await DnsHost.start({
    '*.example': { MX: ['10 mx.test'] },
    'mx.test': { A: ['127.0.0.1'] },
  })
  const storage = await testStorage(usualDatabase(), 'playground')
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
  const { bulk_id: id = '' } = await call(
    'POST',
    '/bulk',
    [message, ...rows].map((one) => JSON.stringify(one)).join('\n'),
  )
  const store = await lookInto(storage)
  context.after(() => store.close())
  const leaseOf = async (): Promise<string | null> => {
    const bulk = store.read.selectFrom('bulks').select('lease').where('id', '=', id)
    return (await bulk.executeTakeFirstOrThrow()).lease
  }
  await until('it is begun', async () => (await leaseOf()) !== null)
  let during = 0
  for (let kill = 0; kill < KILLS; kill++) {
    await node.killAfter(100 * kill)
    const lease = await leaseOf()
    if (lease !== null) during++
    await node.start()
    assert.ok(lease === null || (await leaseOf()) !== lease, 'a node that is ready has its leases back')
  }
  assert.ok(during > 0, 'no kill came while rows became messages')
  let bulk: { status?: string; accepted?: number; refused?: number } = {}
  await until('it is done', async () => {
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
  context.diagnostic(`${during} kills among rows; ${arrived.length - ROWS} delivered twice by kills`)
})
