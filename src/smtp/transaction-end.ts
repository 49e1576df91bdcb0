// Result of a transaction: one for each recipient, and the state of the host.

import type { Reply } from '../model/reply.ts'
import type { StageFailure } from './stage.ts'

/**
 * Result of one recipient: the reply to the message when the host took it for this recipient, else the failure and its
 * stage. A failure at `end-of-data` with an `error` leaves the outcome unknown: the host may have the message.
 */
export type RecipientResult =
  | { readonly reply: Reply; readonly failure?: undefined }
  | { readonly reply?: undefined; readonly failure: StageFailure }

/** Results of a transaction and the state it leaves the connection in. */
export interface TransactionEnd {
  /** One for each recipient of the envelope, in its order. */
  readonly recipients: readonly RecipientResult[]
  /** The host still holds a sender: the next transaction begins with RSET. */
  readonly resetNext: boolean
}

/** Those without a failure so far share the outcome of the message. */
export function settle(
  failures: readonly (StageFailure | undefined)[],
  outcome?: Reply | StageFailure,
): RecipientResult[] {
  return failures.map((failure) => {
    if (failure !== undefined) return { failure }
    return 'stage' in outcome! ? { failure: outcome } : { reply: outcome! }
  })
}
