// Parses one email address strictly: the only parser, for validation, tenancy, suppression, envelope and header.

import { domainToASCII, domainToUnicode } from 'node:url'

/** One mailbox in its only spelling: two equal `email`s are the same mailbox everywhere. */
export interface Address {
  /** `local` + `@` + `domain`: at most 254 bytes, safe between `<` and `>` in a command or a header. */
  readonly email: string
  /**
   * The local part as the wire carries it (RFC 5321 §4.1.2, RFC 6531 §3.3), at most 64 bytes of UTF-8 in
   * NFC. Its case is kept (§2.4). Quoted only if its content is no dot-atom, with backslashes only before
   * `"` and `\`.
   */
  readonly local: string
  /** The domain in A-labels (RFC 5890 §2.3.2.1), lower case, two labels or more, no trailing dot. */
  readonly domain: string
  /** The local part has non-ASCII characters, so that only hosts with SMTPUTF8 can take it (RFC 6531 §3.1). */
  readonly needsSmtpUtf8: boolean
}

/** The reason why a text is not exactly one address. */
export interface AddressProblem {
  /** A public phrase whose subject is the address, such as `has no @`; it repeats no unprintable input. */
  readonly problem: string
}

// RFC 3696 erratum 1690: a path is 256 bytes with its angle brackets, so an address is 254.
const MAX_ADDRESS_BYTES = 254
const MAX_LOCAL_BYTES = 64 // RFC 5321 §4.5.3.1.1
const MAX_DOMAIN_LENGTH = 253 // RFC 1035 §2.3.4: 255 bytes on the wire, less the first length and the root
const MAX_LABELS = 127 // of one character each
const MAX_LABEL_LENGTH = 63
const MAX_INPUT_UNITS = 1000 // Longer than any address; limits the work for a hostile input.

const ATEXT = "-A-Za-z0-9!#$%&'*+/=?^_`{|}~" // RFC 5322 §3.2.3
const LDH_LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/** The common form of address: dot-atom and LDH labels. It is its own canonical form but for the case of the domain. */
const PLAIN = new RegExp(
  `^(?=[^@]{1,64}@)[${ATEXT}]+(?:\\.[${ATEXT}]+)*@(?:(?![Xx][Nn]--)${LDH_LABEL}\\.)+(?=[A-Za-z])(?![Xx][Nn]--)${LDH_LABEL}$`,
)

const DOT_ATOM = new RegExp(`^[${ATEXT}\\u0080-\\uFFFF]+(?:\\.[${ATEXT}\\u0080-\\uFFFF]+)*$`)
const ATOMS_AND_DOTS = new RegExp(`^[${ATEXT}.\\u0080-\\uFFFF]*`)
// RFC 5321 §4.1.2 Quoted-string with RFC 6531 §3.3: a backslash stands before printable ASCII only.
const QUOTED_STRING = /^"(?:[^"\\]|\\[ -~])*"/

/**
 * Characters refused everywhere. \p{C}: controls, format characters (soft hyphen, zero width, bidi), lone surrogates,
 * private use, unassigned. \p{DI}: drawn as nothing (variation selectors, Hangul fillers). Also spaces other than
 * U+0020, the empty Braille pattern, and the marks of a failed decoding.
 */
const UNSAFE = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u2800\uFFFC\uFFFD]|(?! )\p{Zs}/u

/** RFC 2047 §5 forbids encoded-words in an address, yet readers of headers decode them anywhere. */
const ENCODED_WORD = /=\?.*\?=/

/**
 * Parses exactly one bare address (`addr-spec`, no display name, no route, no comment, no literal), or returns its
 * problem. Nothing is trimmed; the only repair is quoting of dots that need quotes. The result parses to itself. Never
 * throws; linear in the input, which may have at most 1,000 UTF-16 units.
 *
 * RFC 5321 §4.1.2 and §4.5.3.1, RFC 6531 §3.3, RFC 5891 §4. Stricter than these where parsers are known to disagree: no
 * `<` or `>` even in quotes, no encoded-words, no non-ASCII that compatibility folding (NFKC) turns into ASCII, no
 * domain that IDNA mapping changes beyond its case and NFC.
 */
export function parseAddress(input: string): Address | AddressProblem {
  if (input.length > MAX_INPUT_UNITS) return no(`is longer than ${MAX_ADDRESS_BYTES} bytes`)
  return readPlain(input) ?? readAny(input)
}

/**
 * Returns an address, or a part of one, in the form in which the store compares it: ASCII letters in lower case. SQLite
 * and PostgreSQL (collation "C") fold no other letters.
 */
