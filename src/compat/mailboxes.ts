// Reads the addresses of a message as other services take them: `ann@example.com`, `Ann <ann@example.com>`, and lists of
// them with commas.

import { parseMailboxList } from '../mime/read-mailboxes.ts'
import type { MailboxInput } from '../model/send-request.ts'

/** Matches an address without a name; most fields contain just one. */
const BARE = /^[^\s"(),:;<>@[\\\]]+@[^\s"(),:;<>@[\\\]]+$/

/**
 * Returns the mailboxes of a text. An entry without an address has its text as `email`, so that the check of addresses
 * names the entry.
 */
export function readMailboxes(text: string): MailboxInput[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  if (BARE.test(trimmed)) return [{ email: trimmed }]
  const found = parseMailboxList(trimmed)
  return (found.length === 0 ? [{ address: trimmed, name: '' }] : found).map(({ address, name }) =>
    address === '' ? { email: name } : name === '' ? { email: address } : { email: address, name },
  )
}
