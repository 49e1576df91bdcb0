// Accepts a batch of messages in one commit, with one response to the client.

import type { Database } from '../database/dialect.ts'
import {
  claimIdempotencyKeys,
  type IdempotencyClaim,
  type Repeated,
  releaseIdempotencyKeys,
} from '../requests/idempotency-keys.ts'
import {
  type AcceptMessage,
  acceptMessage,
  type SuppressedRecipient,
  suppressedIn,
} from './accept-message.ts'
import type { Exhausted } from './allowances.ts'

/** A batch as the submission code passes it to the store: the messages, and the results for the client. */
export interface AcceptBatch {
  /** Messages of the batch; only the batch as a whole has an idempotency key. */
  readonly messages: readonly AcceptMessage[]
  /** Index in `answers` of each message's result. */
  readonly places: readonly number[]
  /** Results for the client if all messages are accepted. */
  readonly answers: readonly object[]
  /** Result of a message that exceeds an allowance. */
  readonly refusal: object
  /** True to accept no message if the allowances do not cover all messages. */
  readonly whole?: boolean
  readonly idempotency:
    | { readonly keyId: string; readonly key: string; readonly bodyHash: string; readonly now: number }
    | undefined
}

/**
 * Result of a batch; `kept` contains for each message whether the message was accepted or exceeded an allowance. A whole
 * batch that exceeds an allowance is `allowance_exhausted`, and nothing of the batch is stored.
 */
export type AcceptedBatch =
  | {
      readonly kind: 'accepted'
      readonly answers: readonly object[]
      readonly kept: readonly boolean[]
      readonly suppressed: readonly SuppressedRecipient[]
    }
  | Repeated
  | ({ readonly kind: 'allowance_exhausted' } & Exhausted)

/**
 * Accepts the messages of each batch that the allowances cover. The response is stored under the idempotency key in the
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
  { messages, places, answers, refusal, whole, idempotency }: AcceptBatch,
): Promise<AcceptedBatch> {
  // The stored response is empty until the results of the messages are known; no reader sees the row before the commit.
  const claims: IdempotencyClaim[] =
    idempotency === undefined ? [] : [{ ...idempotency, messageId: '', response: '' }]
  const [claim] = await claimIdempotencyKeys(db, claims)
  if (claim !== undefined && claim.kind !== 'accepted') return claim
  const given = [...answers]
  const accepted = await acceptMessage(db, messages, whole)
  const exhausted = whole ? accepted.find((one) => one.kind === 'allowance_exhausted') : undefined
  if (exhausted !== undefined) {
    await releaseIdempotencyKeys(db, claims)
    return exhausted
  }
  const kept = accepted.map(({ kind }) => kind === 'accepted')
  for (const [index, isKept] of kept.entries()) if (!isKept) given[places[index] as number] = refusal
  if (idempotency !== undefined) {
    await db
      .updateTable('idempotency_keys')
      .set({ response: JSON.stringify(given) })
      .where('key_id', '=', idempotency.keyId)
      .where('idempotency_key', '=', idempotency.key)
      .execute()
  }
  return { kind: 'accepted', answers: given, kept, suppressed: suppressedIn(accepted) }
}
