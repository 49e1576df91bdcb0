// Reads the addresses of a message as other services take them: `ann@example.com`, `Ann <ann@example.com>`, and lists of
// them with commas.

import { parseMailboxList } from '../mime/read-mailboxes.ts'
import type { MailboxInput } from '../model/send-request.ts'

/** Matches an address without a name; most fields contain just one. */
const BARE = /^[^\s"(),:;<>@[\\\]]+@[^\s"(),:;<>@[\\\]]+$/

/** Matches a name of plain words and an address, as most programs write them. */
const NAMED = /^([A-Za-z0-9]+(?: [A-Za-z0-9]+)*) <([^\s"(),:;<>@[\\\]]+@[^\s"(),:;<>@[\\\]]+)>$/

/**
 * Returns a mailbox in the form that most fields have; undefined for a text that needs the parser. The parser returns
 * the same mailbox.
 */
export function plainMailbox(text: string): MailboxInput | undefined {
  if (BARE.test(text)) return { email: text }
  const [, name, email] = NAMED.exec(text) ?? []
  return name === undefined || email === undefined ? undefined : { email, name }
}

/**
 * Returns the mailboxes of a text. An entry without an address has its text as `email`, so that the check of addresses
 * names the entry.
 */
export function readMailboxes(text: string): MailboxInput[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  const plain = plainMailbox(trimmed)
  if (plain !== undefined) return [plain]
  const found = parseMailboxList(trimmed)
  return (found.length === 0 ? [{ address: trimmed, name: '' }] : found).map(({ address, name }) =>
    address === '' ? { email: name } : name === '' ? { email: address } : { email: address, name },
  )
}
