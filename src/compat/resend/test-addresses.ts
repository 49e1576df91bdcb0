// Resend's addresses for tests: mail to `delivered@resend.dev` and its siblings goes to a test inbox.

import type { MailboxInput, SendRequest } from '../../model/send-request.ts'
import type { TranslatedMessage } from '../send.ts'

const isTestAddress = ({ email }: MailboxInput): boolean => /@resend\.dev$/i.test(email.trim())

/** Returns all recipients of an email, which may have problems. */
const recipientsOf = ({ to, cc = [], bcc = [] }: SendRequest): readonly MailboxInput[] => [
  ...to,
  ...cc,
  ...bcc,
]

/** True for an email to addresses for tests. */
export const isTestEmail = (request: SendRequest): boolean => {
  const recipients = recipientsOf(request)
  return recipients.length > 0 && recipients.every(isTestAddress)
}

/**
 * Returns an email with the problem of its recipients, if a test address is among other recipients, or if the other
 * emails of the batch are no tests: such an address never gets mail of a live message.
 *
 * @param isTest true if the email and all others of its batch are tests
 */
export function withoutMixture(message: TranslatedMessage, isTest: boolean): TranslatedMessage {
  if (isTest || !recipientsOf(message.request).some(isTestAddress)) return message
  const text = 'Addresses at resend.dev are for tests; send tests in requests of their own.'
  return {
    ...message,
    problems: [...message.problems, { path: 'to', code: 'not_together', message: text }],
  }
}
