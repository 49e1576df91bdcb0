// A complete message that the HTTP API submits: its envelope and its options, in addition to the fields of the message.

import type { Submitted } from './answer.ts'
import type { Sender } from './authorize.ts'

/** Complete message with its envelope. */
export interface RawRequest {
  /** Message as received. Submitting takes the memory of the content, which must not be used afterwards. */
  readonly content: Buffer
  /** Envelope sender; undefined for the address in the From field. */
  readonly from: string | undefined
  /** Lists of envelope recipients; undefined for the addresses in the To, Cc and Bcc fields. */
  readonly to: readonly string[] | undefined
  /** Options that take precedence over the fields of the message. */
  readonly stream: string | undefined
  readonly tags: readonly string[] | undefined
  readonly idempotencyKey: string | undefined
  /** `traceparent` of the request. */
  readonly traceCaller: string | undefined
  /** Returns the sender of mail from an address. Throws `Problem` if the caller may not send from the address. */
  senderOf(from: string): Sender
}

/**
 * Submits a message by the rules of the SMTP submission port, so that both accept, mend and refuse the same messages.
 * Throws `Problem` for a refused message, with the line of the message where a single line is wrong.
 */
export type SubmitRaw = (request: RawRequest) => Promise<Submitted>
