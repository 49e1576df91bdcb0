// The links of one recipient of a message, and the properties of the message from which the links are made.

import type { TrackingSigner } from '../model/tracking-link.ts'

/** Properties of a message, in addition to the content, that determine the bytes to send. */
export interface MessageIdentity {
  readonly id: string
  readonly domainName: string
  readonly stream: string
  /** Time at which the message was due: the time of acceptance, or `send_at` of a scheduled message. */
  readonly createdAt: number
}

/** A recipient of a message. */
export interface ComposedFor {
  readonly email: string
  /** Position among all recipients; undefined for a message without tracking that is shown to its sender. */
  readonly position: number | undefined
}

/** The links of one recipient: the unsubscribe link, and the signer of tracked links. */
export interface RecipientLink {
  readonly recipient: ComposedFor
  readonly url: string
  readonly address: string
  readonly tracking: TrackingSigner
}
