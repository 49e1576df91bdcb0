// The parameters of Content-Type and Content-Disposition in ASCII: values beyond it in their extended form (RFC 2231 §4).

import { decodeWords } from '../encoded-word.ts'
import { legalText } from '../legal-text.ts'

/** Fields of a value with parameters (RFC 2045 §5.1, RFC 2183 §2). */
export const PARAMETER_FIELD = /^Content-(?:Type|Disposition)$/i

const PARAMETER = /;[ \t]*([!#$&+.0-9A-Z^_`a-z{|}~-]+\*?)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))/gs
/** Characters of one section: with its name it stays far below 998 bytes. */
const SECTION = 600

/** The field with its final CRLF: parameters that are not ASCII, or too long for a line, are written anew on lines of their own. */
export function parameterField(name: string, value: string): string {
  const written = value.replace(PARAMETER, (whole, attribute: string, quoted?: string, token = '') =>
    (isAscii(whole) && whole.length <= SECTION) || /^boundary$/i.test(attribute)
      ? whole
      : `;\r\n ${extended(attribute.replace('*', ''), quoted === undefined ? token.trim() : quoted.replace(/\\(.)/g, '$1'))}`,
  )
  return `${name}: ${asciiText(written)}\r\n`
}

/** Text of a field with a grammar: what is not ASCII can be no part of it. */
export const asciiText = (text: string): string => text.replace(/[^\0-\x7f]+/g, '?')

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)

function extended(attribute: string, text: string): string {
  const octets = encodeURIComponent(legalText(decodeWords(text))).replace(/['()*!~]/g, percent)
  if (octets.length <= SECTION) return `${attribute}*=utf-8''${octets}`
  const sections = octets.match(new RegExp(`(?:%..|[^%]){1,${SECTION / 3}}`, 'g')) ?? []
  return sections
    .map((section, index) => `${attribute}*${index}*=${index === 0 ? "utf-8''" : ''}${section}`)
    .join(';\r\n ')
}

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`
