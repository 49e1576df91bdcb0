// Idempotency keys: a request that is repeated within a day gets the stored answer of the first one.

import { sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import { deleteRows, findRows, insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

/** Time for which an `Idempotency-Key` is remembered. */
export const IDEMPOTENCY_MS = 24 * 3_600_000

/** Result for an idempotency key that was used before. */
export type Repeated =
  /** Same body: the stored answer. */
  | { readonly kind: 'replayed'; readonly response: string }
  /** Another body. */
  | { readonly kind: 'key_reused' }

/** A request that is to be answered once. */
export interface IdempotencyClaim {
  readonly keyId: string
  readonly key: string
  readonly bodyHash: string
  readonly messageId: string
  readonly response: string
  readonly now: number
}

/** Returns the answer to an earlier request with this key, as `claimIdempotencyKeys` does; undefined without one. */
export async function findRepeated(
  read: Read,
  { keyId, key, bodyHash }: Pick<IdempotencyClaim, 'keyId' | 'key' | 'bodyHash'>,
  since: number,
): Promise<Repeated | undefined> {
  const before = await read
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'response'])
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', key)
    .where('created_at', '>=', since)
    .executeTakeFirst()
  return before === undefined ? undefined : repeatedOf(before, bodyHash)
}

const repeatedOf = (
  before: Pick<Tables['idempotency_keys'], 'body_hash' | 'response'>,
  bodyHash: string,
): Repeated =>
  before.body_hash === bodyHash ? { kind: 'replayed', response: before.response } : { kind: 'key_reused' }

/** A key of the last 24 hours stays, an older one is replaced. */
const UNLESS_RECENT =
  'on conflict (key_id, idempotency_key) do update set body_hash=excluded.body_hash, message_id=excluded.message_id, ' +
  'response=excluded.response, created_at=excluded.created_at ' +
  `where idempotency_keys.created_at < excluded.created_at - ${IDEMPOTENCY_MS}`

const KEY = ['key_id', 'idempotency_key'] as const

const nameOf = ({
  key_id,
  idempotency_key,
}: Pick<Tables['idempotency_keys'], (typeof KEY)[number]>): string => `${key_id} ${idempotency_key}`

const rowOf = ({ keyId, key, bodyHash, messageId, response, now }: IdempotencyClaim) => ({
  key_id: keyId,
  idempotency_key: key,
  body_hash: bodyHash,
  message_id: messageId,
  response,
  created_at: now,
})

/**
 * Stores the answers to requests under their keys, unless a key was used within the last 24 hours or by an earlier
 * request in the list.
 */
export async function claimIdempotencyKeys(
  db: Database,
  claims: readonly IdempotencyClaim[],
): Promise<({ readonly kind: 'accepted' } | Repeated)[]> {
  const rows = claims.map(rowOf)
  const firsts = new Map(rows.toReversed().map((row) => [nameOf(row), row]))
  // All nodes lock the keys in the same order, which excludes deadlocks.
  const ordered = [...firsts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
  const claimed = new Set(
    (await insertRows(db, 'idempotency_keys', ordered, UNLESS_RECENT, KEY)).map((row) => nameOf(row)),
  )
  const repeated = rows.filter((row) => !claimed.has(nameOf(row)) || firsts.get(nameOf(row)) !== row)
  const found = await findRows(db, 'idempotency_keys', KEY, repeated, [...KEY, 'body_hash', 'response'])
  const before = new Map(found.map((row) => [nameOf(row), row]))
  return rows.map((row) => {
    const name = nameOf(row)
    if (claimed.has(name) && firsts.get(name) === row) return { kind: 'accepted' }
    const one = before.get(name)
    if (one === undefined) throw new Error('an idempotency key is neither claimed nor found')
    return repeatedOf(one, row.body_hash)
  })
}

/** Releases the keys of requests that were refused. */
export async function releaseIdempotencyKeys(
  db: Database,
  claims: readonly IdempotencyClaim[],
): Promise<void> {
  if (claims.length > 0) await deleteRows(db, 'idempotency_keys', KEY, claims.map(rowOf))
}

/** Removes up to `limit` of the oldest keys that were claimed before a time; returns their number. */
export async function forgetIdempotencyKeys(
  db: Database,
  items: readonly { readonly before: number; readonly limit: number }[],
): Promise<number[]> {
  const forgotten: number[] = []
  for (const { before, limit } of items) {
    const oldest = await db
      .selectFrom('idempotency_keys')
      .select(['key_id', 'idempotency_key', 'created_at'])
      .where('created_at', '<', before)
      .orderBy('created_at')
      .limit(limit)
      .execute()
    // A key that was claimed again meanwhile stays.
    const match = { match: ['created_at'] as const }
    await deleteRows(db, 'idempotency_keys', KEY, oldest, match)
    await forgetWithoutKey(db)
    forgotten.push(oldest.length)
  }
  return forgotten
}

/** Removes the remains of interrupted requests whose keys are gone; there are few at any time. */
async function forgetWithoutKey(db: Database): Promise<void> {
  for (const table of ['keyed_requests', 'keyed_request_steps'] as const) {
    await sql`delete from ${sql.table(table)} where not exists (
      select 1 from idempotency_keys k
      where k.key_id = ${sql.ref(`${table}.key_id`)} and k.idempotency_key = ${sql.ref(`${table}.idempotency_key`)}
    )`.execute(db)
  }
}
