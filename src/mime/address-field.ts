// Address fields of raw messages brought into ASCII: addresses stay addresses, and all else becomes a name.

import { isAscii } from 'node:buffer'
import { isAddress, parseAddress } from '../model/address.ts'
import { encodedWords } from './encoded-word.ts'
import { legalText } from './legal-text.ts'
import { foldedList, mailboxWords } from './mailbox-field.ts'
import { parseAddressEntries, type WrittenEntry } from './read-mailboxes.ts'

/**
 * The whole field with its final CRLF, or undefined when nothing is left to say. What is no address (`Jürgen <>`) or
 * has one in UTF-8 is written as the name of an empty group (RFC 6857 §3.1.8): it is shown and cannot be answered.
 * With `keepUtf8` a valid address in UTF-8 stays one (RFC 6532), and the field is ASCII but for it. Never throws.
 *
 * @param value unfolded, encoded-words as they are
 */
export function asciiAddressField(name: string, value: string, keepUtf8: boolean): string | undefined {
  const entries = parseAddressEntries(value)
  const known = entries.flatMap((entry) => itemOf(entry, keepUtf8) ?? [])
  // Comments alone, or a text made to take long.
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

/** An empty group of that name (RFC 5322 §3.4); undefined when there is none. */
function groupOf(text: string): Item[] | undefined {
  const legal = legalText(text).trim()
  return legal === '' ? undefined : [(room) => [...encodedWords(legal, room), ':;']]
}