export const inAnyCase = (email: string): string =>
  email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * Returns the spellings under which an address may be stored where it is kept as given: with its domain in A-labels or
 * in Unicode, and the same entirely in lower case, as in a login. Each spelling has the form of `inAnyCase`.
 *
 * @param email address in its only spelling, in the form of `inAnyCase`
 */
export function spellingsOf(email: string): string[] {
  const at = email.lastIndexOf('@') + 1
  const inUnicode = email.slice(0, at) + domainToUnicode(email.slice(at))
  return [...new Set([email, inUnicode, email.toLowerCase(), inUnicode.toLowerCase()])].map(inAnyCase)
}

/**
 * True if an address was written unquoted with dots in a row, or at either end of its local part. This is a typing
 * error except at the few providers with such mailboxes, whose local part needs quotes (RFC 5321 §4.1.2).
 */
export const hasStrayDots = (written: string, { local }: Address): boolean =>
  local.startsWith('"') && !written.startsWith('"')

/** True if `parseAddress` found an address. */
export function isAddress(result: Address | AddressProblem): result is Address {
  return 'email' in result
}

function readPlain(input: string): Address | undefined {
  if (input.length > MAX_ADDRESS_BYTES || !PLAIN.test(input) || input.includes('=?')) return undefined
  const at = input.indexOf('@')
  const local = input.slice(0, at)
  const written = input.slice(at + 1)
  const domain = written.toLowerCase()
  const email = domain === written ? input : `${local}@${domain}`
  return { email, local, domain, needsSmtpUtf8: false }
}

function readAny(input: string): Address | AddressProblem {
  if (input === '') return no('is empty')
  const unsafe = UNSAFE.exec(input)
  if (unsafe)
    return no(`has ${nameOf(unsafe[0])}, which is a control, blank, invisible or unassigned character`)
  if (input.startsWith(' ') || input.endsWith(' ')) return no('has a space before or after it')

  const written = (input.startsWith('"') ? QUOTED_STRING : ATOMS_AND_DOTS).exec(input)?.[0]
  if (written === undefined)
    return no('begins with a quoted string that is not closed or has a stray backslash')
  const next = input[written.length]
  if (next === undefined) return no('has no @')
  if (next !== '@') return no(misplaced(input, written.length, 'local part'))

  const local = canonicalLocal(written)
  if (typeof local !== 'string') return local
  const domain = canonicalDomain(input.slice(written.length + 1))
  if (typeof domain !== 'string') return domain
  const bytes = Buffer.byteLength(local)
  if (bytes + 1 + domain.length > MAX_ADDRESS_BYTES)
    return no(`is longer than ${MAX_ADDRESS_BYTES} bytes`)
  return { email: `${local}@${domain}`, local, domain, needsSmtpUtf8: bytes !== local.length }
}

function canonicalLocal(written: string): string | AddressProblem {
  if (written === '') return no('has nothing before the @')
  if (Buffer.byteLength(written) > MAX_LOCAL_BYTES) {
    return no(`has more than ${MAX_LOCAL_BYTES} bytes before the @`)
  }
  const quoted = written.startsWith('"')
  const content = quoted ? written.slice(1, -1).replace(/\\(.)/g, '$1') : written
  // RFC 5321 §4.1.2 allows angle brackets in quotes, but postal-mime and others end the address at the first one.
  if (/[<>]/.test(content)) return no('has an angle bracket')
  if (ENCODED_WORD.test(content)) return no('has an encoded-word (=?…?=) before the @')
  // RFC 6532 §3.1. Also a combining mark would merge with the bracket or quote that comes before it.
  if (content !== content.normalize('NFC')) return no('is not in Unicode normalization form C before the @')
  if (/^\p{M}/u.test(content)) return no('begins with a combining mark')
  for (const char of content) {
    if (foldsToAscii(char)) return no(`has ${nameOf(char)}, which other systems may read as ASCII`)
  }
  // RFC 5321 §4.1.2: all quoted forms are equivalent, and the one with the least quoting is sent.
  if (DOT_ATOM.test(content)) return content
  // Dots in a row, or at either end: some providers gave such names away, and quoted they are legal on the wire.
  if (!quoted && /^\.*$/.test(content)) return no('has dots alone before the @')
  if (!quoted && Buffer.byteLength(content) > MAX_LOCAL_BYTES - 2) {
    return no(`has more than ${MAX_LOCAL_BYTES} bytes before the @ with the quotes that its dots need`)
  }
  return `"${content.replace(/["\\]/g, '\\$&')}"`
}

