// Rules for the header of a submitted message: one of each field, and no sender of another domain.

import { fieldsNamed, type RawMessage } from '../mime/raw-message.ts'
import { parseSoleMailbox } from '../mime/read-mailboxes.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { Refusal } from './replies.ts'

/** RFC 5322 §3.6 and RFC 2045 §3: which of two readers take differs, and with it what is shown and what is signed. */
const SINGLE = [
  'From',
  'Sender',
  'Reply-To',
  'To',
  'Cc',
  'Date',
  'Message-ID',
  'Subject',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
]

/** Fields that name a sender besides From (RFC 5322 §3.6.2, §3.6.6). */
const OTHER_SENDERS = ['Sender', 'Resent-From', 'Resent-Sender']

/** Throws `Refusal` when a field stands there twice that may do so once. */
export function requireSingleFields(raw: RawMessage): void {
  for (const name of SINGLE) {
    if (fieldsNamed(raw, name).length > 1) {
      throw new Refusal(554, '5.6.0', `There is more than one ${name} field`)
    }
  }
}

/** The author. Throws `Refusal` unless there is exactly one, and every sender that is named is at `domain`. */
export function requireSenders(raw: RawMessage, domain: string): { from: Address; fromName: string | null } {
  const [field] = fieldsNamed(raw, 'From')
  if (field === undefined) throw new Refusal(554, '5.6.0', 'There is no From field')
  const from = requireOwn('From', field.value, domain)
  for (const name of OTHER_SENDERS) {
    for (const { value } of fieldsNamed(raw, name)) requireOwn(name, value, domain)
  }
  return from
}

function requireOwn(name: string, value: string, domain: string): { from: Address; fromName: string | null } {
  const mailbox = parseSoleMailbox(value)
  const address = mailbox === undefined ? undefined : parseAddress(mailbox.email)
  if (address === undefined || !isAddress(address)) {
    throw new Refusal(
      550,
      '5.7.1',
      `The ${name} field is not exactly one address that all programs read alike`,
    )
  }
  if (address.domain !== domain) {
    throw new Refusal(
      550,
      '5.7.1',
      `This credential sends from ${domain} only: the ${name} field has another domain`,
    )
  }
  return { from: address, fromName: mailbox?.name ?? null }
}
