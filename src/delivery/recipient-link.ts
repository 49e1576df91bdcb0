// The links of one recipient of a message, and the properties of the message that they are made from.

import type { TrackingSigner } from '../model/tracking-link.ts'

/** Properties, in addition to the content, that the form of a message depends on. */
export interface MessageIdentity {
  readonly id: string
  readonly domainName: string
  readonly stream: string
  /** Time at which it was due: at once, or at its `send_at`. */
  readonly createdAt: number
}

/** A recipient of a message. */
export interface ComposedFor {
  readonly email: string
  /** Position among all recipients; undefined for a message that is shown to its sender and not tracked. */
  readonly position: number | undefined
}

/** The links of one recipient: the unsubscribe link, and the signer of tracked links. */
export interface RecipientLink {
  readonly recipient: ComposedFor
  readonly url: string
  readonly address: string
  /** The name of the installation as a sender, the same in all of its mail. */
  readonly installation: string
  readonly tracking: TrackingSigner
}
