// Idempotency keys: a request that is repeated within a day is answered once, and the answer kept for so long.

import { type Database, deleteRows, type Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'

/** Time for which an `Idempotency-Key` is remembered (contract §2). */
export const IDEMPOTENCY_MS = 24 * 3_600_000

/** An idempotency key that was used before. */
export type Repeated =
  /** With the same body: its answer. */
  | { readonly kind: 'replayed'; readonly response: string }
  /** With another body. */
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

/** Answer given to a request with this key, as `claimIdempotencyKey` would tell; undefined when there was none. */
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

/** Keeps the answer to a request under its key, unless one is there from the last 24 hours. */
export async function claimIdempotencyKey(
  db: Database,
  { keyId, key, bodyHash, messageId, response, now }: IdempotencyClaim,
): Promise<{ readonly kind: 'accepted' } | Repeated> {
  await db
    .deleteFrom('idempotency_keys')
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', key)
    .where('created_at', '<', now - IDEMPOTENCY_MS)
    .execute()
  const inserted = await db
    .insertInto('idempotency_keys')
    .values({
      key_id: keyId,
      idempotency_key: key,
      body_hash: bodyHash,
      message_id: messageId,
      response,
      created_at: now,
    })
    .onConflict((on) => on.columns(['key_id', 'idempotency_key']).doNothing())
    .returning('message_id')
    .execute()
  if (inserted.length > 0) return { kind: 'accepted' }
  const before = await db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'response'])
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', key)
    .executeTakeFirstOrThrow()
  return repeatedOf(before, bodyHash)
}

/** Forgets keys that were claimed before a time, the oldest up to `limit`; answers how many. */
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
    // One that was claimed anew meanwhile stays.
    const match = { match: ['created_at'] as const }
    await deleteRows(db, 'idempotency_keys', ['key_id', 'idempotency_key'], oldest, match)
    forgotten.push(oldest.length)
  }
  return forgotten
}
