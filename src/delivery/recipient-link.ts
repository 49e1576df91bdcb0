// The links of one recipient of a message, and what of the message they are made from.

import type { TrackingSigner } from '../model/tracking-link.ts'

/** Properties, beside the content, that the form of a message depends on. */
export interface MessageIdentity {
  readonly id: string
  readonly domainName: string
  readonly stream: string
  /** Time at which it was to be sent: at once, or at its `send_at`. */
  readonly createdAt: number
}

/** A recipient of a message. */
export interface ComposedFor {
  readonly email: string
  /** Among all recipients; undefined for a message that is shown to its sender and not tracked. */
  readonly position: number | undefined
}

/** The links of one recipient: the unsubscribe link, and what signs those that are tracked. */
export interface RecipientLink {
  readonly recipient: ComposedFor
  readonly url: string
  readonly address: string
  /** The name of the installation as a sender, the same in all of its mail. */
  readonly installation: string
  readonly tracking: TrackingSigner
}
