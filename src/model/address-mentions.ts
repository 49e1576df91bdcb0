// An address in text that others wrote: how it may be spelt there, and whether a text names it or only a longer one.

import { domainToUnicode } from 'node:url'
import { inAnyCase } from './address.ts'

/**
 * The spellings in which an address is stored where it is kept as it was given: with its domain in A-labels or in Unicode,
 * and as a login, all in lower case. Each as `inAnyCase` has it.
 *
 * @param email in its only spelling, as `inAnyCase` has it
 */
export function spellingsOf(email: string): string[] {
  const at = email.lastIndexOf('@') + 1
  const inUnicode = email.slice(0, at) + domainToUnicode(email.slice(at))
  return [...new Set([email, inUnicode, email.toLowerCase(), inUnicode.toLowerCase()])].map(inAnyCase)
}

/** A letter or digit, with or without a character that joins it to what stands behind: the local part goes on. */
const GOES_BEFORE = /[\p{L}\p{N}_][.+'-]?$/u
/** Beginning of a line of an SMTP reply (RFC 5321 §4.2.1), which ends with a hyphen but for the last. */
const REPLY_CODE = /(?:^|[^\p{L}\p{N}])[2-5][0-9]{2}-$/u
/** The domain goes on. */
const GOES_BEHIND = /^[.-]?[\p{L}\p{N}]/u

/**
 * True if a text names one of these addresses, in any case: `jo@x.example` is named by `<jo@x.example>` and not by
 * `mojo@x.example` or `jo@x.example.net`.
 *
 * @param spellings as `spellingsOf` has them
 */
export function namesAddress(text: string, spellings: readonly string[]): boolean {
  const lower = inAnyCase(text)
  return spellings.some((spelling) => {
    for (let at = lower.indexOf(spelling); at >= 0; at = lower.indexOf(spelling, at + 1)) {
      const before = lower.slice(Math.max(0, at - 6), at)
      const end = at + spelling.length
      const isLonger = GOES_BEFORE.test(before) && !REPLY_CODE.test(before)
      if (!isLonger && !GOES_BEHIND.test(lower.slice(end, end + 4))) return true
    }
    return false
  })
}

/** An escape within a text, as of JSON or of an URL: its last letter is none of what stands behind it. */
const ESCAPE = /\\u[0-9a-f]{4}|\\.|%[0-9a-f]{2}/gi
/** Those of a mail besides (RFC 2045 §6.7); in an encoded-word a space is `_` (RFC 2047 §4.2). */
const MAIL_ESCAPE = /=\r?\n|=[0-9a-f]{2}/gi
const ENCODED_WORD = /=\?[^?\s]{1,80}\?q\?[^?\s]{1,998}\?=/gi

/** The same where what stands before an address may be escaped: `\u003cjo@x.example`, `%3Cjo@x.example`. */
const namesEscaped = (text: string, spellings: readonly string[]): boolean =>
  namesAddress(text, spellings) || namesAddress(text.replace(ESCAPE, ' '), spellings)

/** The same in JSON, whose strings may be JSON that somebody answered, and in text that is none. */
export function jsonNamesAddress(json: string, spellings: readonly string[]): boolean {
  const strings: string[] = []
  try {
    JSON.parse(json, (key, value) => {
      strings.push(key)
      if (typeof value === 'string') strings.push(value)
      return value
    })
  } catch {
    return namesEscaped(json, spellings)
  }
  return strings.some((one) => namesEscaped(one, spellings))
}

/** The same in a mail, where more may be encoded: `=3Djo@x.example`. */
export const mailNamesAddress = (raw: Uint8Array, spellings: readonly string[]): boolean => {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8')
  if (namesEscaped(text, spellings)) return true
  const spaced = text.replace(ENCODED_WORD, (word) => word.replaceAll('_', ' '))
  return namesEscaped(spaced.replace(MAIL_ESCAPE, ' '), spellings)
}
