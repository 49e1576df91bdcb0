// Finds the addressee of incoming mail: the recipient that a return path names, a stream to leave, the operator.

import type { Address } from '../model/address.ts'
import {
  findReturnPath,
  type ReturnPathRecipient,
  readReturnPath,
  returnPathHost,
} from '../model/return-path.ts'
import { findUnsubscribeToken, tokenOfAddress, unsubscribeToken } from '../model/unsubscribe-link.ts'
import { type Read, reading } from '../store/database/store.ts'
import { findReportedRecipients, type ReportedRecipient } from '../store/inbound/bounces.ts'
import { findUnsubscribeLink } from '../store/workspace/unsubscribe.ts'

/** Destination of a mail that this installation takes in. */
export type Addressee =
  | { readonly kind: 'recipient'; readonly recipient: ReportedRecipient }
  | { readonly kind: 'operator' }
  /** A mail to it leaves a stream. */
  | { readonly kind: 'unsubscribe'; readonly token: string }

/** Parts needed to find addressees. */
export interface AddresseeOptions {
  readonly read: Read
  /** Authenticates return paths. */
  readonly secret: string
  /** Host of all return paths; `abuse@` and `postmaster@` are here. */
  readonly returnPathHost: string
}

/**
 * Finds the addressee of mail to this address; undefined when there is none here: a token that was made up, one of a
 * message that is gone or of another domain, any other address. Only a token that we made costs a look at the store.
 * Throws `Problem` `unavailable`.
 */
export async function findAddressee(
  address: Address,
  options: AddresseeOptions,
): Promise<Addressee | undefined> {
  const { email, local, domain } = address
  // RFC 2142 §4, §5; RFC 5321 §4.5.1: in any case.
  if (domain === options.returnPathHost && /^(?:abuse|postmaster)$/i.test(local)) return { kind: 'operator' }
  const token = tokenOfAddress(options.secret, local)
  if (token !== undefined) {
    const link = await reading(findUnsubscribeLink(options.read, token))
    const hosts = link && [options.returnPathHost, returnPathHost(link.domainName)]
    return hosts?.includes(domain) ? { kind: 'unsubscribe', token } : undefined
  }
  const named = readReturnPath(options.secret, email)
  if (named === undefined) return undefined
  const recipient = await findRecipient(options.read, named)
  const hosts = recipient && [options.returnPathHost, returnPathHost(recipient.domainName)]
  return recipient && hosts?.includes(domain) ? { kind: 'recipient', recipient } : undefined
}

async function findRecipient(
  read: Read,
  { messageId, position }: ReturnPathRecipient,
): Promise<ReportedRecipient | undefined> {
  const all = await reading(findReportedRecipients(read, messageId))
  return all.find((one) => one.position === position)
}

/** Parts of a report that identify the message it is about. */
export interface AboutMessage {
  /** Everything in which its return path may stand. */
  readonly text: string
  /** The header section of the message. */
  readonly original: string
  /** Recipients, as far as the report names them. */
  readonly recipients: readonly string[]
}

/**
 * The recipient that a report is about by a token of theirs: of the return path, wherever it stands, or of the
 * unsubscribe link that the message carries. No other copy has it, so that a report ends no other recipient's mail.
 * Throws `Problem` `unavailable`.
 */
export async function findByToken(
  { text, original }: Pick<AboutMessage, 'text' | 'original'>,
  { read, secret }: AddresseeOptions,
): Promise<ReportedRecipient | undefined> {
  const named = findReturnPath(secret, text)
  if (named !== undefined) return findRecipient(read, named)
  const link = findUnsubscribeToken(secret, original)
  if (link === undefined) return undefined
  const ofMessage = await findByMessageId(original, read)
  return ofMessage.find(
    ({ domainId, stream, email }) => unsubscribeToken(secret, { domainId, stream, email }) === link,
  )
}

/**
 * The recipient that a report is about by its Message-ID: the only one, or the one that the report names. For
 * reporters who are authenticated, since the Message-ID is in every copy. Throws `Problem` `unavailable`.
 */
export async function findByReporter(
  { original, recipients }: Pick<AboutMessage, 'original' | 'recipients'>,
  { read }: AddresseeOptions,
): Promise<ReportedRecipient | undefined> {
  const all = await findByMessageId(original, read)
  const wanted = new Set(recipients.map((email) => email.toLowerCase()))
  const fitting = all.length === 1 ? all : all.filter((one) => wanted.has(one.email.toLowerCase()))
  return fitting.length === 1 ? fitting[0] : undefined
}

/** Of a message that we composed: `<ID@domain>`. */
const MESSAGE_ID = /^message-id[ \t]*:\s*<([0-9A-HJKMNP-TV-Z]{26})@([^\s<>]{1,255})>/im

async function findByMessageId(original: string, read: Read): Promise<ReportedRecipient[]> {
  const [, id, domain] = MESSAGE_ID.exec(original) ?? []
  if (id === undefined) return []
  const all = await reading(findReportedRecipients(read, `msg_${id}`))
  return all[0]?.domainName === domain?.toLowerCase() ? all : []
}
