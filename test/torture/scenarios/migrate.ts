// Contents that an older program has stored in one piece are put into partitions, and an index of all messages takes the
// place of an older one, while two loaded nodes serve.

import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { TableUpkeep } from '../../../src/operator/table-upkeep.ts'
import { MESSAGES_BY_ENDING } from '../../../src/store/database/late-indexes.ts'
import { CONTENT_PARTITIONS, isPartitioned, listDays } from '../../../src/store/database/partitions.ts'
import { NodeName } from '../../../src/store/node/node-identity.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { storeInOnePiece } from '../../support/partitions.ts'
import { count, inCluster } from '../cluster.ts'
import type { TortureDatabase } from '../database.ts'
import type { Scenario } from '../scenario.ts'

const MESSAGES = Number(process.env.TORTURE_MESSAGES ?? 1_000_000)
const SMALL_MESSAGES = 10_000
const PER_SECOND = 100
/** Long enough for a look at how long answers take without a change. */
const BEFORE_MS = 15_000
const HELD_MS = 4 * 60_000
/** Nobody who is refused, or waits, has to wait for longer. */
const MAX_WAIT_MS = 1_000

export const scenario: Scenario = {
  sentence:
    'the contents of 1,000,000 messages (TORTURE_MESSAGES) become partitions, and an index of them another one, while two loaded nodes serve',
  async run(small) {
    const messages = small ? SMALL_MESSAGES : MESSAGES
    const prepare = (database: TortureDatabase) => fill(database, messages)
    return inCluster({ nodes: 2, slowMs: 20, prepare }, async (cluster) => {
      const { clients, database } = cluster
      const store = await openStore({ dataDir: '/tmp', databaseUrl: database.url, log: silentLog })
      const upkeep = new TableUpkeep({ store, clock: systemClock, log: silentLog, node: new NodeName() })
      let isSending = true
      const sending = (async () => {
        while (isSending) await clients.send(PER_SECOND, 500)
      })()
      await clients.send(PER_SECOND, BEFORE_MS)
      const slowestBeforeMs = clients.takeSlowestMs()
      await query(database, "delete from duties where name = 'keep partitions'")
      const began = performance.now()
      await upkeep.run()
      const tookMs = Math.round(performance.now() - began)
      await clients.send(PER_SECOND, 1_000)
      const slowestMs = clients.takeSlowestMs()
      const divided = await isPartitioned(store.read, CONTENT_PARTITIONS)
      const indexed = await isReplaced(database)
      const days = (await listDays(store.read, CONTENT_PARTITIONS)).length
      await store.close()
      isSending = false
      await sending
      const { extras: _, ...outcome } = await count(cluster, { withinMs: 60_000 })
      return {
        figures: { messages, tookMs, divided, indexed, days, slowestBeforeMs, slowestMs, ...outcome },
        held:
          divided &&
          indexed &&
          outcome.lost === 0 &&
          outcome.extra === 0 &&
          (small || slowestMs < MAX_WAIT_MS),
      }
    })
  },
}

/** Contents of messages of the last 45 days, by statements: a program would take hours to write ten million. */
async function fill({ url }: TortureDatabase, messages: number): Promise<void> {
  await storeInOnePiece(url)
  await query(
    { url },
    `insert into message_contents (message_id, account_id, domain_id, format, content, bulk_id)
     select 'msg_01J' || lpad(n::text, 23, '0'), 'acc_old', 'dom_old', 'json',
       convert_to(repeat(md5(n::text), 4), 'UTF8'), null from generate_series(1, $1::int) n`,
    [messages],
  )
  await query({ url }, `drop index ${MESSAGES_BY_ENDING.name}`)
  await query(
    { url },
    `create index ${MESSAGES_BY_ENDING.replaces} on messages (domain_id, status, id) where status <> 'delivered'`,
  )
  await query(
    { url },
    `insert into messages (id, account_id, domain_id, key_id, status, stream, from_email, subject, size, recipient_count, created_at, updated_at)
     select 'msg_01J' || lpad(n::text, 23, '0'), 'acc_old', 'dom_old', 'key_old',
       case when n % 20 = 0 then 'bounced' else 'delivered' end, 'transactional', 'shop@example.com', 'Order ' || n, 3000, 1,
       1750000000000 + n, 1750000000000 + n from generate_series(1, $1::int) n`,
    [messages],
  )
  await query({ url }, 'vacuum analyze message_contents, messages')
  await query({ url }, 'checkpoint')
  // The nodes leave it to us.
  await query({ url }, "insert into duties values ('keep partitions', 'torture', $1)", [Date.now() + HELD_MS])
}

/** True once the new index is there, whole, and the older one is not. */
async function isReplaced({ url }: TortureDatabase): Promise<boolean> {
  const { rows } = await query(
    { url },
    'select relname as name, indisvalid as whole from pg_class join pg_index on indexrelid = pg_class.oid where relname in ($1, $2)',
    [MESSAGES_BY_ENDING.name, MESSAGES_BY_ENDING.replaces],
  )
  return isDeepStrictEqual(rows, [{ name: MESSAGES_BY_ENDING.name, whole: true }])
}

async function query(
  { url }: { readonly url: string },
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const result = await client.query(text, values)
  await client.end()
  return result
}
