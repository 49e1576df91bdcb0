// Reads the content of a message from its bytes, for display.

import { decodeBytes, decodeHeaderBytes, isLegacyCharset } from './charset.ts'
import { decodeWords } from './encoded-word.ts'
import { flowOf, unflowed } from './flowed-text.ts'
import { charsetIn, contentTypeValue, partFieldsOf } from './part-fields.ts'
import { type LeafPart, lacksBoundary, leafBytes, splitParts } from './parts.ts'
import { parseMailboxList, type WrittenMailbox } from './read-mailboxes.ts'
import { decodedSize, transferEncoding } from './transfer-decoding.ts'

/** Name and value of a field, without surrounding white space; encoded-words stay encoded. */
type ShownField = readonly [name: string, value: string]

/** A file or inline part. */
export interface AttachmentSummary {
  readonly filename: string | undefined
  /** Media type that the message declares, in lower case; unsafe as the Content-Type of an HTTP response. */
  readonly contentType: string
  /** Number of bytes of the decoded content. */
  readonly size: number
  /** Content-ID without angle brackets. */
  readonly contentId: string | undefined
  readonly inline: boolean
  /** Decoded content; left out unless requested. */
  readonly content?: Buffer
  /** The media type with its parameters, as declared; present together with the content. */
  readonly fullType?: string | undefined
  /** Place of the body in the message; left out unless requested. */
  readonly place?: AttachmentPlace
}

/** Place of a part's body in the message: start and end as byte offsets, and the transfer encoding. */
interface AttachmentPlace {
  readonly start: number
  readonly end: number
  readonly encoding: string
}

/** Content for display only: nothing is checked, and `html` is the unchanged HTML of the sender. */
export interface ReadContent {
  /** Decoded subject on one line; empty if the field is missing. */
  readonly subject: string
  readonly from: readonly WrittenMailbox[]
  readonly to: readonly WrittenMailbox[]
  readonly cc: readonly WrittenMailbox[]
  readonly replyTo: readonly WrittenMailbox[]
  /** All fields from top to bottom, unfolded, not decoded. */
  readonly headers: readonly ShownField[]
  readonly text: string | undefined
  readonly html: string | undefined
  readonly attachments: readonly AttachmentSummary[]
  /** True if the message exceeds the limits: parts were left out, or texts were cut. */
  readonly incomplete: boolean
}

/** Maximum size of all header sections and texts together, in bytes. */
const MAX_BYTES = 2 * 1024 * 1024
const MAX_LINES = 20_000

/**
 * Reads a whole message from any bytes, in bounded time.
 *
 * @param files `content` to return the content of files as well, `place` to return their places in the message
 */
export async function readContent(given: Buffer, files?: 'content' | 'place'): Promise<ReadContent> {
  const bytes = withLineFeeds(given)
  const { head, leaves, incomplete } = splitParts(bytes)
  const budget = new Budget(incomplete)
  const headers = shownFields(budget.take(head))
  let text: string | undefined
  let html: string | undefined
  const attachments: AttachmentSummary[] = []
  for (const leaf of leaves) {
    const leafHead = leaf.head === head ? head : budget.take(leaf.head)
    const type = lacksBoundary(leaf.type, leafHead) ? 'text/plain' : leaf.type
    if (isFile(type, leafHead) || !SHOWN.has(type)) {
      attachments.push(attachmentOf(leaf, leafHead, bytes, files))
      continue
    }
    const said = saidIn({ ...leaf, type, head: leafHead, body: budget.take(leaf.body) })
    if (type === 'text/html') html = joined(html, said)
    else text = joined(text, said)
  }

  const values = (key: string) =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === key ? [value] : []))
  const mailboxes = (key: string) => values(key).flatMap(parseMailboxList)
  return {
    subject: decodeWords(values('subject')[0] ?? ''),
    from: mailboxes('from'),
    to: mailboxes('to'),
    cc: mailboxes('cc'),
    replyTo: mailboxes('reply-to'),
    headers,
    text,
    html,
    attachments,
    incomplete: budget.incomplete,
  }
}

