// Rules for the header of a submitted message: one of each field, and no sender of another domain.

import { SINGLE_FIELDS, soleMailboxOf } from '../mime/mend/field-rules.ts'
import { fieldsNamed, type RawMessage } from '../mime/raw-message.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { Refusal } from './replies.ts'

/** Fields that name a sender besides From (RFC 5322 §3.6.2, §3.6.6). */
const OTHER_SENDERS = ['Sender', 'Resent-From', 'Resent-Sender']

/** The author of a message. */
export interface Author {
  readonly from: Address
  readonly fromName: string | null
}

/** Throws `Refusal` when a field stands there twice that may do so once. */
export function requireSingleFields(raw: RawMessage): void {
  for (const name of SINGLE_FIELDS) {
    if (fieldsNamed(raw, name).length > 1) {
      throw new Refusal(554, '5.6.0', `There is more than one ${name} field`)
    }
  }
}

/**
 * The author; undefined unless each field that names a sender is exactly one address that all readers agree on. Throws
 * `Refusal` for a sender that is not at `domain`.
 */
export function authorOf(raw: RawMessage, domain: string): Author | undefined {
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

function ownMailbox(name: string, value: string, domain: string): Author | undefined {
  const mailbox = soleMailboxOf(value)
  const address = mailbox === undefined ? undefined : parseAddress(mailbox.email)
  if (address === undefined || !isAddress(address)) return undefined
  if (address.domain !== domain) {
    throw new Refusal(
      550,
      '5.7.1',
      `This credential sends from ${domain} only: the ${name} field has another domain`,
    )
  }
  return { from: address, fromName: mailbox?.name ?? null }
}
