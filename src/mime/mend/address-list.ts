// Mends fields with any number of addresses: checks whether the value is a list, and reconstructs the intended list.

import { asciiAddressField } from '../address-field.ts'
import type { Mailbox } from '../content.ts'
import { decodeWords } from '../encoded-word.ts'
import { mailboxField } from '../mailbox-field.ts'
import { findSoleMailbox, isMailbox } from './sole-mailbox.ts'

/** A mailbox in its usual form; a list with any other entry is parsed entry by entry. */
const MAILBOX =
  /[ \t]*(?:(?:"(?:[^"\\]|\\.)*"|[^@<>(),:;[\]\\"])*<[^@<>(),:;[\]\\"\s]+@[^@<>(),:;[\]\\"\s]+>|[^@<>(),:;[\]\\"\s]+@[^@<>(),:;[\]\\"\s]+)[ \t]*(,(?=[ \t]*[^ \t,])|$)/y
/** A group without members, such as `undisclosed-recipients:;` (RFC 5322 §3.4). */
const EMPTY_GROUP = /^[^@<>(),:;[\]\\]+:[ \t]*;$/

/** True for a list of mailboxes in their usual forms, or an empty group. Runs in linear time. */
export function isAddressList(value: string): boolean {
  MAILBOX.lastIndex = 0
  for (;;) {
    const found = MAILBOX.exec(value)
    if (found === null) return EMPTY_GROUP.test(value)
    if (found[1] === '') return true
  }
}

const NOTHING = /^[\s,;<>"()]*$/

/** True for a value that contains neither an address nor a name. */
export const saysNothing = (value: string): boolean => NOTHING.test(value)

/**
 * Returns the field with the intended list; undefined for a value without text; `same` for a value that must stay,
 * since it has a group, or an entry that can be read in several ways.
 */
export function addressListField(name: string, given: string): string | undefined | 'same' {
  if (saysNothing(given)) return undefined
  // Some programs encode the whole field, although RFC 2047 §5 (3) forbids encoded addresses.
  const value = given.includes('@') ? given : decodeWords(given)
  // A Reply-To without an address is useless.
  if (!value.includes('@')) return /^reply-to$/i.test(name) ? undefined : nameField(name, value)
  const entries = entriesOf(value)
  const mailboxes: Mailbox[] = []
  for (const entry of entries) {
    const found = findSoleMailbox(entry)
    if (!isMailbox(found)) return 'same'
    mailboxes.push(found)
  }
  return mailboxField(name, mailboxes)
}

const ATOMS = /^([-A-Za-z0-9!#$%&'*+/=?^_`{|}~]+(?: [-A-Za-z0-9!#$%&'*+/=?^_`{|}~]+)*) ?:? ?;?$/

/** Writes text without an address as the name of an empty group: mail clients cannot reply to a group. */
function nameField(name: string, value: string): string | undefined {
  const words = value.includes('=?') ? undefined : ATOMS.exec(value)?.[1]
  if (words !== undefined && words.length < 60) return `${name}: ${words}:;\r\n`
  return asciiAddressField(name, value, false)
}

/**
 * Splits a value at commas and, if it has no groups, at semicolons; ignores commas and semicolons in quotes, comments
 * and brackets.
 */
function entriesOf(value: string): string[] {
  const entries: string[] = []
  let entry = ''
  const isGrouped = /^[^"<(]*:/.test(value)
  for (const [piece] of value.matchAll(
    /"(?:[^"\\]|\\.?)*(?:"|$)|\([^()]*\)|<[^<>]*>|[,;]|[^",;(<]+|[(<]/gs,
  )) {
    if (piece === ',' || (piece === ';' && !isGrouped)) {
      entries.push(entry)
      entry = ''
    } else entry += piece
  }
  return [...entries, entry].map((one) => one.trim()).filter((one) => one !== '')
}
