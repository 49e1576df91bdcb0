// Kinds of returned mail: a delivery report, a feedback report, an automatic reply, or none of these.

import type { AnsweredCommand } from '../model/quoted-reply.ts'

/** Action taken for a recipient (RFC 3464 §2.3.3). */
export type Action = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'

/** Part of a delivery report about one recipient. All text is on one line, without control characters. */
export interface RecipientReport {
  readonly action: Action
  /** The address that the report is about, and the address of the original message, without their types. */
  readonly finalRecipient?: string
  readonly originalRecipient?: string
  /** RFC 3463, such as `5.1.1`. */
  readonly status?: string
  /** The last host's reply, or the reason why the reporting host gave up; at most 1,000 characters. */
  readonly diagnostic?: string
  /** The command that the diagnostic answered, if the report names it outside of the diagnostic. */
  readonly answered?: AnsweredCommand
  /** The host that gave the diagnostic. */
  readonly remoteMta?: string
}

/** A DSN, in any form. */
export interface DeliveryReport {
  readonly kind: 'delivery'
  /** `rfc3464`, or the mail program whose wording was recognised. */
  readonly form: string
  /**
   * True if its author is a mail system, by the format or by its name. Otherwise a person may have written the words,
   * and nothing in them is certain.
   */
  readonly isOfMailSystem: boolean
  /** One or more, at most a hundred. */
  readonly recipients: readonly RecipientReport[]
  readonly original: string
}

/** An abuse or feedback report about a message (RFC 5965). */
export interface FeedbackReport {
  readonly kind: 'feedback'
  /** In lower case: `abuse`, `not-spam`, `auth-failure` and others. */
  readonly feedbackType: string
  readonly userAgent?: string
  /** The return path of the message, if the report names it. */
  readonly originalMailFrom?: string
  /** Recipients of the message, if the report names them; many reporters omit them on purpose. */
  readonly originalRecipients: readonly string[]
  readonly original: string
}

/** A reply written by a program, without information on delivery. `disposition`: a read receipt (RFC 8098). */
export interface AutoReply {
  readonly kind: 'auto-reply'
  readonly reason: 'vacation' | 'challenge' | 'disposition' | 'automatic'
}

/** Any other mail: spam, a person's reply, an unknown form. */
interface Unrecognised {
  readonly kind: 'unrecognised'
  readonly original: string
}

/**
 * Meaning of a returned mail, distinguished by `kind`. `original` is the returned header section of the message that the
 * mail is about, at most 64 KiB; empty if it was not returned.
 */
export type Report = DeliveryReport | FeedbackReport | AutoReply | Unrecognised
