// Derives the finding about a mailbox from the end of a probe's dialog.

import { meaningOf } from '../smtp/reply-meaning.ts'
import type { RecipientResult } from '../smtp/transaction.ts'

/**
 * Finding about the mailbox. `not_served`: the host does not accept mail for the domain; `greylisted` and `temporary`
 * are worth a second try; `blocked` concerns this installation; `connect_failed`, `timeout` and `smtp_error` concern
 * the connection.
 */
export type MailboxFinding =
  | 'exists'
  | 'not_found'
  | 'disabled'
  | 'full'
  | 'not_served'
  | 'greylisted'
  | 'temporary'
  | 'blocked'
  | 'connect_failed'
  | 'timeout'
  | 'smtp_error'

/** Returns the finding of a dialog. A reply before RCPT says nothing about the mailbox, whatever its text. */
export function mailboxFinding(end: RecipientResult): MailboxFinding {
  if (end.failure === undefined) return 'exists'
  const { stage, reply, error } = end.failure
  if (reply === undefined) {
    if (error?.code === 'smtputf8') return 'not_found'
    if (error?.code === 'timeout') return stage === 'connect' ? 'connect_failed' : 'timeout'
    return stage === 'connect' || error?.code === 'loop' ? 'connect_failed' : 'smtp_error'
  }
  const { category, about, greylisted, passing } = meaningOf(end.failure)
  if (greylisted) return 'greylisted'
  // A false "not found" costs the user more than a false "unknown".
  if (passing && (category === 'mailbox_not_found' || category === 'mailbox_disabled')) return 'temporary'
  const later = reply.code < 500 && stage === 'rcpt'
  switch (category) {
    case 'mailbox_not_found':
      return 'not_found'
    case 'mailbox_disabled':
      return 'disabled'
    case 'mailbox_full':
      return 'full'
    case 'domain_invalid':
      return later ? 'temporary' : 'not_served'
    case 'rate_limited':
      // A mailbox that receives too much mail exists.
      return about === 'mailbox' ? 'exists' : 'blocked'
    case 'blocked':
    case 'policy':
    case 'auth':
      return 'blocked'
    default:
      return later ? 'temporary' : 'smtp_error'
  }
}

/**
 * Returns whether the host accepts a random mailbox, from the end of the dialog about this mailbox; undefined if the
 * dialog leaves the question open. A permanent refusal that is not about this installation means that the host refuses
 * unknown mailboxes.
 */
export function catchAllFinding(end: RecipientResult): boolean | undefined {
  if (end.failure === undefined) return true
  const { stage, reply } = end.failure
  if (stage !== 'rcpt' || reply === undefined || reply.code < 500) return undefined
  const { category } = meaningOf(end.failure)
  return category === 'blocked' || category === 'rate_limited' || category === 'auth' ? undefined : false
}
