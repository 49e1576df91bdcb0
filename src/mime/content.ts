// Content of a message before it has a form: the input of the composer.

/** A person or a role: who it is from, or for. */
export interface Mailbox {
  /** Canonical, as `parseAddress` of the model gives it: ASCII domain, local part perhaps UTF-8 or quoted. */
  readonly email: string
  /** The display name; empty is none. */
  readonly name?: string
}

/** A file that goes with the message. */
export interface Attachment {
  readonly filename: string
  readonly content: Buffer
  /** A media type, parameters allowed; without one the file's name decides. */
  readonly contentType?: string
  /** Makes it an inline part that the HTML shows as `cid:<contentId>` (RFC 2392). Without angle brackets. */
  readonly contentId?: string
}

/** There is no bcc: who gets a blind copy is known to the envelope alone. */
export interface Content {
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc?: readonly Mailbox[]
  readonly replyTo?: readonly Mailbox[]
  readonly subject: string
  /** Without angle brackets. */
  readonly messageId: string
  /** Milliseconds since 1970-01-01 UTC. */
  readonly date: number
  readonly text?: string
  readonly html?: string
  readonly attachments?: readonly Attachment[]
  /** Custom fields in their order; those with a reserved name are left out. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}
