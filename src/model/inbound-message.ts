// An inbound message: its kinds, its flags, and what is read of it.

/**
 * Kinds of inbound message: `dmarc_report` (RFC 9990), `tls_report` (RFC 8460), `feedback_report` (RFC 5965),
 * `bounce` (RFC 3464), or any other.
 */
export const INBOUND_KINDS = ['message', 'bounce', 'feedback_report', 'dmarc_report', 'tls_report'] as const
export type InboundKind = (typeof INBOUND_KINDS)[number]

/**
 * Facts that a program may act on. `auto_submitted`: written by a program (RFC 3834), or without a sender in its
 * envelope, so never answer it; `mailing_list`: came by a list (RFC 2919); `incomplete`: parts were left out or texts
 * cut; `unreadable`: it could not be read in time, and only the raw message is there.
 */
export const INBOUND_FLAGS = ['auto_submitted', 'mailing_list', 'incomplete', 'unreadable'] as const
export type InboundFlag = (typeof INBOUND_FLAGS)[number]

/** A mailbox of a header field. */
export interface InboundMailbox {
  readonly email: string
  readonly name: string | null
}

/** A file of an inbound message, and its place in the raw message. */
export interface InboundAttachment {
  readonly filename: string | null
  /** As the sender says, in lower case: never answer a browser with it. */
  readonly content_type: string
  /** Bytes, decoded. */
  readonly size: number
  /** Without angle brackets. */
  readonly content_id: string | null
  readonly inline: boolean
  /** The part's body in the raw message: first byte, byte behind the last, and its transfer encoding. */
  readonly start: number
  readonly end: number
  readonly encoding: string
}

/** Content of an inbound message as it is stored beside the raw one. All of it is the sender's. */
export interface ParsedInbound {
  readonly from: readonly InboundMailbox[]
  readonly to: readonly InboundMailbox[]
  readonly cc: readonly InboundMailbox[]
  readonly reply_to: readonly InboundMailbox[]
  readonly subject: string
  /** RFC 3339; null without a Date field that is one. */
  readonly date: string | null
  /** Without angle brackets, as are the next two. */
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

/** One DKIM signature as it was verified (RFC 6376). */
interface DkimResult {
  readonly result: string
  readonly domain: string
  readonly selector: string
  /** The signing domain is aligned with From (RFC 9989 §4.4). */
  readonly aligned: boolean
  /** It covers the beginning of the body alone (`l=`, RFC 6376 §8.2); told to our own decisions, not stored. */
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
  /** The value of an Authentication-Results field (RFC 8601). */
  readonly header: string
}
