// Reading address fields of raw messages: leniently for showing them, strictly where rights hang on the answer.

import { type Address, addressParser } from 'postal-mime'
import { hasStrayDots, isAddress, parseAddress } from '../model/address.ts'
import type { Mailbox } from './content.ts'
import { withUtf8Words } from './encoded-word.ts'
import { legalDisplayName } from './mailbox-field.ts'

/** A mailbox as it was written; nothing says that `address` is one, or that there is one at all. */
export interface WrittenMailbox {
  readonly address: string
  /** Decoded, on one line; empty if there is none. */
  readonly name: string
}

/** Characters that may be gone through; postal-mime goes through all of them for each level of nested groups. */
const MAX_WORK = 1_000_000
const MAX_LEVELS = 50

/**
 * The mailboxes of an address field's value, those of groups among them; none of a value made to take long. A name that is not
 * quoted and has a comma (`Kurz, Olga <…>`) is one name.
 */
export const parseMailboxList = (value: string): WrittenMailbox[] =>
  takesLong(value) ? [] : withWholeNames(addressParser(withUtf8Words(value))).flatMap(membersOf)

/** An entry of an address list: a mailbox, or the name of a group without members, whose address is empty. */
export type WrittenEntry = WrittenMailbox

/** Like `parseMailboxList`, with the groups that have no members. */
export const parseAddressEntries = (value: string): WrittenEntry[] =>
  takesLong(value) ? [] : withWholeNames(addressParser(withUtf8Words(value))).flatMap(entriesOf)

const entriesOf = (found: Address): WrittenEntry[] =>
  found.group === undefined || found.group.length === 0
    ? [written(found)]
    : withWholeNames(found.group).map(written)

const membersOf = (found: Address): WrittenMailbox[] =>
  found.group === undefined ? [written(found)] : withWholeNames(found.group).map(written)

/** Words alone, which have no address, with the named mailbox that follows them. */
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

/** RFC 5322 §4.4: a route that the message was to take (`@relay.example,@b.example:`) is no part of the address. */
const withoutRoute = (address: string): string => address.replace(/^\s*@[^:<>]{1,1000}:\s*/, '')

/** No mailbox that `parseAddress` takes is longer with a name of sane length. */
const MAX_SOLE = 2000

/**
 * The one mailbox of a From or Sender field, or undefined if there is not exactly one that all readers agree
 * on: parsers differ on comments, routes, groups and on text between addresses, and each difference lets a
 * message show another sender than the one whose rights were checked (CVE-2025-13033 and its like).
 */
export function parseSoleMailbox(value: string): Mailbox | undefined {
  if (value.length > MAX_SOLE || !isUnambiguous(value)) return undefined
  const [found, second] = parseMailboxList(value)
  if (found === undefined || second !== undefined) return undefined
  const address = parseAddress(found.address)
  // What is not quoted in the field itself is no address to strict readers.
  if (!isAddress(address) || hasStrayDots(found.address, address)) return undefined
  return found.name === '' ? { email: address.email } : { email: address.email, name: found.name }
}

// With NUL, which no message has, for each quoted string. A bare address may have a comment behind it, as old
// programs write names.
const NAME_AND_ADDRESS =
  /^[^@<>(),:;[\]\\"]*<(?:\0|[^\0-\x20@<>(),:;[\]\\"]+)@[^\0-\x20@<>(),:;[\]\\"]+>[ \t]*$/
const ADDRESS_ALONE =
  /^[ \t]*[^\0-\x20@<>(),:;[\]\\"]+@[^\0-\x20@<>(),:;[\]\\"]+(?:[ \t]+\([^\0@<>(),:;[\]\\"]*\))?[ \t]*$/

function isUnambiguous(value: string): boolean {
  const bare = value.includes('\0') ? '' : value.replace(/"(?:[^"\\]|\\.)*"/g, '\0')
  return NAME_AND_ADDRESS.test(bare) || ADDRESS_ALONE.test(bare)
}
