// Kinds of returned mail: a delivery report, a feedback report, an automatic reply, or none of these.

import type { AnsweredCommand } from '../model/quoted-reply.ts'

/** Action taken for a recipient (RFC 3464 §2.3.3). */
export type Action = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'

/** Part of a delivery report about one recipient. All text is on one line, without control characters. */
export interface RecipientReport {
  readonly action: Action
  /** Address that the report is about, without its type; `originalRecipient` is the address in the original message. */
  readonly finalRecipient?: string
  readonly originalRecipient?: string
  /** Enhanced status code (RFC 3463), such as `5.1.1`. */
  readonly status?: string
  /** The last host's reply, or the reason why the reporting host gave up; at most 1,000 characters. */
  readonly diagnostic?: string
  /** The command that the diagnostic answered, if the report names the command outside of the diagnostic. */
  readonly answered?: AnsweredCommand
  /** The host that gave the diagnostic. */
  readonly remoteMta?: string
}

/** A delivery report (DSN) in any form. */
export interface DeliveryReport {
  readonly kind: 'delivery'
  /** `rfc3464`, or the mail program whose wording was recognised. */
  readonly form: string
  /**
   * True if the author of the report is a mail system, judged by the format or by the author's name. Any other report
   * may have been written by a person, and is not certain.
   */
  readonly isOfMailSystem: boolean
  /** Recipients in the report, at least one and at most a hundred. */
  readonly recipients: readonly RecipientReport[]
  readonly original: string
}

/** An abuse or feedback report about a message (RFC 5965). */
export interface FeedbackReport {
  readonly kind: 'feedback'
  /** Feedback type in lower case: `abuse`, `not-spam`, `auth-failure` and others. */
  readonly feedbackType: string
  readonly userAgent?: string
  /** Return path of the message, if named in the report. */
  readonly originalMailFrom?: string
  /** Recipients of the message that the report names; many reporters omit the recipients on purpose. */
  readonly originalRecipients: readonly string[]
  readonly original: string
}

/** A reply written by a program, without information on delivery. `disposition`: a read receipt (RFC 8098). */
export interface AutoReply {
  readonly kind: 'auto-reply'
  readonly reason: 'vacation' | 'challenge' | 'disposition' | 'automatic'
}

/** Any other mail, such as spam, a reply of a person or an unknown form. */
interface Unrecognised {
  readonly kind: 'unrecognised'
  readonly original: string
}

/**
 * Meaning of a returned mail, distinguished by `kind`. `original` is the returned header section of the message that
 * the mail is about, at most 64 KiB; empty if no header section was returned.
 */
export type Report = DeliveryReport | FeedbackReport | AutoReply | Unrecognised
