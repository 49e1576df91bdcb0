// Rewrites a header field in ASCII, without lines over 998 bytes.

import { asciiAddressField } from '../address-field.ts'
import { decodeWords } from '../encoded-word.ts'
import { ADDRESS_FIELD, LINK_FIELD, STRUCTURED_FIELD } from '../field-kinds.ts'
import { textField } from '../header-field.ts'
import { legalText } from '../legal-text.ts'
import { MAX_RUN, withFoldedLines } from './long-lines.ts'

/** Fields whose value has parameters (RFC 2045 §5.1, RFC 2183 §2). */
const PARAMETER_FIELD = /^Content-(?:Type|Disposition)$/i

const PARAMETER = /;[ \t]*([!#$&+.0-9A-Z^_`a-z{|}~-]+\*?)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/gs
/** Maximum length of a section of a parameter; a line with such a section and its name is far below 998 bytes. */
const SECTION = 600

/** Fields in which white space may occur anywhere, because white space is not part of the encoded data. */
const WITHIN_BASE64 = /^(?:Autocrypt.*|Face|X-Face|ARC-.*|DKIM-Signature)$/i
/** Fields with free text and with a name that suggests a grammar. */
const TEXT_FIELD = /^Content-Description$/i
/** Fields that name exactly one author or sender (RFC 5322 §3.6.2, §3.6.6). */
export const SENDER_FIELD = /^(?:From|Sender|Resent-(?:From|Sender))$/i

const isText = (name: string): boolean =>
  TEXT_FIELD.test(name) ||
  !(
    ADDRESS_FIELD.test(name) ||
    LINK_FIELD.test(name) ||
    STRUCTURED_FIELD.test(name) ||
    SENDER_FIELD.test(name) ||
    /^List-ID$/i.test(name)
  )

/**
 * Converts a field whose bytes were not UTF-8 to ASCII: text to encoded-words, parameters to their extended form, bytes
 * of links to percent-encoding. Non-ASCII text becomes the name of an empty group in an address field, and `?` in
 * fields with another grammar.
 *
 * @param name name of the field, which is not a sender field
 * @param text the decoded value
 * @param latin1 the undecoded value as a `latin1` string
 */
export function asciiField(name: string, text: string, latin1: string): string | undefined {
  if (PARAMETER_FIELD.test(name)) return parameterField(name, text)
  if (ADDRESS_FIELD.test(name)) return asciiAddressField(name, text, false)
  if (isText(name)) return textField(name, decodeWords(text))
  if (LINK_FIELD.test(name)) return `${name}: ${latin1.replace(/[\x80-\xff]/g, percentOf)}\r\n`
  return `${name}: ${asciiText(text)}\r\n`
}

const percentOf = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

/**
 * Returns the field without lines over 998 bytes: folded at white space, otherwise where the grammar of the field
 * allows white space, otherwise with the text in encoded-words. Returns undefined if the field has a run that is too
 * long for a line and cannot be broken.
 *
 * @param raw the whole field as a `latin1` string, with its final CRLF
 */
export function foldedField(name: string, raw: string): string | undefined {
  const plain = withFoldedLines(raw)
  if (plain !== undefined) return plain
  const value = Buffer.from(raw.slice(name.length + 1), 'latin1')
    .toString()
    .replaceAll('\r\n', '')
    .trim()
  if (isText(name) && !WITHIN_BASE64.test(name)) return textField(name, decodeWords(value))
  if (PARAMETER_FIELD.test(name)) return withFoldedLines(parameterField(name, value))
  const written = withFoldedLines(`${name}: ${Buffer.from(withPlaces(name, value)).toString('latin1')}\r\n`)
  if (written !== undefined || !ADDRESS_FIELD.test(name)) return written
  const list = asciiAddressField(name, value, true)
  return list === undefined ? undefined : withFoldedLines(list)
}

/** Returns the value with blanks where its grammar allows them. */
function withPlaces(name: string, value: string): string {
  if (WITHIN_BASE64.test(name)) {
    return value.replace(new RegExp(`[^ \\t]{${MAX_RUN}}`, 'g'), (run) => run.replace(/.{70}/g, '$& '))
  }
  // Message IDs need no blank between them (RFC 5322 §3.6.4).
  if (/^(?:References|In-Reply-To)$/i.test(name)) return value.replace(/>[ \t]*</g, '> <')
  return value.replace(/"(?:[^"\\]|\\.?)*(?:"|$)|<[^<>]*(?:>|$)|[,;]/gs, (found) =>
    found === ',' || found === ';' ? `${found} ` : found,
  )
}

/**
 * Returns the field with its final CRLF. Parameters that are not ASCII or too long for a line are encoded by RFC 2231,
 * each on a separate line.
 */
export function parameterField(name: string, value: string): string {
  const written = value.replace(PARAMETER, (whole, attribute: string, quoted?: string, token = '') =>
    (isAscii(whole) && whole.length <= SECTION) || /^boundary$/i.test(attribute)
      ? whole
      : `;\r\n ${extended(attribute.replace('*', ''), quoted === undefined ? token.trim() : quoted.replace(/\\(.)/g, '$1'))}`,
  )
  return `${name}: ${asciiText(written)}\r\n`
}

/** Replaces non-ASCII characters in a field whose grammar allows only ASCII. */
const asciiText = (text: string): string => text.replace(/[^\0-\x7f]+/g, '?')

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)

function extended(attribute: string, text: string): string {
  const bytes = encodeURIComponent(legalText(decodeWords(text))).replace(/['()*!~]/g, percentOf)
  if (bytes.length <= SECTION) return `${attribute}*=utf-8''${bytes}`
  const sections = bytes.match(new RegExp(`(?:%..|[^%]){1,${SECTION / 3}}`, 'g')) ?? []
  return sections
    .map((section, index) => `${attribute}*${index}*=${index === 0 ? "utf-8''" : ''}${section}`)
    .join(';\r\n ')
}
