// The envelope's recipients and the header that names each: To, Cc, or none of them.

import { fieldsNamed, type RawMessage } from '../mime/raw-message.ts'
import { parseMailboxList } from '../mime/read-mailboxes.ts'
import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { LIMITS } from '../model/send-request.ts'
import type { CheckedRecipient } from '../submission/validate.ts'

const FIELDS = [
  ['To', 'to'],
  ['Cc', 'cc'],
] as const
const ORDER = { to: 0, cc: 1, bcc: 2 }

/**
 * The envelope alone says who gets the message; the header says in which role, and under which name. In the order
 * of to, cc, bcc, and within each as the envelope had them.
 */
export function namedRecipients(raw: RawMessage, recipients: readonly Address[]): CheckedRecipient[] {
  const wanted = new Set(recipients.map(({ email }) => email))
  const named = new Map<string, Pick<CheckedRecipient, 'role' | 'name'>>()
  for (const [field, role] of FIELDS) {
    for (const { value } of fieldsNamed(raw, field)) {
      for (const { address, name } of parseMailboxList(value)) {
        const read = parseAddress(address)
        if (!isAddress(read) || !wanted.has(read.email) || named.has(read.email)) continue
        named.set(read.email, { role, name: name.slice(0, LIMITS.nameLength).toWellFormed() || null })
      }
    }
  }
  return recipients
    .map((address): CheckedRecipient => ({ role: 'bcc', name: null, ...named.get(address.email), address }))
    .sort((a, b) => ORDER[a.role] - ORDER[b.role])
}
