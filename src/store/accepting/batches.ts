// Accepts a batch of messages in one commit, with one answer.

import type { Database } from '../database/dialect.ts'
import { claimIdempotencyKeys, type Repeated } from '../requests/idempotency-keys.ts'
import { type AcceptMessage, acceptMessage } from './accept-message.ts'

/** A batch as submission passes it on: its messages, and the answers to the client. */
export interface AcceptBatch {
  /** The messages, without idempotency keys of their own. */
  readonly messages: readonly AcceptMessage[]
  /** Index of the answer of each message. */
  readonly places: readonly number[]
  /** The answers if all messages are accepted. */
  readonly answers: readonly object[]
  /** Answer for a message that exceeds an allowance. */
  readonly refusal: object
  readonly idempotency:
    | { readonly keyId: string; readonly key: string; readonly bodyHash: string; readonly now: number }
    | undefined
}

/** `kept`: whether each message was accepted; an allowance may have been too small for some. */
export type AcceptedBatch =
  | { readonly kind: 'accepted'; readonly answers: readonly object[]; readonly kept: readonly boolean[] }
  | Repeated

/**
 * Accepts the messages of each batch that an allowance permits. The answers are stored under the idempotency key in the
 * same commit.
 */
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
    // The response is empty until the answers are known; the row is not visible before the commit.
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
