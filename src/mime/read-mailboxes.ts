// Reads address fields of raw messages: leniently to show them, strictly where permissions depend on the result.

import { type Address, addressParser } from 'postal-mime'
import { hasStrayDots, isAddress, parseAddress } from '../model/address.ts'
import type { Mailbox } from './content.ts'
import { withUtf8Words } from './encoded-word.ts'
import { legalDisplayName } from './mailbox-field.ts'

/** A mailbox in its written form; `address` may be empty or invalid. */
export interface WrittenMailbox {
  readonly address: string
  /** Decoded display name on one line; may be empty. */
  readonly name: string
}

/** Maximum number of characters to scan; postal-mime scans the whole value for each level of nested groups. */
const MAX_WORK = 1_000_000
const MAX_LEVELS = 50

/**
 * Returns the mailboxes of an address field's value, including the members of groups; an empty list for a value that is
 * too expensive to parse. An unquoted name with a comma (`Kurz, Olga <…>`) is one name.
 */
export const parseMailboxList = (value: string): WrittenMailbox[] =>
  takesLong(value) ? [] : withWholeNames(addressParser(withUtf8Words(value))).flatMap(membersOf)

/** An entry of an address list: a mailbox, or the name of a group without members; the address of a group is empty. */
export type WrittenEntry = WrittenMailbox

/** Like `parseMailboxList`, but includes groups without members. */
export const parseAddressEntries = (value: string): WrittenEntry[] =>
  takesLong(value) ? [] : withWholeNames(addressParser(withUtf8Words(value))).flatMap(entriesOf)

const entriesOf = (found: Address): WrittenEntry[] =>
  found.group === undefined || found.group.length === 0
    ? [written(found)]
    : withWholeNames(found.group).map(written)

const membersOf = (found: Address): WrittenMailbox[] =>
  found.group === undefined ? [written(found)] : withWholeNames(found.group).map(written)

/** Joins words without an address with the named mailbox that follows them. */
function withWholeNames(found: readonly Address[]): Address[] {
  const whole: Address[] = []
  let names: string[] = []
  for (const one of found) {
    const isWord = one.group === undefined && !one.address && one.name !== ''
    if (isWord) {
      names.push(one.name)
      continue
    }
    const isNamed = one.group === undefined && one.name !== ''
    if (isNamed && names.length > 0) whole.push({ ...one, name: [...names, one.name].join(', ') })
    else whole.push(...names.map(wordAlone), one)
    names = []
  }
  return [...whole, ...names.map(wordAlone)]
}

const wordAlone = (name: string): Address => ({ address: '', name })

const takesLong = (value: string): boolean =>
  value.length * Math.min(value.split(':').length, MAX_LEVELS) > MAX_WORK

const written = ({ address = '', name }: Partial<Address> & { readonly name: string }): WrittenMailbox => ({
  address: withoutRoute(address),
  name: legalDisplayName(name),
})

/** Removes a route (`@relay.example,@b.example:`), which is not part of the address (RFC 5322 §4.4). */
const withoutRoute = (address: string): string => address.replace(/^\s*@[^:<>]{1,1000}:\s*/, '')

/** Maximum length of a value: no mailbox with a valid address and a name of ordinary length is longer. */
const MAX_SOLE = 2000

/**
 * Returns the mailbox of a From or Sender field; undefined unless all mail programs agree on exactly one mailbox.
 * Parsers differ on comments, routes, groups and text between addresses, and each difference lets a message show
 * another sender than the sender whose permissions were checked (CVE-2025-13033 and similar).
 */
export function parseSoleMailbox(value: string): Mailbox | undefined {
  if (value.length > MAX_SOLE || !isUnambiguous(value)) return undefined
  const [found, second] = parseMailboxList(value)
  if (found === undefined || second !== undefined) return undefined
  const address = parseAddress(found.address)
  // Strict parsers reject an address with a local part that needs quotes but has no quotes in the field.
  if (!isAddress(address) || hasStrayDots(found.address, address)) return undefined
  return found.name === '' ? { email: address.email } : { email: address.email, name: found.name }
}

// NUL, which no message contains, replaces each quoted string. A comment may follow a bare address, since old programs
// write the display name as a comment.
const NAME_AND_ADDRESS =
  /^[^@<>(),:;[\]\\"]*<(?:\0|[^\0-\x20@<>(),:;[\]\\"]+)@[^\0-\x20@<>(),:;[\]\\"]+>[ \t]*$/
const ADDRESS_ALONE =
  /^[ \t]*[^\0-\x20@<>(),:;[\]\\"]+@[^\0-\x20@<>(),:;[\]\\"]+(?:[ \t]+\([^\0@<>(),:;[\]\\"]*\))?[ \t]*$/

function isUnambiguous(value: string): boolean {
  const bare = value.includes('\0') ? '' : value.replace(/"(?:[^"\\]|\\.)*"/g, '\0')
  return NAME_AND_ADDRESS.test(bare) || ADDRESS_ALONE.test(bare)
}
