// Inbound messages: kinds, flags and parsed content.

/**
 * Kinds of inbound message: `dmarc_report` (RFC 9990), `tls_report` (RFC 8460), `feedback_report` (RFC 5965),
 * `bounce` (RFC 3464), or any other.
 */
export const INBOUND_KINDS = ['message', 'bounce', 'feedback_report', 'dmarc_report', 'tls_report'] as const
export type InboundKind = (typeof INBOUND_KINDS)[number]

/**
 * Facts that a program may act on. `auto_submitted`: written by a program (RFC 3834), or without an envelope sender,
 * so it must not be answered; `mailing_list`: came through a list (RFC 2919); `incomplete`: parts were dropped or
 * texts truncated; `unreadable`: it could not be parsed in time, and only the raw message is there.
 */
export const INBOUND_FLAGS = ['auto_submitted', 'mailing_list', 'incomplete', 'unreadable'] as const
export type InboundFlag = (typeof INBOUND_FLAGS)[number]

/** A mailbox in a header field. */
export interface InboundMailbox {
  readonly email: string
  readonly name: string | null
}

/** A file of an inbound message, and its place in the raw message. */
export interface InboundAttachment {
  readonly filename: string | null
  /** Type as the sender declared it, in lower case: never answer a browser with this type. */
  readonly content_type: string
  /** Decoded size in bytes. */
  readonly size: number
  /** The Content-ID without angle brackets. */
  readonly content_id: string | null
  readonly inline: boolean
  /** The body of the part in the raw message: first byte, byte after the last, and its transfer encoding. */
  readonly start: number
  readonly end: number
  readonly encoding: string
}

/** Parsed content of an inbound message, stored in addition to the raw message. All of it comes from the sender. */
export interface ParsedInbound {
  readonly from: readonly InboundMailbox[]
  readonly to: readonly InboundMailbox[]
  readonly cc: readonly InboundMailbox[]
  readonly reply_to: readonly InboundMailbox[]
  readonly subject: string
  /** RFC 3339; null without a valid Date field. */
  readonly date: string | null
  /** The Message-ID; like the next two fields without angle brackets. */
  readonly message_id: string | null
  readonly in_reply_to: string | null
  readonly references: readonly string[]
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly text: string | null
  readonly html: string | null
  /** The text without quotations and signature; null without text. */
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
   * Set if the signature covers only the beginning of the body (`l=`, RFC 6376 §8.2); used for decisions, not stored.
   */
  readonly partial?: true
}

/** Results of SPF, DKIM, DMARC and ARC, in the words of RFC 8601. */
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
