// The fields of a header section as they are shown: unfolded, in a text of any bytes.

import { decodeHeaderOctets, isLegacyCharset } from './charset.ts'
import { charsetIn, contentTypeValue } from './part-fields.ts'

/** Name and value of a field, without the white space around them; encoded-words as they are. */
export type ShownField = readonly [name: string, value: string]

const LF = 10
const CR = 13
const SPACE = 32
const TAB = 9

/**
 * All fields from top to bottom (RFC 5322 §2.2.3). A line without a colon is a field without a value. What is not UTF-8 is read in
 * the charset that the section names for the body, else as Windows-1252. Linear.
 */
export function shownFields(head: Buffer): ShownField[] {
  const label = charsetIn(contentTypeValue(head) ?? '')
  const bodyLabel = label !== undefined && isLegacyCharset(label) ? label : undefined
  const fields: ShownField[] = []
  for (let at = 0; at < head.length; ) {
    const end = endOfField(head, at)
    fields.push(fieldOf(decodeHeaderOctets(head.subarray(at, end), bodyLabel)))
    at = end
  }
  return fields
}

/** The start of the next line that is not folded (only SP and TAB fold). */
function endOfField(head: Buffer, from: number): number {
  for (let at = from; ; ) {
    const newline = head.indexOf(LF, at)
    if (newline < 0) return head.length
    at = newline + 1
    if (head[at] !== SPACE && head[at] !== TAB) return at
  }
}

function fieldOf(written: string): ShownField {
  const line = written.replace(/\r?\n/g, '')
  const colon = line.indexOf(':')
  if (colon < 0) return [trimmed(line), '']
  return [trimmed(line.slice(0, colon)), trimmed(line.slice(colon + 1).replaceAll('\r', ' '))]
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB || code === CR

/** The text without blanks at the ends; other white space stays, so that it makes no name another one. */
function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