const LF = 10
const CR = 13
const SPACE = 32
const TAB = 9
/** Number of leading bytes that are searched for a line end. */
const FIRST_LINE = 64 * 1024

/** Replaces each CR by LF, in place, if the lines end in CR alone. */
function withLineFeeds(bytes: Buffer): Buffer {
  const start = bytes.subarray(0, FIRST_LINE)
  if (start.includes(LF) || !start.includes(CR)) return bytes
  const lines = Buffer.from(bytes)
  for (let at = lines.indexOf(CR); at >= 0; at = lines.indexOf(CR, at + 1)) lines[at] = LF
  return lines
}

/**
 * Returns all fields from top to bottom (RFC 5322 §2.2.3). A line without a colon is a field without a value. Bytes
 * that are not UTF-8 are decoded in the charset that the section names for the body, otherwise as Windows-1252. Runs in
 * linear time.
 */
function shownFields(head: Buffer): ShownField[] {
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

const SHOWN: ReadonlySet<string> = new Set(['text/plain', 'text/html'])

/** True for a part that is a file, even if it contains text. */
const isFile = (type: string, head: Buffer): boolean =>
  !type.startsWith('text/') || partFieldsOf(head).disposition === 'attachment'

/** Decodes the text of a part. Every line of the result ends in LF, except for the last line of a part in base64. */
function saidIn(leaf: LeafPart): string {
  const bytes = leafBytes(leaf)
  const label = charsetIn(contentTypeValue(leaf.head) ?? '')
  const declared = label ?? (leaf.type === 'text/html' ? charsetOfHtml(bytes) : undefined)
  const text = decodeBytes(bytes, declared)
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
  const flow = leaf.type === 'text/html' ? undefined : flowOf(leaf.head)
  const lines = flow === undefined ? text : unflowed(text, flow)
  const isOpen = lines !== '' && !lines.endsWith('\n') && transferEncoding(leaf.head) !== 'base64'
  return isOpen ? `${lines}\n` : lines
}

/** Returns the charset that HTML declares (HTML §4.2.5.4: within the first 1024 bytes). */
const charsetOfHtml = (bytes: Buffer): string | undefined =>
  /<(?:meta|\?xml)\s[^>]{0,300}?(?:charset|encoding)\s{0,9}=\s{0,9}["']?([\w.:-]{2,40})/i.exec(
    bytes.toString('latin1', 0, 1024),
  )?.[1]

/** Limits how many bytes and lines are read. */
class Budget {
  incomplete: boolean
  #bytes = MAX_BYTES
  #lines = MAX_LINES

  constructor(incomplete: boolean) {
    this.incomplete = incomplete
  }

  /** Returns as many of these lines as the budget allows. */
  take(lines: Buffer): Buffer {
    const most = Math.min(lines.length, this.#bytes)
    let end = 0
    while (end < most && this.#lines > 0) {
      const newline = lines.indexOf('\n', end)
      end = newline < 0 || newline >= most ? most : newline + 1
      this.#lines--
    }
    this.#bytes -= end
    if (end < lines.length) this.incomplete = true
    return lines.subarray(0, end)
  }
}

function joined(before: string | undefined, text: string): string {
  return before === undefined ? text : `${before}\n${text}`
}

function attachmentOf(
  leaf: LeafPart,
  head: Buffer,
  bytes: Buffer,
  files: 'content' | 'place' | undefined,
): AttachmentSummary {
  const fields = partFieldsOf(head)
  const encoding = transferEncoding(leaf.head)
  const summary = {
    filename: fields.fileName,
    contentType: leaf.type,
    size: decodedSize(leaf.body, encoding),
    contentId: fields.contentId,
    inline: fields.disposition !== 'attachment' && fields.contentId !== undefined,
  }
  if (files === 'content') {
    return { ...summary, content: leafBytes(leaf), fullType: contentTypeValue(head) }
  }
  if (files === undefined) return summary
  const start = leaf.body.byteOffset - bytes.byteOffset
  return { ...summary, place: { start, end: start + leaf.body.length, encoding: encoding ?? '7bit' } }
}
