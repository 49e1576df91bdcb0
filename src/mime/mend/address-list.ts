// Fields of any number of addresses: whether their value is a list, and the list that was meant.

import { asciiAddressField } from '../address-field.ts'
import type { Mailbox } from '../content.ts'
import { decodeWords } from '../encoded-word.ts'
import { mailboxField } from '../mailbox-field.ts'
import { findSoleMailbox, isMailbox } from './sole-mailbox.ts'

/** Mailboxes as most programs write them; anything else is looked at entry by entry. */
const MAILBOX =
  /[ \t]*(?:(?:"(?:[^"\\]|\\.)*"|[^@<>(),:;[\]\\"])*<[^@<>(),:;[\]\\"\s]+@[^@<>(),:;[\]\\"\s]+>|[^@<>(),:;[\]\\"\s]+@[^@<>(),:;[\]\\"\s]+)[ \t]*(,(?=[ \t]*[^ \t,])|$)/y
/** A group without members, such as `undisclosed-recipients:;` (RFC 5322 §3.4). */
const EMPTY_GROUP = /^[^@<>(),:;[\]\\]+:[ \t]*;$/

/** True for a list of mailboxes in their usual forms, or an empty group. Linear. */
export function isAddressList(value: string): boolean {
  MAILBOX.lastIndex = 0
  for (;;) {
    const found = MAILBOX.exec(value)
    if (found === null) return EMPTY_GROUP.test(value)
    if (found[1] === '') return true
  }
}

const NOTHING = /^[\s,;<>"()]*$/

/** True for text without an address or a name in it. */
export const saysNothing = (value: string): boolean => NOTHING.test(value)

/**
 * The field as the list that was meant; undefined when it has nothing to say, and `same` when there is a reason to
 * leave it: a group, or an entry that has no single reading.
 */
export function addressListField(name: string, given: string): string | undefined | 'same' {
  if (saysNothing(given)) return undefined
  // Programs encode the whole field, its addresses included, which RFC 2047 §5 (3) forbids.
  const value = given.includes('@') ? given : decodeWords(given)
  // Nobody can answer to a name.
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

/** Text without an address as the name of an empty group: it is shown and cannot be answered. */
function nameField(name: string, value: string): string | undefined {
  const words = value.includes('=?') ? undefined : ATOMS.exec(value)?.[1]
  if (words !== undefined && words.length < 60) return `${name}: ${words}:;\r\n`
  return asciiAddressField(name, value, false)
}

/** Entries between commas that are outside of quotation marks, comments and brackets; between semicolons too where there are no groups. */
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
