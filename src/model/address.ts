// Strict parser of one email address, used everywhere: validation, tenancy, suppression, envelope and header fields.

import { domainToASCII, domainToUnicode } from 'node:url'

/** One mailbox in its canonical spelling: addresses with equal `email` are the same mailbox everywhere. */
export interface Address {
  /** `local` + `@` + `domain`: at most 254 bytes, safe between `<` and `>` in a command or a header. */
  readonly email: string
  /**
   * The local part as transmitted (RFC 5321 §4.1.2, RFC 6531 §3.3): at most 64 bytes of UTF-8 in NFC, in the original
   * case (§2.4). The local part is quoted only if its content is no dot-atom; a backslash precedes only `"` and `\`.
   */
  readonly local: string
  /** The domain in A-labels (RFC 5890 §2.3.2.1) and lower case, with at least two labels and without a trailing dot. */
  readonly domain: string
  /**
   * True if the local part has non-ASCII characters, so that only hosts with SMTPUTF8 accept the address (RFC 6531
   * §3.1).
   */
  readonly needsSmtpUtf8: boolean
}

/** The reason why a text is not exactly one address. */
export interface AddressProblem {
  /** A public phrase whose subject is the address, such as `has no @`; the phrase repeats no unprintable input. */
  readonly problem: string
}

// Maximum length of an address (RFC 3696 erratum 1690: a path has at most 256 bytes including the angle brackets).
const MAX_ADDRESS_BYTES = 254
const MAX_LOCAL_BYTES = 64 // RFC 5321 §4.5.3.1.1
// Maximum length of a domain (RFC 1035 §2.3.4: 255 bytes on the wire, minus the first length byte and the root).
const MAX_DOMAIN_LENGTH = 253
const MAX_LABELS = 127 // Number of labels if each label has one character.
const MAX_LABEL_LENGTH = 63
// Maximum length of the input in UTF-16 units: longer than any address, to limit the work for hostile input.
const MAX_INPUT_UNITS = 1000

const ATEXT = "-A-Za-z0-9!#$%&'*+/=?^_`{|}~" // RFC 5322 §3.2.3
const LDH_LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/**
 * The common form of an address: a dot-atom and LDH labels. Such an address is canonical except for the case of its
 * domain.
 */
const PLAIN = new RegExp(
  `^(?=[^@]{1,64}@)[${ATEXT}]+(?:\\.[${ATEXT}]+)*@(?:(?![Xx][Nn]--)${LDH_LABEL}\\.)+(?=[A-Za-z])(?![Xx][Nn]--)${LDH_LABEL}$`,
)

const DOT_ATOM = new RegExp(`^[${ATEXT}\\u0080-\\uFFFF]+(?:\\.[${ATEXT}\\u0080-\\uFFFF]+)*$`)
const ATOMS_AND_DOTS = new RegExp(`^[${ATEXT}.\\u0080-\\uFFFF]*`)
// Quoted-string of RFC 5321 §4.1.2 with RFC 6531 §3.3: a backslash precedes only printable ASCII.
const QUOTED_STRING = /^"(?:[^"\\]|\\[ -~])*"/

/**
 * Characters that are refused everywhere. `\p{C}` matches controls, format characters (soft hyphen, zero width, bidi),
 * lone surrogates, private use and unassigned characters. `\p{DI}` matches invisible characters (variation selectors,
 * Hangul fillers). The other classes match spaces other than U+0020, the empty Braille pattern, and the replacement
 * characters of a failed decoding.
 */
const UNSAFE = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u2800\uFFFC\uFFFD]|(?! )\p{Zs}/u

/** RFC 2047 §5 forbids encoded-words in an address, yet header parsers decode encoded-words anywhere. */
const ENCODED_WORD = /=\?.*\?=/

/**
 * Parses exactly one bare address (`addr-spec`, no display name, no route, no comment, no literal), and returns the
 * address or its problem. The input is not trimmed; the only repair puts a local part with misplaced dots in quotes.
 * Parsing the result again gives the same result. Never throws, and takes linear time; the input may have at most 1,000
 * UTF-16 units.
 *
 * Follows RFC 5321 §4.1.2 and §4.5.3.1, RFC 6531 §3.3 and RFC 5891 §4. The parser is stricter than the RFCs where
 * parsers are known to disagree: no `<` or `>` even in quotes, no encoded-words, no non-ASCII that compatibility
 * folding (NFKC) turns into ASCII, and no domain that IDNA mapping changes beyond case and NFC.
 */
export function parseAddress(input: string): Address | AddressProblem {
  if (input.length > MAX_INPUT_UNITS) return no(`is longer than ${MAX_ADDRESS_BYTES} bytes`)
  return readPlain(input) ?? readAny(input)
}

/**
 * Returns an address, or a part of an address, with ASCII letters in lower case, the form in which the store compares
 * addresses. SQLite and PostgreSQL (collation "C") fold no other letters.
 */
