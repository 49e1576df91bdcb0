// A message in a form that older hosts can take: without octets over 127 in its body, or in its header.

import { isAscii } from 'node:buffer'
import { type ComposedMessage, type HeaderField, messageChunks } from '../model/composed-message.ts'
import { base64Length, base64Lines } from './base64-lines.ts'
import { encodedWords } from './encoded-word.ts'
import { mailboxField } from './mailbox-field.ts'
import { type LeafPart, splitParts } from './parts.ts'
import { quotedPrintable } from './quoted-printable.ts'
import { isRawMessage, parseRawMessage } from './raw-message.ts'
import { parseMailboxList } from './read-mailboxes.ts'
import { withLineEnd } from './rewrite.ts'

/** Messages within messages; beyond them nobody looks. */
const MOST_DEPTH = 5

/**
 * The message with its 8-bit parts in quoted-printable or base64 (RFC 6152 §3). Undefined when that would not be the
 * same message any more: it is signed within, its parts cannot be told apart, or octets stand where no encoding is.
 */
export function toSevenBit(message: ComposedMessage): ComposedMessage | undefined {
  const converted = convert(Buffer.concat(messageChunks(message)), 0)
  if (converted === undefined) return undefined
  const parsed = parseRawMessage(converted)
  if (!isRawMessage(parsed) || parsed.has8Bit) return undefined
  return { ...message, headers: parsed.fields, body: withLineEnd(parsed.body), needs8Bit: false }
}

/** One replacement in the octets of a message. */
interface Edit {
  readonly from: number
  readonly to: number
  readonly by: Buffer
}

function convert(whole: Buffer, depth: number): Buffer | undefined {
  const { head, leaves, incomplete } = splitParts(whole)
  // RFC 1847 §2.1: what is signed is the octets.
  if (incomplete || /^content-type[ \t]*:[ \t\r\n]*multipart\/signed/im.test(head.toString('latin1'))) {
    return undefined
  }
  const edits: Edit[] = []
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

interface Edited {
  readonly head: Buffer
  readonly body: Buffer
}

/** RFC 2046 §5.2.1: a message within a message may not be encoded, only its parts. */
function convertInner({ head, body }: LeafPart, depth: number): Edited | undefined {
  const inner = depth < MOST_DEPTH ? convert(body, depth + 1) : undefined
  if (inner === undefined) return undefined
  const newHead = withEncoding(head, '7bit')
  return newHead && { head: newHead, body: inner }
}

function encodeLeaf({ head, body, type }: LeafPart): Edited | undefined {
  const limit = base64Length(body.length)
  const quoted = type.startsWith('text/') ? quotedPrintable(body, limit) : undefined
  const newHead = withEncoding(head, quoted === undefined ? 'base64' : 'quoted-printable')
  return newHead && { head: newHead, body: quoted ?? base64Lines(body) }
}

const ENCODING_FIELD = /^content-transfer-encoding[ \t]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*/gim

/** The header section with this transfer encoding; undefined when it says already that the part is encoded. */
function withEncoding(head: Buffer, encoding: string): Buffer | undefined {
  const text = head.toString('latin1')
  const given = text.match(ENCODING_FIELD) ?? []
  if (given.length > 1 || /quoted-printable|base64/i.test(given[0] ?? '')) return undefined
  const field = `Content-Transfer-Encoding: ${encoding}\r\n`
  return Buffer.from(given[0] === undefined ? text + field : text.replace(given[0], field), 'latin1')
}

/** The octets with the edits made, which are in order and apart. */
function applied(whole: Buffer, edits: readonly Edit[]): Buffer {
  const pieces: Buffer[] = []
  let at = 0
  for (const { from, to, by } of edits) {
    pieces.push(whole.subarray(at, from), by)
    at = to
  }
  return Buffer.concat([...pieces, whole.subarray(at)])
}

/** Fields in which a non-ASCII address may be told without being one any more. */
const GROUPABLE = /^(?:(?:Resent-)?(?:To|Cc)|Reply-To)$/i
const NON_ASCII = /[\x80-\xff]/

/**
 * The message with an ASCII header: non-ASCII addresses become the names of empty groups (RFC 6857 §3.1.8), so that
 * they are shown and cannot be answered. Undefined when the author's address is such, or another field that has no
 * other form.
 */
export function toAsciiHeader(message: ComposedMessage): ComposedMessage | undefined {
  const headers: HeaderField[] = []
  for (const field of message.headers) {
    if (!NON_ASCII.test(field.raw)) headers.push(field)
    else if (GROUPABLE.test(field.name)) headers.push(inGroups(field))
    else return undefined
  }
  return { ...message, headers, needsSmtpUtf8: false }
}

function inGroups({ name, raw }: HeaderField): HeaderField {
  const value = Buffer.from(raw.slice(name.length + 1), 'latin1')
    .toString('utf8')
    .replaceAll('\r\n', '')
  const pieces = parseMailboxList(value).map((mailbox) => {
    if (isAscii(Buffer.from(mailbox.address))) {
      return mailboxField('', [{ email: mailbox.address, name: mailbox.name }])
        .slice(1)
        .trim()
    }
    const words = encodedWords(mailbox.name === '' ? mailbox.address : `${mailbox.name} <${mailbox.address}>`)
    return `${words.join('\r\n ')} :;`
  })
  return { name, raw: `${name}: ${pieces.join(',\r\n ')}\r\n` }
}
