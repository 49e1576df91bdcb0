// Inbound messages: kinds, flags and parsed content.

/**
 * Kinds of inbound message: `dmarc_report` (RFC 9990), `tls_report` (RFC 8460), `feedback_report` (RFC 5965), `bounce`
 * (RFC 3464), and `message` for any other mail.
 */
export const INBOUND_KINDS = ['message', 'bounce', 'feedback_report', 'dmarc_report', 'tls_report'] as const
export type InboundKind = (typeof INBOUND_KINDS)[number]

/**
 * Facts about an inbound message on which a program may act. `auto_submitted`: the message must not be answered,
 * because a program wrote the message (RFC 3834) or the envelope sender is empty; `mailing_list`: the message came
 * through a mailing list (RFC 2919); `incomplete`: parts were dropped or texts truncated; `unreadable`: the message
 * could not be parsed in time, and only the raw message is available.
 */
export const INBOUND_FLAGS = ['auto_submitted', 'mailing_list', 'incomplete', 'unreadable'] as const
export type InboundFlag = (typeof INBOUND_FLAGS)[number]

/** A mailbox in a header field. */
export interface InboundMailbox {
  readonly email: string
  readonly name: string | null
}

/** A file of an inbound message, and the position of the file in the raw message. */
export interface InboundAttachment {
  readonly filename: string | null
  /** Media type as declared by the sender, in lower case; must never be the Content-Type of a response to a browser. */
  readonly content_type: string
  /** Size of the decoded file in bytes. */
  readonly size: number
  /** The Content-ID without angle brackets. */
  readonly content_id: string | null
  readonly inline: boolean
  /** Position of the part's body in the raw message: the first byte, the end (exclusive), and the transfer encoding. */
  readonly start: number
  readonly end: number
  readonly encoding: string
}

/**
 * Parsed content of an inbound message, stored in addition to the raw message. The sender controls all of the content.
 */
export interface ParsedInbound {
  readonly from: readonly InboundMailbox[]
  readonly to: readonly InboundMailbox[]
  readonly cc: readonly InboundMailbox[]
  readonly reply_to: readonly InboundMailbox[]
  readonly subject: string
  /** Time in the Date field as RFC 3339 text; null without a valid Date field. */
  readonly date: string | null
  /** Message-ID without angle brackets; the IDs in the next two fields also have no angle brackets. */
  readonly message_id: string | null
  readonly in_reply_to: string | null
  readonly references: readonly string[]
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly text: string | null
  readonly html: string | null
  /** The text without quotations and signature; null for a message without text. */
  readonly reply_text: string | null
  readonly attachments: readonly InboundAttachment[]
}

/** Verification result of one DKIM signature (RFC 6376). */
interface DkimResult {
  readonly result: string
  readonly domain: string
  readonly selector: string
  /** True if the signing domain is aligned with From (RFC 9989 §4.4). */
  readonly aligned: boolean
  /**
   * Set if the signature covers only the beginning of the body (`l=`, RFC 6376 §8.2); used for decisions and not
   * stored.
   */
  readonly partial?: true
}

/** Results of SPF, DKIM, DMARC and ARC, with the result names of RFC 8601. */
export interface Authentication {
  readonly spf: { readonly result: string; readonly domain: string | null }
  readonly dkim: readonly DkimResult[]
  readonly dmarc: {
    readonly result: string
    readonly domain: string | null
    readonly policy: string | null
  }
  readonly arc: { readonly result: string }
  /** Value of an Authentication-Results field (RFC 8601). */
  readonly header: string
}
