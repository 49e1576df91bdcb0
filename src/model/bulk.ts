// Mail to many: one message, sent to each row of a list with what the row says.

import type { MailboxInput, SendRequest } from './send-request.ts'

/** The states of a bulk, beside `loading` while its rows come. */
export const BULK_STATUSES = ['queued', 'running', 'paused', 'cancelling', 'cancelled', 'done'] as const
export type BulkStatus = (typeof BULK_STATUSES)[number] | 'loading'

export const BULK_LIMITS = {
  rows: 100_000,
  /** Of one row as JSON, in bytes. */
  rowBytes: 128 * 1024,
  /** Of the message that all rows share, in bytes. */
  messageBytes: 1024 * 1024,
  nameLength: 200,
} as const

/** The message that all rows share. Its texts are template language, filled with the model of each row. */
export type BulkMessage = Omit<
  SendRequest,
  'to' | 'cc' | 'bcc' | 'subject' | 'unsubscribable' | 'tracking'
> & {
  readonly subject?: string
}

/** A row of the list. */
export interface BulkRow {
  readonly to: MailboxInput
  /** Its fields stand before those of the message's own model. */
  readonly template_model?: object
  readonly metadata?: Readonly<Record<string, string>>
}
