// A payload format: how events are written for a receiver, and how the request is signed.

import type { EventType } from '../model/event.ts'
import type { PayloadEvent } from './received-mail.ts'
import type { SigningKeys } from './signing-keys.ts'

/** A request to be signed: its body depends on its events alone, but for what a signature inside of it needs. */
interface Composed {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

interface ComposeContext {
  readonly keys: readonly SigningKeys[]
  /** Time of the attempt, milliseconds since the epoch. */
  readonly at: number
  /** The webhook takes several events in one request. */
  readonly isBatch: boolean
}

export interface PayloadFormat {
  /** The types of event that it has a word for; others are not sent. */
  readonly types: ReadonlySet<EventType>
  /** False where a request carries one event by the format's own rules. */
  readonly batches: boolean
  compose(events: readonly PayloadEvent[], context: ComposeContext): Composed
}

export const JSON_TYPE = { 'content-type': 'application/json' }
