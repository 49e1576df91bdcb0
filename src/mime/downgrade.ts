// Converts a message for hosts without 8BITMIME or SMTPUTF8: no bytes over 127 in the body or in the header.

import { isAscii } from 'node:buffer'
import { type ComposedMessage, type HeaderField, messageChunks } from '../model/composed-message.ts'
import { asciiAddressField } from './address-field.ts'
import { base64Length, base64Lines } from './base64-lines.ts'
import { textField } from './header-field.ts'
import { type LeafPart, splitParts } from './parts.ts'
import { quotedPrintable } from './quoted-printable.ts'
import { isRawMessage, parseRawMessage } from './raw-message.ts'
import { applied, type ByteEdit } from './replace-bodies.ts'
import { withLineEnd } from './rewrite.ts'

/** An SMTP extension that a host may lack: SMTPUTF8 (RFC 6531) or 8BITMIME (RFC 6152). */
export type LackedExtension = 'smtputf8' | 'eight-bit'

/**
 * Converts a message for a host that lacks these extensions. Returns the message itself if it needs none of the
 * extensions; undefined if the message cannot be converted.
 */
export function downgraded(
  message: ComposedMessage,
  lacking: readonly LackedExtension[],
): ComposedMessage | undefined {
  let form: ComposedMessage | undefined = message
  for (const one of lacking) if (form && needs(form, one)) form = DOWNGRADES[one](form)
  return form
}

/** True if a host needs this extension to accept the message. */
export const needs = (
  { needs8Bit, needsSmtpUtf8 }: Pick<ComposedMessage, 'needs8Bit' | 'needsSmtpUtf8'>,
  extension: LackedExtension,
): boolean => (extension === 'eight-bit' ? needs8Bit : needsSmtpUtf8)

/** Maximum depth of nested messages; a message with 8-bit bytes at a greater depth is not converted. */
const MAX_DEPTH = 5

/**
 * Encodes the 8-bit parts of a message in quoted-printable or base64 (RFC 6152 §3). Returns undefined if a part is
 * signed, if the message cannot be split into parts reliably, or if 8-bit bytes occur where no encoding is possible.
 */
export function toSevenBit(message: ComposedMessage): ComposedMessage | undefined {
  const converted = convert(Buffer.concat(messageChunks(message)), 0)
  if (converted === undefined) return undefined
  const parsed = parseRawMessage(converted)
  if (!isRawMessage(parsed) || parsed.has8Bit) return undefined
  return { ...message, headers: parsed.fields, body: withLineEnd(parsed.body), needs8Bit: false }
}

function convert(whole: Buffer, depth: number): Buffer | undefined {
  const { leaves, isSigned, incomplete } = splitParts(whole)
  if (incomplete || isSigned) return undefined
  const edits: ByteEdit[] = []
  for (const leaf of leaves) {
    if (isAscii(leaf.body)) continue
    const edited = leaf.type === 'message/rfc822' ? convertInner(leaf, depth) : encodeLeaf(leaf)
    if (edited === undefined) return undefined
    const at = (part: Buffer): number => part.byteOffset - whole.byteOffset
    const { head: newHead, body } = edited
    edits.push({ from: at(leaf.head), to: at(leaf.head) + leaf.head.length, by: newHead })
    edits.push({ from: at(leaf.body), to: at(leaf.body) + leaf.body.length, by: body })
  }
  return applied(whole, edits)
}

/** The new bytes of a part. */
export interface Edited {
  readonly head: Buffer
  readonly body: Buffer
}

/** Converts a nested message; only the parts of a nested message may be encoded (RFC 2046 §5.2.1). */
function convertInner({ head, body }: LeafPart, depth: number): Edited | undefined {
  const inner = depth < MAX_DEPTH ? convert(body, depth + 1) : undefined
  if (inner === undefined) return undefined
  const newHead = withEncoding(head, '7bit')
  return newHead && { head: newHead, body: inner }
}

/**
 * Encodes a part: text in quoted-printable if the result has at most `most` bytes, and any other content in base64.
 * Returns undefined if the header section already names quoted-printable or base64, or names two transfer encodings.
 */
export function encodeLeaf(
  { head, body, type }: Pick<LeafPart, 'head' | 'body' | 'type'>,
  most = base64Length(body.length),
): Edited | undefined {
  const quoted = type.startsWith('text/') ? quotedPrintable(body, most) : undefined
  const newHead = withEncoding(head, quoted === undefined ? 'base64' : 'quoted-printable')
  return newHead && { head: newHead, body: quoted ?? base64Lines(body) }
}

const ENCODING_FIELD = /^content-transfer-encoding[ \t]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*/gim

/** Returns the header section with this transfer encoding; undefined if the part is already encoded. */
function withEncoding(head: Buffer, encoding: string): Buffer | undefined {
  const text = head.toString('latin1')
  const given = text.match(ENCODING_FIELD) ?? []
  if (given.length > 1 || /quoted-printable|base64/i.test(given[0] ?? '')) return undefined
  const field = `Content-Transfer-Encoding: ${encoding}\r\n`
  return Buffer.from(given.length === 0 ? text + field : text.replace(ENCODING_FIELD, field), 'latin1')
}

/** Fields in which a non-ASCII address may become the name of an empty group. */
const GROUPABLE = /^(?:(?:Resent-)?(?:To|Cc)|Reply-To)$/i
/** Fields that a message does not need: the value moves to a `Downgraded-…` field, which no program reads. */
const EXPENDABLE =
  /^(?:In-Reply-To|References|Received|Resent-(?:Date|Message-ID)|List-.*|ARC-.*|Authentication-Results)$/i
const NON_ASCII = /[\x80-\xff]/

/**
 * Converts the header to ASCII: non-ASCII addresses become the names of empty groups (RFC 6857 §3.1.8), and expendable
 * fields become `Downgraded-…` fields (§3.1.10). Returns undefined if any other field is non-ASCII, such as the
 * author's address or a field that controls how the message is read. Never throws.
 */
export function toAsciiHeader(message: ComposedMessage): ComposedMessage | undefined {
  const headers: HeaderField[] = []
  for (const field of message.headers) {
    const { name, raw } = field
    if (!NON_ASCII.test(raw)) headers.push(field)
    else if (GROUPABLE.test(name)) {
      const ascii = asciiAddressField(name, fieldValue(field), false)
      if (ascii !== undefined) headers.push({ name, raw: ascii })
    } else if (EXPENDABLE.test(name)) {
      headers.push({ name: `Downgraded-${name}`, raw: textField(`Downgraded-${name}`, fieldValue(field)) })
    } else return undefined
  }
  return { ...message, headers, needsSmtpUtf8: false }
}

const fieldValue = ({ name, raw }: HeaderField): string =>
  Buffer.from(raw.slice(name.length + 1), 'latin1')
    .toString('utf8')
    .replaceAll('\r\n', '')
    .trim()

const DOWNGRADES = { 'eight-bit': toSevenBit, smtputf8: toAsciiHeader } as const
