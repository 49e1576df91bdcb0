// The mail log: one line in the log for each accepted message and each outcome of a recipient, if a setting asks for
// these lines.

import type { Log } from '../lib/log.ts'

/** A line about a message, or about one of its recipients. Undefined fields are omitted. */
export interface MailLine {
  readonly event: 'accepted' | 'suppressed' | 'delivered' | 'deferred' | 'bounced' | 'failed' | 'complained'
  readonly messageId: string
  /** Address of the recipient; undefined for a line about a whole message. */
  readonly email?: string
  /** Further fields, none of which may contain a part of the message or an email address. */
  readonly fields: Readonly<Record<string, string | number | boolean | null | undefined>>
}

/** Logs a line about mail. Never throws, and never waits for the output. */
export type LogMail = (line: MailLine) => void

export interface MailLogOptions {
  /** `outcomes` omits the lines about accepted messages. */
  readonly logMail: 'off' | 'outcomes' | 'all'
  /** `domain` omits the address of the recipient and logs only its domain. */
  readonly logRecipients: 'address' | 'domain'
}

/** Returns the function that logs mail; undefined if the settings ask for no lines. */
export function mailLog({ logMail, logRecipients }: MailLogOptions, log: Log): LogMail | undefined {
  if (logMail === 'off') return undefined
  return ({ event, messageId, email, fields }) => {
    if (event === 'accepted' && logMail === 'outcomes') return
    const recipient = logRecipients === 'address' ? email : undefined
    const destination = email?.slice(email.lastIndexOf('@') + 1)
    log.info({ event, message_id: messageId, recipient, destination, ...fields }, 'mail')
  }
}
