// Finds the only mailbox of a sender field among other text that programs write around an address.

import { type Address, isAddress, parseAddress } from '../../model/address.ts'
import type { Mailbox } from '../content.ts'
import { decodeWords, encodedWords } from '../encoded-word.ts'
import { foldedList, legalDisplayName, mailboxField } from '../mailbox-field.ts'

/** Reason why a value is not one mailbox, worded as a predicate of the field: `has a comma …`. */
export interface NoMailbox {
  readonly reason: string
}

export const isMailbox = (found: Mailbox | NoMailbox): found is Mailbox => 'email' in found

/** Maximum length of a value: no mailbox with a name of ordinary length is longer. */
const MAX_LENGTH = 2000

/** A piece of a value: `open` is text outside of quotation marks, comments, angle brackets and encoded-words. */
interface Piece {
  readonly kind: 'open' | 'quoted' | 'comment' | 'angle' | 'encoded'
  /** Text of the piece as written; if the piece is `angle`, only the text between the brackets. */
  readonly text: string
}

/**
 * Finds the mailbox of a value with exactly one address, in angle brackets or bare, outside of quotation marks and
 * comments. All other text becomes the display name, even brackets, an `@`, comments, or a repetition of the address.
 *
 * Refuses a second address outside of quotation marks and encoded-words, and every character that another mail program
 * may take for the end of a mailbox (comma, semicolon, colon, unpaired quotation marks and brackets): a value with such
 * a character could have two readings (RFC 5322 §3.4, §4.4). Refuses a value of over 2,000 characters. Never throws,
 * and runs in linear time.
 */
export function findSoleMailbox(value: string): Mailbox | NoMailbox {
  if (value.length > MAX_LENGTH) return { reason: `has more than ${MAX_LENGTH} characters` }
  const pieces = piecesOf(withoutLastCommas(value))
  if ('reason' in pieces) return pieces
  const angles = pieces.filter(({ kind }) => kind === 'angle')
  if (angles.length > 1) return { reason: 'has more than one address in angle brackets; it takes one' }
  return angles.length === 1 ? aroundAngle(pieces, angles[0]!) : aroundBare(pieces)
}

/** Writes the field so that no mail program finds another address in the field. */
export function soleMailboxField(name: string, mailbox: Mailbox): string {
  const { email, name: given = '' } = mailbox
  // Some mail programs search for angle brackets in quotation marks as well.
  if (!/[<>]/.test(given)) return mailboxField(name, [mailbox])
  return foldedList(name, [(room) => [...encodedWords(legalDisplayName(given), room), `<${email}>`]])
}

/** Removes trailing commas and semicolons, which are remains of a list. */
function withoutLastCommas(value: string): string {
  let end = value.length
  while (end > 0 && ' \t,;'.includes(value[end - 1]!)) end--
  return value.slice(0, end)
}

