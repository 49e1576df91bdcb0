// A bulk sends one message to each row of a list, filled with the values of the row.

import type { MailboxInput, SendRequest } from './send-request.ts'

/** States of a bulk, in addition to `loading` while its rows arrive. */
export const BULK_STATUSES = ['queued', 'running', 'paused', 'cancelling', 'cancelled', 'done'] as const
export type BulkStatus = (typeof BULK_STATUSES)[number] | 'loading'

export const BULK_LIMITS = {
  rows: 100_000,
  /** Size of one row as JSON, in bytes. */
  rowBytes: 128 * 1024,
  /** Size of the shared message, in bytes. */
  messageBytes: 1024 * 1024,
  nameLength: 200,
} as const

/** The message that all rows share. The texts of the message are templates, rendered with the model of each row. */
export type BulkMessage = Omit<SendRequest, 'to' | 'subject' | 'unsubscribable' | 'tracking'> & {
  readonly subject?: string
  /**
   * Set only by the service: the texts, header fields, reply addresses, metadata and values of the template are literal
   * texts with Mailgun's recipient variables (`template-language/literal.ts`) instead of templates. The template model of
   * a row contains the variables. The value is the first row, with which the message is checked.
   */
  readonly literal?: BulkRow
}

/** One row of a bulk: a recipient, with values for the message. */
export interface BulkRow {
  readonly to: MailboxInput
  /** Values that override values of the message's template model. */
  readonly template_model?: object
  readonly metadata?: Readonly<Record<string, string>>
}
