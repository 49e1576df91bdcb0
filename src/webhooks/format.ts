// A payload format of webhooks: how events are written for a receiver, and the signature of the
// service, if the service has one.

import type { MessagePayload, PayloadEvent } from './received-mail.ts'
import type { SigningKeys } from './signing-keys.ts'

/**
 * A request to sign. The body of a request depends only on its events, except for the input of a signature inside the
 * body.
 */
interface Composed {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

interface ComposeContext {
  readonly keys: readonly SigningKeys[]
  /** Time of the attempt in milliseconds since the epoch. */
  readonly at: number
  /** True if the webhook takes several events in one request. */
  readonly isBatch: boolean
}

export interface PayloadFormat<Event extends PayloadEvent = MessagePayload> {
  /** Event types that the format can express; events of other types are not sent. */
  readonly types: ReadonlySet<Event['type']>
  /** False if the format allows only one event in a request. */
  readonly batches: boolean
  /** Prefix under which receivers expect the headers of Standard Webhooks, in addition to `webhook`. */
  readonly signatureHeaders?: string
  compose(events: readonly Event[], context: ComposeContext): Composed
  /** Returns the header fields of a signature that takes so long that a thread makes the signature. */
  sign?(body: string, keys: readonly SigningKeys[]): Promise<Readonly<Record<string, string>>>
}

export const JSON_TYPE = { 'content-type': 'application/json' }