const ENCODED_WORD = /=\?[\w.*+-]{1,40}\?[bq]\?[^?\s]{0,500}\?=/iy
const QUOTED = /"(?:[^"\\]|\\.)*"/y
const ANGLE = /<((?:"(?:[^"\\<>]|\\[^<>])*"|[^<>"])*)>/y
const OPEN = /(?:[^"(<>=,;:)\\]|=(?!\?)|\\[A-Za-z0-9])+|=/y

function piecesOf(value: string): Piece[] | NoMailbox {
  const pieces: Piece[] = []
  for (let at = 0; at < value.length; ) {
    const piece = pieceAt(value, at)
    if ('reason' in piece) return piece
    pieces.push(piece)
    at += piece.text.length + (piece.kind === 'angle' ? 2 : 0)
  }
  return pieces
}

function pieceAt(value: string, at: number): Piece | NoMailbox {
  const char = value[at]!
  const matched = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(value)
  }
  const encoded = char === '=' ? matched(ENCODED_WORD) : null
  if (encoded !== null) {
    return /[<>]/.test(encoded[0])
      ? { reason: 'has an angle bracket within an encoded-word; encode the name alone' }
      : { kind: 'encoded', text: encoded[0] }
  }
  if (char === '(') return commentAt(value, at)
  const [kind, pattern] =
    char === '"'
      ? (['quoted', QUOTED] as const)
      : char === '<'
        ? (['angle', ANGLE] as const)
        : (['open', OPEN] as const)
  const found = matched(pattern)
  if (found === null) return { reason: FAULTS[char] ?? 'has a character that ends no mailbox' }
  return { kind, text: kind === 'angle' ? found[1]! : found[0] }
}

const IN_QUOTES = 'write a name that has it in quotation marks: "Doe, Ann" <ann@example.com>'
const FAULTS: Readonly<Record<string, string>> = {
  '"': 'has a quotation mark without its pair',
  '<': 'has an angle bracket < without its pair',
  '>': 'has an angle bracket > without its pair',
  ')': 'has a parenthesis ) without its pair',
  ',': `has a comma, which begins another address; ${IN_QUOTES}`,
  ';': `has a semicolon, which ends a group; ${IN_QUOTES}`,
  ':': `has a colon, which begins a group of addresses; ${IN_QUOTES}`,
  '\\': `has a backslash outside of quotation marks; ${IN_QUOTES}`,
}

/** Reads a comment, with nested comments and parentheses after a backslash (RFC 5322 §3.2.2). */
function commentAt(value: string, from: number): Piece | NoMailbox {
  let depth = 0
  for (let at = from; at < value.length; at++) {
    const char = value[at]!
    if (char === '\\' && /[()]/.test(value[at + 1] ?? '')) at++
    else if (/[<>"\\]/.test(char)) {
      return { reason: `has ${char} in a comment (…), which programs read in different ways` }
    } else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return { kind: 'comment', text: value.slice(from, at + 1) }
  }
  return { reason: 'has a parenthesis ( without its pair' }
}

/** Reads `name <address>`. */
function aroundAngle(pieces: readonly Piece[], angle: Piece): Mailbox | NoMailbox {
  const address = parseAddress(withoutComments(angle.text))
  if (!isAddress(address)) return { reason: `has an address in angle brackets that ${address.problem}` }
  const others = pieces.filter((piece) => piece !== angle)
  if (namesAnother(others, address)) {
    return { reason: 'names a second address outside of quotation marks; it takes one' }
  }
  return named(address, others)
}

/**
 * Removes comments of plain words, the blanks of obsolete syntax (RFC 5322 §4.4) and the scheme of a link from an
 * address.
 */
function withoutComments(text: string): string {
  if (text.includes('"')) return text.trim()
  const bare = text.replace(/\([\w .'-]*\)/g, ' ').replace(/^[ \t]*mailto:/i, '')
  return bare
    .replace(/[ \t]+/g, (run, at: number) =>
      /[.@]/.test(`${bare[at - 1]}${bare[at + run.length]}`) ? '' : run,
    )
    .trim()
}

/** Reads an address without angle brackets, with comments or words around it. */
function aroundBare(pieces: readonly Piece[]): Mailbox | NoMailbox {
  let found: { readonly address: Address; readonly others: readonly Piece[] } | undefined
  for (const [index, { kind, text }] of pieces.entries()) {
    if (kind !== 'open') continue
    for (const { 0: word, index: at } of text.matchAll(/[^ \t]+/g)) {
      const address = word.includes('@') ? parseAddress(word) : undefined
      if (address === undefined || !isAddress(address)) continue
      if (found !== undefined) return { reason: 'has more than one address; it takes one' }
      const touches = (edge: boolean, neighbour: Piece | undefined): boolean =>
        edge && neighbour !== undefined && neighbour.kind !== 'comment'
      if (
        touches(at === 0, pieces[index - 1]) ||
        touches(at + word.length === text.length, pieces[index + 1])
      ) {
        return { reason: 'has something next to its address; write the address in angle brackets' }
      }
      const open = (part: string): Piece => ({ kind: 'open', text: part })
      const around = [open(text.slice(0, at)), open(text.slice(at + word.length))]
      found = { address, others: [...pieces.slice(0, index), ...around, ...pieces.slice(index + 1)] }
    }
  }
  if (found === undefined) return { reason: 'has no address that can be read' }
  if (namesAnother(found.others, found.address)) return { reason: 'has more than one address; it takes one' }
  return named(found.address, found.others)
}

/**
 * True if an `@` with a domain occurs outside of quotation marks and encoded-words and does not belong to the address
 * itself. White space around an `@` is part of an address in obsolete syntax (RFC 5322 §4.4).
 */
function namesAnother(pieces: readonly Piece[], { email }: Address): boolean {
  const text = pieces
    .map(({ kind, text }) => (kind === 'quoted' || kind === 'encoded' ? '\0' : text))
    .join('')
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const before = text.slice(edgeOf(text, at, -1) + 1, at)
    const after = text.slice(at + 1, edgeOf(text, at, 1))
    if (!/[.[]/.test(after)) continue
    const written = `${before}@${after}`
    const address = parseAddress(/^(['[])(.*)['\]]$/.exec(written)?.[2] ?? written)
    if (!isAddress(address) || address.email.toLowerCase() !== email.toLowerCase()) return true
  }
  return false
}

/** Returns the end of the word on one side of an `@`: before white space, a parenthesis or another `@`. */
function edgeOf(text: string, at: number, step: 1 | -1): number {
  let edge = at + step
  while (/[ \t]/.test(text[edge] ?? '')) edge += step
  while (/[^ \t()@]/.test(text[edge] ?? '')) edge += step
  return edge
}

function named({ email }: Address, pieces: readonly Piece[]): Mailbox | NoMailbox {
  const written = pieces.filter(({ text }) => text.trim() !== '')
  const sole = written.length === 1 ? written[0] : undefined
  // Old programs write the name of a bare address as a comment after it (RFC 5322 §3.4).
  const texts = sole?.kind === 'comment' ? [sole.text.slice(1, -1)] : pieces.map(textOf)
  const name = legalDisplayName(decodeWords(texts.join(''))).replace(/[ \t]{2,}/g, ' ')
  return name === '' ? { email } : { email, name }
}

const textOf = ({ kind, text }: Piece): string =>
  kind === 'quoted' ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text
