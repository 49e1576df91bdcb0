// Finds the addressee of incoming mail: the recipient of a return path, an unsubscribe address, or the operator.

import type { Address } from '../model/address.ts'
import {
  findReturnPath,
  type ReturnPathRecipient,
  readReturnPath,
  returnPathHost,
} from '../model/return-path.ts'
import { findUnsubscribeToken, tokenOfAddress, unsubscribeToken } from '../model/unsubscribe-link.ts'
import { type Read, reading } from '../store/database/store.ts'
import { findReportedRecipients, type ReportedRecipient } from '../store/queue/bounces.ts'
import { findUnsubscribeLink } from '../store/workspace/unsubscribe.ts'

/** Addressee of a mail that this installation accepts from other hosts. */
export type Addressee =
  | { readonly kind: 'recipient'; readonly recipient: ReportedRecipient }
  | { readonly kind: 'operator' }
  /** A mail to this address unsubscribes from a stream. */
  | { readonly kind: 'unsubscribe'; readonly token: string }

/** Dependencies of the search for an addressee. */
export interface AddresseeOptions {
  readonly read: Read
  /** Secret that authenticates return paths. */
  readonly secret: string
  /**
   * Return-path host of the installation, used in addition to the return-path host of each domain; also the host of
   * `abuse@` and `postmaster@`.
   */
  readonly returnPathHost: string
}

/**
 * Finds the addressee of mail to this address. Returns undefined for any other address, such as an address with a
 * forged token, or with a token of a deleted message or of another domain. Only a genuine token costs a read of the
 * store. Throws `Problem` `unavailable`.
 */
export async function findAddressee(
  address: Address,
  options: AddresseeOptions,
): Promise<Addressee | undefined> {
  const { email, local, domain } = address
  // The names `abuse` and `postmaster` are case-insensitive (RFC 2142 §4, §5; RFC 5321 §4.5.1).
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

/** Parts of a report that identify the reported message. */
export interface AboutMessage {
  /** Text that may contain the return path of the message. */
  readonly text: string
  /** The header section of the message. */
  readonly original: string
  /** Recipients that the report names. */
  readonly recipients: readonly string[]
}

/**
 * Finds the recipient of a report by the recipient's token, in a return path anywhere in the text or in the unsubscribe
 * link of the message. Only this recipient's copy of the message contains the token, so a report stops mail to no other
 * recipient. Throws `Problem` `unavailable`.
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
 * Finds the recipient of a report by the Message-ID: the only recipient of the message, or the recipient that the
 * report names. The reporter must be authenticated, because every copy of the message has the same Message-ID. Throws
 * `Problem` `unavailable`.
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

/** The Message-ID of a message that this service composed: `<ID@domain>`. */
const MESSAGE_ID = /^message-id[ \t]*:\s*<([0-9A-HJKMNP-TV-Z]{26})@([^\s<>]{1,255})>/im

async function findByMessageId(original: string, read: Read): Promise<ReportedRecipient[]> {
  const [, id, domain] = MESSAGE_ID.exec(original) ?? []
  if (id === undefined) return []
  const all = await reading(findReportedRecipients(read, `msg_${id}`))
  return all[0]?.domainName === domain?.toLowerCase() ? all : []
}