export const inAnyCase = (email: string): string =>
  email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * Returns the spellings of an address in columns that store addresses as given: with the domain in A-labels, and with
 * the domain in Unicode. Each spelling has the form that `inAnyCase` returns.
 *
 * @param email address in its canonical spelling, in the form that `inAnyCase` returns
 */
export function spellingsOf(email: string): string[] {
  const at = email.lastIndexOf('@') + 1
  const inUnicode = email.slice(0, at) + domainToUnicode(email.slice(at))
  return [...new Set([email, inUnicode, email.toLowerCase(), inUnicode.toLowerCase()])].map(inAnyCase)
}

/**
 * True if an unquoted local part was written with consecutive dots, or with a dot at either end. Such dots are a typing
 * error except at the few providers with such mailboxes, whose local parts need quotes (RFC 5321 §4.1.2).
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
  if (bytes + 1 + domain.length > MAX_ADDRESS_BYTES) return no(`is longer than ${MAX_ADDRESS_BYTES} bytes`)
  return { email: `${local}@${domain}`, local, domain, needsSmtpUtf8: bytes !== local.length }
}

function canonicalLocal(written: string): string | AddressProblem {
  if (written === '') return no('has nothing before the @')
  if (Buffer.byteLength(written) > MAX_LOCAL_BYTES) {
    return no(`has more than ${MAX_LOCAL_BYTES} bytes before the @`)
  }
  const quoted = written.startsWith('"')
  const content = quoted ? written.slice(1, -1).replace(/\\(.)/g, '$1') : written
  // RFC 5321 §4.1.2 allows angle brackets in quotes, but postal-mime and other parsers end the address at the first
  // angle bracket.
  if (/[<>]/.test(content)) return no('has an angle bracket')
  if (ENCODED_WORD.test(content)) return no('has an encoded-word (=?…?=) before the @')
  // RFC 6532 §3.1 recommends NFC. A combining mark at the beginning would also merge with the bracket or quote before
  // the mark.
  if (content !== content.normalize('NFC')) return no('is not in Unicode normalization form C before the @')
  if (/^\p{M}/u.test(content)) return no('begins with a combining mark')
  for (const char of content) {
    if (foldsToAscii(char)) return no(`has ${nameOf(char)}, which other systems may read as ASCII`)
  }
  // RFC 5321 §4.1.2: all quoted forms are equivalent, and the form with the least quoting is sent.
  if (DOT_ATOM.test(content)) return content
  // Some providers issued names with consecutive dots, or with a dot at either end; such names are valid on the wire in
  // quotes.
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
  // The last label must not be numeric (RFC 3696 §2), and must not end like an IPv4 address for a URL parser.
  if (/^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) return no('has a domain that ends in a number')
  const domain = labels.join('.')
  if (domain.length > MAX_DOMAIN_LENGTH) {
    return no(`has a domain longer than ${MAX_DOMAIN_LENGTH} characters`)
  }
  return domain
}

/**
 * Returns the label as encoded in the DNS; undefined if IDNA refuses the label or would change more than its case and
 * NFC.
 */
function aLabel(label: string): string | undefined {
  if (/[^\0-\x7f]/.test(label)) return encodeULabel(label)
  const ascii = label.toLowerCase()
  if (!ascii.startsWith('xn--')) return ascii
  // RFC 5891 §5.3: an A-label must decode, and encode to itself again. `domainToUnicode` keeps invalid A-labels
  // unchanged.
  const decoded = domainToUnicode(ascii)
  return encodeULabel(decoded) === ascii ? ascii : undefined
}

/**
 * Returns the A-label of a Unicode label; undefined if IDNA refuses or would change the label. UTS #46 maps soft
 * hyphens to nothing, `ⓔ` to `e`, and `。` to a dot, which would allow a second spelling of another user's domain
 * (CVE-2026-92598). Only a mapping that keeps every letter is accepted.
 */
function encodeULabel(label: string): string | undefined {
  // RFC 5891 §4.2.3.1 forbids these hyphens. Hyphens in the third and fourth place also reveal an A-label that did not
  // decode.
  if (/^-|-$|^..--/u.test(label) || UNSAFE.test(label)) return undefined
  for (const char of label) if (foldsToAscii(char)) return undefined
  const ascii = domainToASCII(label)
  const same = ascii.startsWith('xn--') && lowerCase(domainToUnicode(ascii)) === lowerCase(label)
  return same ? ascii : undefined
}

/**
 * Converts a text to lower case character by character, as IDNA does; converting the whole text would produce a final
 * sigma.
 */
function lowerCase(text: string): string {
  let lower = ''
  for (const char of text.normalize('NFC')) lower += char.toLowerCase()
  return lower.normalize('NFC')
}

/**
 * True for a character that NFKC folds to ASCII and that can disguise a spelling: fullwidth forms, ligatures, circled
 * letters, the Kelvin sign.
 */
function foldsToAscii(char: string): boolean {
  return char > '\x7f' && /[\0-\x7f]/.test(char.normalize('NFKC'))
}

/** Returns a phrase about the probable cause of the misplaced character at `index`. */
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
