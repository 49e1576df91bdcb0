// Kinds of returned mail: a delivery report, a feedback report, an automatic reply, or none of these.

import type { AnsweredCommand } from '../model/quoted-reply.ts'

/** Action taken for a recipient (RFC 3464 §2.3.3). */
export type Action = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'

/** Part of a delivery report about one recipient. All text is on one line, without control characters. */
export interface RecipientReport {
  readonly action: Action
  /** The address that it happened to, and the one that was first meant, without their types. */
  readonly finalRecipient?: string
  readonly originalRecipient?: string
  /** RFC 3463, such as `5.1.1`. */
  readonly status?: string
  /** Words of the last host, or the reason why the reporting one gave up; at most 1,000 characters. */
  readonly diagnostic?: string
  /** The command that the words answered, where the report says so apart from them. */
  readonly answered?: AnsweredCommand
  /** The host that said it. */
  readonly remoteMta?: string
}

/** A DSN, in any form. */
export interface DeliveryReport {
  readonly kind: 'delivery'
  /** `rfc3464`, or whose words it was recognised by. */
  readonly form: string
  /** Its author is a mail system, by the format or by its name; words that people may have written are certain of nothing. */
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
  /** Recipients of the message, if the report names them; often left out on purpose. */
  readonly originalRecipients: readonly string[]
  readonly original: string
}

/** Written by a program, and saying nothing about delivery. `disposition`: a receipt of reading (RFC 8098). */
export interface AutoReply {
  readonly kind: 'auto-reply'
  readonly reason: 'vacation' | 'challenge' | 'disposition' | 'automatic'
}

/** Anything else: spam, a reply of a person, an unknown form. */
interface Unrecognised {
  readonly kind: 'unrecognised'
  readonly original: string
}

/**
 * Meaning of a returned mail, told apart by `kind`. `original` is the header section of the message that it is about,
 * as far as it was returned, at most 64 KiB; empty when it was not.
 */
export type Report = DeliveryReport | FeedbackReport | AutoReply | Unrecognised
