// Content of a message, the input of the composer.

/** The author or a recipient of a message. */
export interface Mailbox {
  /** Canonical, as `parseAddress` of the model returns it: the domain in ASCII, the local part perhaps UTF-8 or quoted. */
  readonly email: string
  /** The display name; empty for none. */
  readonly name?: string
}

/** A file sent with the message. */
export interface Attachment {
  readonly filename: string
  readonly content: Buffer
  /** A media type, with or without parameters; if missing, the file's name decides. */
  readonly contentType?: string
  /** Makes the file an inline part that the HTML shows as `cid:<contentId>` (RFC 2392). Without angle brackets. */
  readonly contentId?: string
}

/** Content without a bcc: only the envelope names recipients of a blind copy. */
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
  /** Custom fields in their order; fields with a reserved name are left out. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}
