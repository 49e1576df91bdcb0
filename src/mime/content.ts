// Content of a message, the input of the composer.

/** The author or a recipient of a message. */
export interface Mailbox {
  /** Canonical address (`parseAddress`): the domain in ASCII, and the local part possibly in UTF-8 or quoted. */
  readonly email: string
  /** Display name; empty without a display name. */
  readonly name?: string
}

/** A file sent with the message. */
export interface Attachment {
  readonly filename: string
  readonly content: Buffer
  /** Media type, with or without parameters; derived from the file name if missing. */
  readonly contentType?: string
  /** Content-ID without angle brackets; makes the file an inline part that the HTML shows as `cid:…` (RFC 2392). */
  readonly contentId?: string
}

/** Content of a message, without Bcc: only the envelope names Bcc recipients. */
export interface Content {
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc?: readonly Mailbox[]
  readonly replyTo?: readonly Mailbox[]
  readonly subject: string
  /** Message-ID without angle brackets. */
  readonly messageId: string
  /** Date in milliseconds since 1970-01-01 UTC. */
  readonly date: number
  readonly text?: string
  readonly html?: string
  readonly attachments?: readonly Attachment[]
  /** Custom fields in the order of the message; fields with a reserved name are left out. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}
