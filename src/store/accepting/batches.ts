// Many messages that came together, and their one answer: kept together or not at all.

import type { Database } from '../database/dialect.ts'
import { claimIdempotencyKeys, type Repeated } from '../requests/idempotency-keys.ts'
import { type AcceptMessage, acceptMessage } from './accept-message.ts'

/** A batch as a door hands it over: what is to be kept, and what is to be answered. */
export interface AcceptBatch {
  /** Without idempotency of their own. */
  readonly messages: readonly AcceptMessage[]
  /** For each message, which of the answers is its own. */
  readonly places: readonly number[]
  /** The answers as they are if all messages are accepted. */
  readonly answers: readonly object[]
  /** The answer for a message that the allowance does not reach for. */
  readonly refusal: object
  readonly idempotency:
    | { readonly keyId: string; readonly key: string; readonly bodyHash: string; readonly now: number }
    | undefined
}

/** `kept`: for each message, whether it was; the allowance may not have reached for all. */
export type AcceptedBatch =
  | { readonly kind: 'accepted'; readonly answers: readonly object[]; readonly kept: readonly boolean[] }
  | Repeated

/** Keeps what of each batch can be accepted. Its answers are kept under its idempotency key, in the same commit. */
export async function acceptBatch(db: Database, items: readonly AcceptBatch[]): Promise<AcceptedBatch[]> {
  const results: AcceptedBatch[] = []
  for (const item of items) results.push(await acceptOne(db, item))
  return results
}
acceptBatch.line = 'accepting' as const
acceptBatch.weightOf = ({ messages }: AcceptBatch): number => messages.length

async function acceptOne(
  db: Database,
  { messages, places, answers, refusal, idempotency }: AcceptBatch,
): Promise<AcceptedBatch> {
  if (idempotency !== undefined) {
    // The answers are known only later, and the row is not visible before the commit.
    const [claim] = await claimIdempotencyKeys(db, [{ ...idempotency, messageId: '', response: '' }])
    if (claim !== undefined && claim.kind !== 'accepted') return claim
  }
  const given = [...answers]
  const kept = (await acceptMessage(db, messages)).map(({ kind }) => kind === 'accepted')
  for (const [index, isKept] of kept.entries()) if (!isKept) given[places[index] as number] = refusal
  if (idempotency !== undefined) {
    await db
      .updateTable('idempotency_keys')
      .set({ response: JSON.stringify(given) })
      .where('key_id', '=', idempotency.keyId)
      .where('idempotency_key', '=', idempotency.key)
      .execute()
  }
  return { kind: 'accepted', answers: given, kept }
}
