// Idempotency keys: a request that is repeated within a day gets the stored response to the first request.

import { sql } from 'kysely'
import type { Database, Read } from '../database/dialect.ts'
import { deleteRows, findRows, insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'

/** Time for which an `Idempotency-Key` is remembered. */
export const IDEMPOTENCY_MS = 24 * 3_600_000

/** Result for a request whose idempotency key was used before. */
export type Repeated =
  /** The repeated request has the same body and gets the stored response. */
  | { readonly kind: 'replayed'; readonly response: string }
  /** The repeated request has another body. */
  | { readonly kind: 'key_reused' }

/** A request that claims its idempotency key. */
export interface IdempotencyClaim {
  readonly keyId: string
  readonly key: string
  readonly bodyHash: string
  readonly messageId: string
  readonly response: string
  readonly now: number
}

/**
 * Returns the result for a request whose idempotency key was used at or after `since`; undefined if the key is unused.
 */
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

/** SQL clause that keeps a key of the last 24 hours and replaces an older key. */
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
 * Stores the responses to requests under their idempotency keys, unless a key was used within the last 24 hours or by
 * an earlier request in the list.
 */
export async function claimIdempotencyKeys(
  db: Database,
  claims: readonly IdempotencyClaim[],
): Promise<({ readonly kind: 'accepted' } | Repeated)[]> {
  const rows = claims.map(rowOf)
  const firsts = new Map(rows.toReversed().map((row) => [nameOf(row), row]))
  // All nodes lock the keys in the same order, which prevents deadlocks.
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

/** Releases the idempotency keys of requests that were refused. */
export async function releaseIdempotencyKeys(
  db: Database,
  claims: readonly IdempotencyClaim[],
): Promise<void> {
  if (claims.length > 0) await deleteRows(db, 'idempotency_keys', KEY, claims.map(rowOf))
}

/**
 * Removes up to `limit` of the oldest idempotency keys that were claimed before a time; returns the number of removed
 * keys.
 */
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
    // A key that was claimed again meanwhile is kept.
    const match = { match: ['created_at'] as const }
    await deleteRows(db, 'idempotency_keys', KEY, oldest, match)
    await forgetWithoutKey(db)
    forgotten.push(oldest.length)
  }
  return forgotten
}

/**
 * Removes the rows of interrupted requests whose idempotency keys were removed; only few such rows exist at any time.
 */
async function forgetWithoutKey(db: Database): Promise<void> {
  for (const table of ['keyed_requests', 'keyed_request_steps'] as const) {
    await sql`delete from ${sql.table(table)} where not exists (
      select 1 from idempotency_keys k
      where k.key_id = ${sql.ref(`${table}.key_id`)} and k.idempotency_key = ${sql.ref(`${table}.idempotency_key`)}
    )`.execute(db)
  }
}
