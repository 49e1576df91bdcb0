// The result of a transaction: one per recipient, and the state of the host.

import type { Reply } from '../model/reply.ts'
import type { StageFailure } from './stage.ts'

/**
 * Result of one recipient: the reply to the message if the host accepted it for this recipient, otherwise the failure
 * and its stage. A failure at `end-of-data` with an `error` leaves the outcome unknown: the host may have the
 * message.
 */
export type RecipientResult =
  | { readonly reply: Reply; readonly failure?: undefined }
  | { readonly reply?: undefined; readonly failure: StageFailure }

/** Results of a transaction, and the state in which it leaves the connection. */
export interface TransactionEnd {
  /** One result per recipient, in the order of the envelope. */
  readonly recipients: readonly RecipientResult[]
  /** True if the host still holds a sender: the next transaction begins with RSET. */
  readonly resetNext: boolean
}

/** Combines the results: recipients without an own failure share the outcome of the message. */
export function settle(
  failures: readonly (StageFailure | undefined)[],
  outcome?: Reply | StageFailure,
): RecipientResult[] {
  return failures.map((failure) => {
    if (failure !== undefined) return { failure }
    return 'stage' in outcome! ? { failure: outcome } : { reply: outcome! }
  })
}
