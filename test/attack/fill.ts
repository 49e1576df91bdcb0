// Fills the attacker's account with many rows: delivered messages, verifications, suppressions and statistics.

import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { beforeIdsOf, newId } from '../../src/lib/ids.ts'
import { acceptMessage } from '../../src/store/accepting/accept-message.ts'
import { databaseFile } from '../../src/store/database/store.ts'
import { FIGURES } from '../../src/store/readers/message-counts.ts'
import { messageTo } from '../support/queued.ts'
import { settled, type TestStorage } from '../support/store.ts'
import type { FilledPlace } from './recipe.ts'

const MESSAGES = 50_000
const ROWS = 100_000
const SPAN_MS = 10 * 86_400_000
const HOUR_MS = 3_600_000
/** Maximum number of concurrent writes. */
const AT_ONCE = 2_048

/** Returns an ID of fixed length with this time and number. */
const idOf = (kind: 'msg' | 'sup', at: number, index: number): string =>
  `${beforeIdsOf(kind, at)}${index.toString().padStart(16, '0')}`

/** Adds delivered messages of the last ten days; each message has one of a thousand recipients. */
export async function fillMessages({ store, storage, attacker }: FilledPlace): Promise<void> {
  const now = Date.now()
  for (let first = 0; first < MESSAGES; first += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, MESSAGES - first) }, (_, index) => {
      const number = first + index
      const at = now - SPAN_MS + Math.floor((number * SPAN_MS) / MESSAGES)
      const { message, ...rest } = messageTo(attacker.owner, [`user${number % 1_000}@receiver.test`])
      const subject = `Your receipt for order ${number}`
      const told = { id: idOf('msg', at, number), created_at: at, tag: 'receipt', subject }
      return store.write(acceptMessage, { ...rest, message: { ...message, ...told } })
    })
    await Promise.all(some)
  }
  await settled(store)
  await execute(storage, ['delete from queue', "update recipients set status = 'delivered'", 'analyze'])
}

/** Adds a list with a hundred thousand verified addresses. */
export async function fillVerifications({ storage, attacker }: FilledPlace): Promise<void> {
  const now = Date.now()
  const answer = `'{"email":"user' || n || '@receiver.test","result":"deliverable","internalResult":"accepted"}'`
  await execute(storage, [
    `insert into verifications (id, account_id, key_id, name, columns, status, total, duplicates, deliverable,
      undeliverable, risky, unknown, lease, lease_until, created_at, finished_at)
     values ('${VERIFICATION}', '${attacker.account.id}', 'key_test', null, null, 'done', ${ROWS}, 0, ${ROWS}, 0, 0, 0, null, null, ${now}, ${now})`,
    `insert into verification_addresses (verification_id, position, account_id, email, answer, cells)
     select '${VERIFICATION}', n, '${attacker.account.id}', 'user' || n || '@receiver.test', ${answer}, null
     from ${numbers(storage, ROWS)}`,
    'analyze',
  ])
}

/** ID of the address list that `fillVerifications` adds. */
export const VERIFICATION = newId('ver')

/** Adds a hundred thousand suppressions. */
export async function fillSuppressions({ storage, attacker }: FilledPlace): Promise<void> {
  const { accountId, domainId } = attacker.owner
  const at = Date.now() - SPAN_MS
  const begin = beforeIdsOf('sup', at)
  const digits = storage.databaseUrl === undefined ? `printf('%016d', n)` : `lpad(n::text, 16, '0')`
  await execute(storage, [
    `insert into suppressions (id, account_id, domain_id, stream, email, reason, message_id, created_at, replaced)
     select '${begin}' || ${digits}, '${accountId}', '${domainId}', 'transactional',
       'user' || n || '@receiver.test', 'manual', null, ${at}, null from ${numbers(storage, ROWS)}`,
    'analyze',
  ])
}

/** Adds sending statistics of fifty tags for each hour of 90 days. */
export async function fillFigures({ storage, attacker }: FilledPlace): Promise<void> {
  const { accountId, domainId } = attacker.owner
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  await execute(storage, [
    `insert into message_parts (account_id, hour_at, domain_id, stream, kind, name, ${FIGURES.join()})
     select '${accountId}', ${hour} - (n / 50) * ${HOUR_MS}, '${domainId}', 'transactional', 'tag', 'tag' || (n % 50),
       ${FIGURES.map(() => 7).join()} from ${numbers(storage, 2_160 * 50)}`,
    'analyze',
  ])
}

/** Returns SQL for a table with a column `n` that counts from 0. */
const numbers = ({ databaseUrl }: TestStorage, count: number): string =>
  databaseUrl === undefined
    ? `(with recursive counted(n) as (select 0 union all select n + 1 from counted where n < ${count - 1}) select n from counted) as numbers`
    : `generate_series(0::bigint, ${count - 1}) as numbers(n)`

async function execute({ dataDir, databaseUrl }: TestStorage, statements: readonly string[]): Promise<void> {
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(databaseFile(dataDir), { timeout: 30_000 })
    for (const one of statements) database.exec(one)
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  for (const one of statements) await client.query(one)
  await client.end()
}
