// Reports of the locks that delay the opening of a store.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { connectTo } from '../../../test/support/partitions.ts'
import { lookInto, testStorage } from '../../../test/support/store.ts'
import { until } from '../../../test/support/test-clock.ts'
import { reportWaits } from './lock-waits.ts'

test('the cause of a wait is reported until the session goes on', async (context) => {
  const storage = await testStorage('postgres')
  const [store, beside, holder] = [await lookInto(storage), await lookInto(storage), await connectTo(storage)]
  context.after(async () => {
    await Promise.all([store.close(), beside.close(), holder.end()])
    await storage.remove()
  })
  await holder.query("set application_name = 'a forgotten shell'")
  await holder.query('begin')
  const { rows } = await holder.query('select pg_backend_pid() as pid, pg_advisory_xact_lock(1)')
  const told: string[] = []
  const done = store.read.connection().execute(async (session) =>
    reportWaits(
      session,
      () => beside.read,
      (sentence) => told.push(sentence),
      () => sql`select pg_advisory_lock(1)`.execute(session),
      20,
    ),
  )
  await until('it is told', () => told.length > 0)
  await holder.query('rollback')
  await done
  assert.match(
    told[0] ?? '',
    new RegExp(`process ${rows[0].pid} \\(a forgotten shell, idle in transaction[^)]*\\) holds`),
  )
})
