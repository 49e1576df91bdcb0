// Reads and unfolds the fields of a header section with any bytes, for display.

import { decodeHeaderBytes, isLegacyCharset } from './charset.ts'
import { charsetIn, contentTypeValue } from './part-fields.ts'

/** Name and value of a field, without surrounding white space; encoded-words stay encoded. */
export type ShownField = readonly [name: string, value: string]

const LF = 10
const CR = 13
const SPACE = 32
const TAB = 9

/**
 * Returns all fields from top to bottom (RFC 5322 §2.2.3). A line without a colon is a field without a value. Bytes
 * that are not UTF-8 are decoded in the charset that the section names for the body, otherwise as Windows-1252. Runs in
 * linear time.
 */
export function shownFields(head: Buffer): ShownField[] {
  const label = charsetIn(contentTypeValue(head) ?? '')
  const bodyLabel = label !== undefined && isLegacyCharset(label) ? label : undefined
  const fields: ShownField[] = []
  for (let at = 0; at < head.length; ) {
    const end = endOfField(head, at)
    fields.push(fieldOf(decodeHeaderBytes(head.subarray(at, end), bodyLabel)))
    at = end
  }
  return fields
}

/** Returns the start of the next line that is not a continuation (only SP and TAB continue a field). */
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

/**
 * Removes spaces and tabs at both ends. Other white space stays, since a name without its white space could equal the
 * name of another field.
 */
function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
