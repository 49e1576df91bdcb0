// The origin of a mail in a test inbox: the results of its DKIM signatures, and the message that caused the mail.

import { type CheckedSignature, verifyDkim } from '../dkim/verify.ts'
import { type Resolver, textRecords } from '../dns/resolver.ts'
import { readReturnPath } from '../model/return-path.ts'
import { type Read, reading } from '../store/database/store.ts'
import type { TestMail } from '../store/inboxes/mails.ts'
import { findDomainOfMessage } from '../store/messages/messages.ts'

export interface MailOriginSources {
  readonly read: Read
  /** Secret of the installation, from which tokens in return paths are made. */
  readonly secret: string
  /** DNS resolver for the public keys of DKIM signatures. */
  readonly resolver: Resolver
}

/** Origin of a mail. */
export interface MailOrigin {
  readonly signatures: readonly CheckedSignature[]
  /** Undefined if no message of the account has caused the mail. */
  readonly message: { readonly messageId: string; readonly domainId: string } | undefined
}

/** Returns a function that finds the origin of a mail. */
export const mailOrigins =
  (sources: MailOriginSources) =>
  async (mail: TestMail): Promise<MailOrigin> => ({
    signatures: await verifyDkim(Buffer.from(mail.raw), (name) => textRecords(sources.resolver, name)),
    message: await messageOf(sources, mail),
  })

/**
 * Finds the message of a mail: a test credential has sent the message, or the token in the return path names the
 * message, and only this installation can make such a token.
 */
async function messageOf(
  { read, secret }: MailOriginSources,
  { message_id, mail_from, account_id }: TestMail,
): Promise<MailOrigin['message']> {
  const messageId = message_id.startsWith('msg_') ? message_id : readReturnPath(secret, mail_from)?.messageId
  if (messageId === undefined) return undefined
  const domain = await reading(findDomainOfMessage(read, messageId))
  return domain?.account_id === account_id ? { messageId, domainId: domain.domain_id } : undefined
}
