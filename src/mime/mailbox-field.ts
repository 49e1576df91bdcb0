// Writes address fields (From, To, Cc and Reply-To), with display names as atoms, quoted strings or encoded-words.

import type { Mailbox } from './content.ts'
import { encodedWords, MAX_WORD } from './encoded-word.ts'
import { FOLD_AT } from './header-field.ts'
import { asBytes, isPlain, legalText } from './legal-text.ts'

/** Maximum length of an unencoded display name, since a quoted string is not folded here. */
const MAX_PLAIN_NAME = 70

/** A phrase of atoms, which needs no quotes (RFC 5322 §3.2.5). */
const ATOMS = /^[-A-Za-z0-9!#$%&'*+/=?^_`{|}~]+(?: [-A-Za-z0-9!#$%&'*+/=?^_`{|}~]+)*$/

/**
 * Returns the whole field with its final CRLF, folded, as bytes (see `HeaderField.raw`). A UTF-8 local part stays
 * unchanged (RFC 6532 §3.2). Parsers read a display name as `legalDisplayName(name)`.
 *
 * Throws a TypeError for an invalid `email`, which is a bug in this program.
 */
export function mailboxField(name: string, mailboxes: readonly Mailbox[]): string {
  return foldedList(
    name,
    mailboxes.map((mailbox) => (room: number) => mailboxWords(mailbox, room)),
  )
}

/**
 * Writes a list field, folded. Each item is a function that gets the number of characters left on the line, and returns
 * words; the line may be folded between words.
 */
export function foldedList(name: string, items: readonly ((room: number) => readonly string[])[]): string {
  let field = `${name}:`
  let column = field.length
  for (const [i, item] of items.entries()) {
    const words = item(i === 0 ? FOLD_AT - column - 1 : MAX_WORD)
    for (const [j, word] of words.entries()) {
      const comma = j === words.length - 1 && i < items.length - 1 ? ',' : ''
      const width = 1 + word.length + comma.length
      if (column + width > FOLD_AT && column > name.length + 1) {
        field += '\r\n'
        column = 0
      }
      field += ` ${word}${comma}`
      column += width
    }
  }
  return asBytes(`${field}\r\n`)
}

/** Returns the display name in the form that is sent: on one line, without illegal characters and surrounding space. */
export function legalDisplayName(name: string): string {
  return legalText(name).replaceAll('\t', ' ').trim()
}

/**
 * Writes a mailbox as words; the line may be folded between words. `firstRoom` is the number of characters left on the
 * first line. Throws a TypeError for an invalid `email`.
 */
export function mailboxWords(mailbox: Mailbox, firstRoom: number): string[] {
  guardEmail(mailbox.email)
  const name = mailbox.name === undefined ? '' : legalDisplayName(mailbox.name)
  if (name === '') return [mailbox.email.startsWith('"') ? `<${mailbox.email}>` : mailbox.email]
  const address = `<${mailbox.email}>`
  if (!isPlain(name) || name.length > MAX_PLAIN_NAME) return [...encodedWords(name, firstRoom), address]
  if (ATOMS.test(name)) return [name, address]
  return [`"${name.replace(/["\\]/g, '\\$&')}"`, address]
}

const PLAIN = /^[^\0-\x20\x7f-\x9f\u2028\u2029"(),:;<>@[\\\]]+@[A-Za-z0-9.-]+$/
const QUOTED = /^"(?:[^\0-\x1f\x7f-\x9f\u2028\u2029"\\<>]|\\[ -~])*"@[A-Za-z0-9.-]+$/

/** Throws a TypeError for an address that could end its header field early, as the last guard against injection. */
function guardEmail(email: string): void {
  if (email.length <= 320 && (PLAIN.test(email) || QUOTED.test(email)) && email.isWellFormed()) return
  throw new TypeError(`Not an address for a header: ${JSON.stringify(email.slice(0, 400))}`)
}
