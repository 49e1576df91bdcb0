// Converts address fields of raw messages to ASCII: addresses stay, and other text becomes the name of an empty group.

import { isAscii } from 'node:buffer'
import { isAddress, parseAddress } from '../model/address.ts'
import { encodedWords } from './encoded-word.ts'
import { legalText } from './legal-text.ts'
import { foldedList, mailboxWords } from './mailbox-field.ts'
import { parseAddressEntries, type WrittenEntry } from './read-mailboxes.ts'

/**
 * Returns the whole field with its final CRLF; undefined for a field without any text. An entry that is no address
 * (`Jürgen <>`) or whose address is in UTF-8 becomes the name of an empty group (RFC 6857 §3.1.8): mail clients show
 * the name and cannot reply to it. A valid address in UTF-8 stays an address if `keepUtf8` is true (RFC 6532), and the
 * rest of the field becomes ASCII. Never throws.
 *
 * @param value unfolded value, in which encoded-words are still encoded
 */
export function asciiAddressField(name: string, value: string, keepUtf8: boolean): string | undefined {
  const entries = parseAddressEntries(value)
  const known = entries.flatMap((entry) => itemOf(entry, keepUtf8) ?? [])
  // A value has no entries if it consists of comments or is too expensive to parse.
  const items = known.length > 0 ? known : (groupOf(value) ?? [])
  return items.length === 0 ? undefined : foldedList(name, items)
}

type Item = (room: number) => string[]

function itemOf({ address, name }: WrittenEntry, keepUtf8: boolean): Item[] | undefined {
  const checked = parseAddress(address)
  if (isAddress(checked) && (keepUtf8 || isAscii(Buffer.from(checked.email)))) {
    return [(room) => mailboxWords({ email: checked.email, name }, room)]
  }
  return groupOf(address === '' ? name : name === '' ? address : `${name} <${address}>`)
}

/** Returns an empty group with this name (RFC 5322 §3.4); undefined for an empty name. */
function groupOf(text: string): Item[] | undefined {
  const legal = legalText(text).trim()
  return legal === '' ? undefined : [(room) => [...encodedWords(legal, room), ':;']]
}
