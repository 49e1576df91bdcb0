// Decides whether a submitted message is usable as received, and checks a mended message by the same rules.

import { SINGLE_FIELDS, soleMailboxOf } from '../mime/mend/field-rules.ts'
import { isSound } from '../mime/mend/mend.ts'
import { isMendProblem, type MendProblem } from '../mime/mend/problem.ts'
import {
  fieldsNamed,
  isRawMessage,
  parseRawMessage,
  type RawMessage,
  type RawMessageProblem,
} from '../mime/raw-message.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { HEADER_LIMITS } from './limits.ts'
import { Refusal } from './replies.ts'

/** Fields that name a sender in addition to From (RFC 5322 §3.6.2, §3.6.6). */
const OTHER_SENDERS = ['Sender', 'Resent-From', 'Resent-Sender']

/** The author of a message. */
interface Author {
  readonly from: Address
  readonly fromName: string | null
}

/** A message that may be passed on, and its author. */
export interface UsableMessage extends Author {
  readonly raw: RawMessage
  /** The whole message as received, or the mended message in newly allocated memory. */
  readonly bytes: Buffer
}

/**
 * Reads a message from `domain`, or from any domain if it is null; undefined if the message must be mended. Throws `Refusal` for a message that cannot
 * be mended, and for a sender of another domain.
 */
export function usableAsReceived(bytes: Buffer, domain: string | null): UsableMessage | undefined {
  const given = parseRawMessage(bytes, HEADER_LIMITS)
  if (isRawMessage(given)) {
    const author = authorOf(given, domain)
    if (author !== undefined && isSound(given)) return { raw: given, bytes, ...author }
  } else if (given.code === 'nul' || given.code === 'bare_newline' || given.code === 'too_many_headers') {
    throw refusalOf(given)
  }
  // An empty message is a fault of the program that sent it.
  if (bytes.length === 0) throw new Refusal(554, '5.6.0', 'The message is empty')
  return undefined
}

/**
 * Reads a mended message from `domain`, or from any domain if it is null. Throws `Refusal` for a message that could not be mended, and for a sender of
 * another domain.
 */
export function usableAsMended(bytes: Buffer | MendProblem, domain: string | null): UsableMessage {
  if (isMendProblem(bytes)) throw refusalOfMending(bytes)
  const raw = parseRawMessage(bytes, HEADER_LIMITS)
  if (!isRawMessage(raw)) throw refusalOf(raw)
  requireSingleFields(raw)
  const author = authorOf(raw, domain)
  if (author === undefined) {
    throw new Refusal(550, '5.7.1', 'A sender is not exactly one address that all programs read alike')
  }
  if (raw.hasLongLines) throw new Refusal(554, '5.6.0', 'A line of the body is longer than 998 bytes')
  return { raw, bytes, ...author }
}

/** Throws `Refusal` for a repeated field that may occur only once. */
function requireSingleFields(raw: RawMessage): void {
  for (const name of SINGLE_FIELDS) {
    if (fieldsNamed(raw, name).length > 1) {
      throw new Refusal(554, '5.6.0', `There is more than one ${name} field`)
    }
  }
}

/**
 * Returns the author; undefined unless each field that names a sender contains exactly one address on which all
 * mail programs agree. Throws `Refusal` for a sender that is not at `domain`.
 */
function authorOf(raw: RawMessage, domain: string | null): Author | undefined {
  const [field, second] = fieldsNamed(raw, 'From')
  if (field === undefined || second !== undefined) return undefined
  const author = ownMailbox('From', field.value, domain)
  for (const name of OTHER_SENDERS) {
    for (const { value } of fieldsNamed(raw, name)) {
      if (ownMailbox(name, value, domain) === undefined) return undefined
    }
  }
  return author
}

function ownMailbox(name: string, value: string, domain: string | null): Author | undefined {
  const mailbox = soleMailboxOf(value)
  const address = mailbox === undefined ? undefined : parseAddress(mailbox.email)
  if (address === undefined || !isAddress(address)) return undefined
  if (domain !== null && address.domain !== domain) {
    throw new Refusal(
      550,
      '5.7.1',
      `This credential sends from ${domain} only: the ${name} field has another domain`,
    )
  }
  return { from: address, fromName: mailbox?.name ?? null }
}

/** Returns the refusal of a message that cannot be read. */
export function refusalOf({ code, problem }: RawMessageProblem): Refusal {
  switch (code) {
    case 'nul':
    case 'bare_newline':
      // A message with a bare newline is refused, so that the newline cannot end the message at another host (SMTP
      // smuggling).
      return new Refusal(550, '5.6.0', problem)
    case 'header_too_large':
    case 'too_many_headers':
      return new Refusal(552, '5.3.4', problem)
    default:
      return new Refusal(554, '5.6.0', problem)
  }
}

function refusalOfMending({ fault, problem }: MendProblem): Refusal {
  if (fault === 'sender') return new Refusal(550, '5.7.1', problem)
  return fault === 'size' ? new Refusal(552, '5.3.4', problem) : new Refusal(554, '5.6.0', problem)
}
