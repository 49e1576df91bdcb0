// The result of a transaction: one result per recipient, and the state of the host.

import type { Reply } from '../model/reply.ts'
import type { StageFailure } from './stage.ts'

/**
 * Result for one recipient: the reply to the message if the host accepted the message for this recipient, otherwise the
 * failure and its stage. A failure at `end-of-data` with an `error` leaves the outcome unknown: the host may have the
 * message.
 */
export type RecipientResult =
  | { readonly reply: Reply; readonly failure?: undefined }
  | { readonly reply?: undefined; readonly failure: StageFailure }

/** Results of a transaction, and the state of the connection after the transaction. */
export interface TransactionEnd {
  /** One result per recipient, in the order of the envelope. */
  readonly recipients: readonly RecipientResult[]
  /** True if the next transaction must begin with RSET, because the host still holds an envelope sender. */
  readonly resetNext: boolean
}

/** Combines the results: recipients without a separate failure share the outcome of the message. */
export function settle(
  failures: readonly (StageFailure | undefined)[],
  outcome?: Reply | StageFailure,
): RecipientResult[] {
  return failures.map((failure) => {
    if (failure !== undefined) return { failure }
    return 'stage' in outcome! ? { failure: outcome } : { reply: outcome! }
  })
}
