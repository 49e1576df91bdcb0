// Every endpoint on one page.

import type { CredentialRates } from '../access/credential-rates.ts'
import type { Read } from '../store/store.ts'
import type { Cancellation } from '../submission/cancel.ts'
import type { Submission } from '../submission/submit.ts'
import { cancelMessage } from './messages/cancel.ts'
import { listMessages } from './messages/list.ts'
import { sendMessage } from './messages/send.ts'
import { sendBatch } from './messages/send-batch.ts'
import { type ShowContent, showMessage, showRawMessage } from './messages/show.ts'
import type { Route } from './route.ts'

/** What the endpoints work with. */
export interface Services {
  readonly read: Read
  readonly submission: Submission
  readonly cancellation: Cancellation
  readonly showContent: ShowContent
  readonly rates: CredentialRates
  /** The largest body of a batch. */
  readonly maxBatchBytes: number
}

/** The endpoints under `/v1`, all of them for a Sending API key. */
export const routes = (services: Services): readonly Route[] => {
  const { read, submission, cancellation, showContent, rates, maxBatchBytes } = services
  return [
    sendMessage(submission),
    sendBatch(submission, rates, maxBatchBytes),
    listMessages(read),
    showMessage(read, showContent),
    showRawMessage(showContent),
    cancelMessage(cancellation),
  ]
}