function canonicalDomain(written: string): string | AddressProblem {
  if (written === '') return no('has nothing after the @')
  if (written.startsWith('[')) return no('has an address literal after the @: give a domain name')
  const odd = written.search(/[^A-Za-z0-9.\u0080-\uFFFF-]/)
  if (odd !== -1) return no(misplaced(written, odd, 'domain'))
  if (written.endsWith('.')) return no('has a domain that ends with a dot')

  const labels = written.split('.')
  if (labels.length < 2) return no('has a domain of one label: give a full name such as example.com')
  if (labels.length > MAX_LABELS) return no(`has a domain longer than ${MAX_DOMAIN_LENGTH} characters`)
  for (const [i, label] of labels.entries()) {
    if (label === '') return no('has an empty label in the domain: two dots in a row, or one after the @')
    if (label.startsWith('-') || label.endsWith('-')) return no('has a domain label with a hyphen at its end')
    const ascii = aLabel(label)
    if (ascii === undefined) {
      return no(
        'has a domain label that IDNA does not allow as written: give it in its usual letters or as xn--',
      )
    }
    if (ascii.length > MAX_LABEL_LENGTH) {
      return no(`has a domain label longer than ${MAX_LABEL_LENGTH} characters`)
    }
    labels[i] = ascii
  }
  // RFC 3696 §2; and endings that a URL parser takes for the end of an IPv4 address.
  if (/^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) return no('has a domain that ends in a number')
  const domain = labels.join('.')
  if (domain.length > MAX_DOMAIN_LENGTH) {
    return no(`has a domain longer than ${MAX_DOMAIN_LENGTH} characters`)
  }
  return domain
}

/** Returns the label as in DNS; undefined if IDNA refuses it or would change more than case and NFC. */
function aLabel(label: string): string | undefined {
  if (/[^\0-\x7f]/.test(label)) return encodeULabel(label)
  const ascii = label.toLowerCase()
  if (!ascii.startsWith('xn--')) return ascii
  // RFC 5891 §5.3: an A-label must decode, and encode to itself again. `domainToUnicode` keeps invalid ones unchanged.
  const decoded = domainToUnicode(ascii)
  return encodeULabel(decoded) === ascii ? ascii : undefined
}

/**
 * Returns the A-label of a label; undefined if IDNA refuses the label or would change it. UTS #46 maps soft hyphens to
 * nothing, `ⓔ` to `e`, `。` to a dot: a second spelling of another user's domain (CVE-2026-92598). Only a mapping that
 * keeps every letter is accepted.
 */
function encodeULabel(label: string): string | undefined {
  // RFC 5891 §4.2.3.1: hyphens; in a third and fourth place they also betray an A-label that did not decode.
  if (/^-|-$|^..--/u.test(label) || UNSAFE.test(label)) return undefined
  for (const char of label) if (foldsToAscii(char)) return undefined
  const ascii = domainToASCII(label)
  const same = ascii.startsWith('xn--') && lowerCase(domainToUnicode(ascii)) === lowerCase(label)
  return same ? ascii : undefined
}

/** Converts to lower case character by character, as IDNA does: a whole string would get a final sigma. */
function lowerCase(text: string): string {
  let lower = ''
  for (const char of text.normalize('NFC')) lower += char.toLowerCase()
  return lower.normalize('NFC')
}

/**
 * True for characters that NFKC folds to ASCII, a disguised spelling: fullwidth forms, ligatures, circled letters, the
 * Kelvin sign.
 */
function foldsToAscii(char: string): boolean {
  return char > '\x7f' && /[\0-\x7f]/.test(char.normalize('NFKC'))
}

/** Returns a hint at the probable intent of the misplaced character at `index`. */
function misplaced(text: string, index: number, part: 'local part' | 'domain'): string {
  const char = text[index]!
  if (/[<>]/.test(text)) return 'has a display name or angle brackets: give the bare address'
  if (char === ',' || char === ';') return 'is a list: give one address'
  if (char === '(' || char === ')') return 'has a comment: give the bare address'
  if (char === ':') return 'has a colon: a group, a route or a mailto link is not an address'
  if (char === '@') return 'has more than one @'
  if (part === 'local part' && text.startsWith('"'))
    return 'has something between the closing quote and the @'
  return `has ${nameOf(char)} in the ${part}, where it is not allowed`
}

function nameOf(char: string): string {
  if (char === ' ') return 'a space'
  if (char > ' ' && char <= '~') return `the character ${char}`
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}

function no(problem: string): AddressProblem {
  return { problem }
}
