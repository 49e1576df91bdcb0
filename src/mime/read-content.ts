// Reads the content of a message back from its bytes, to be shown.

import PostalMime, { type Email } from 'postal-mime'
import { decodeWords } from './encoded-word.ts'
import { flowOf, unflowed, withoutFlow } from './flowed-text.ts'
import {
  contentTypeValue,
  decodableHead,
  type LeafPart,
  leafOctets,
  splitParts,
  transferEncoding,
} from './parts.ts'
import { parseMailboxList, type WrittenMailbox } from './read-mailboxes.ts'

/** A file or inline part. */
export interface AttachmentSummary {
  readonly filename: string | undefined
  /** As the message says, in lower case: never answer a browser with it. */
  readonly contentType: string
  /** Bytes, decoded. */
  readonly size: number
  /** Without angle brackets. */
  readonly contentId: string | undefined
  readonly inline: boolean
  /** Decoded; left out unless it is asked for. */
  readonly content?: Buffer
  /** The media type with its parameters, as the message says; with the content. */
  readonly fullType?: string | undefined
  /** Left out unless it is asked for. */
  readonly place?: AttachmentPlace
}

/** Place of a part's body in the message: first byte, the byte behind the last, and its transfer encoding. */
interface AttachmentPlace {
  readonly start: number
  readonly end: number
  readonly encoding: string
}

/** For showing only: nothing here has been checked, and `html` is the sender's. */
export interface ReadContent {
  /** Decoded, on one line; empty if there is none. */
  readonly subject: string
  readonly from: readonly WrittenMailbox[]
  readonly to: readonly WrittenMailbox[]
  readonly cc: readonly WrittenMailbox[]
  readonly replyTo: readonly WrittenMailbox[]
  /** All fields from top to bottom, unfolded, not decoded. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text: string | undefined
  readonly html: string | undefined
  readonly attachments: readonly AttachmentSummary[]
  /** There was more than anyone would read: parts were left out, or texts cut. */
  readonly incomplete: boolean
}

/** Limits of reading over all header sections and texts; postal-mime goes line by line, and more would take seconds. */
const MAX_OCTETS = 2 * 1024 * 1024
const MAX_LINES = 20_000

/**
 * Reads a whole message, of bytes that need not be a valid one, in bounded time. postal-mime gets its header
 * sections and text parts one at a time: given the whole of a hostile one it runs for minutes (tags in a 20 MB
 * HTML part) or out of memory (a line costs it 500 bytes).
 *
 * @param files whether the content of files is wanted too, or their places in the message
 */
export async function readContent(bytes: Buffer, files?: 'content' | 'place'): Promise<ReadContent> {
  const { head, leaves, incomplete } = splitParts(bytes)
  const budget = new Budget(incomplete)
  const { headers } = await parse(budget.take(head), EMPTY)
  let text: string | undefined
  let html: string | undefined
  const attachments: AttachmentSummary[] = []
  for (const leaf of leaves) {
    const leafHead = leaf.head === head ? head : budget.take(leaf.head)
    const isAttached = isFile(leaf.type, leafHead)
    const body = isAttached ? EMPTY : budget.take(leaf.body)
    const flow = isAttached ? undefined : flowOf(leafHead)
    const part = await parse(isAttached ? leafHead : readableHead({ head: leafHead, body }), body)
    if (part.text !== undefined)
      text = joined(text, flow === undefined ? part.text : unflowed(part.text, flow))
    if (part.html !== undefined) html = joined(html, part.html)
    for (const attachment of part.attachments) {
      const content =
        files === 'content' ? { content: leafOctets(leaf), fullType: contentTypeValue(leafHead) } : {}
      const place = files === 'place' ? { place: placeOf(leaf, bytes) } : {}
      attachments.push({ ...summary(leaf, attachment), ...content, ...place })
    }
  }

  const values = (key: string) => headers.filter((field) => field.key === key).map((field) => field.value)
  const mailboxes = (key: string) => values(key).flatMap(parseMailboxList)
  return {
    subject: decodeWords(values('subject')[0] ?? ''),
    from: mailboxes('from'),
    to: mailboxes('to'),
    cc: mailboxes('cc'),
    replyTo: mailboxes('reply-to'),
    headers: headers.map((field) => [field.originalKey, field.value]),
    text,
    html,
    attachments,
    incomplete: budget.incomplete,
  }
}

const EMPTY = Buffer.alloc(0)

/** The header section of a text as postal-mime can read it: it would join an answer to what it quotes. */
const readableHead = (part: Pick<LeafPart, 'head' | 'body'>): Buffer => withoutFlow(decodableHead(part))

const IS_ATTACHED = /^content-disposition:[ \t\r\n]*attachment/im

/** True for a part that is a file, also where it holds text. */
const isFile = (type: string, head: Buffer): boolean =>
  !type.startsWith('text/') || IS_ATTACHED.test(head.toString('latin1'))

/** Bytes and lines that may still be read. */
class Budget {
  incomplete: boolean
  #octets = MAX_OCTETS
  #lines = MAX_LINES

  constructor(incomplete: boolean) {
    this.incomplete = incomplete
  }

  /** As much of these lines as is left. */
  take(lines: Buffer): Buffer {
    const most = Math.min(lines.length, this.#octets)
    let end = 0
    while (end < most && this.#lines > 0) {
      const newline = lines.indexOf('\n', end)
      end = newline < 0 || newline >= most ? most : newline + 1
      this.#lines--
    }
    this.#octets -= end
    if (end < lines.length) this.incomplete = true
    return lines.subarray(0, end)
  }
}

function parse(head: Buffer, body: Buffer): Promise<Email> {
  const separator = head.length === 0 || head.at(-1) === 10 ? '\r\n' : '\r\n\r\n'
  const message = Buffer.concat([head, Buffer.from(separator), body])
  return PostalMime.parse(message, { forceRfc822Attachments: true })
}

function joined(before: string | undefined, text: string): string {
  return before === undefined ? text : `${before}\n${text}`
}

function summary(leaf: LeafPart, attachment: Email['attachments'][number]): AttachmentSummary {
  return {
    filename: attachment.filename ?? undefined,
    contentType: attachment.mimeType,
    size: decodedSize(leaf),
    contentId: attachment.contentId?.replace(/^<|>$/g, ''),
    inline: attachment.disposition !== 'attachment' && attachment.contentId !== undefined,
  }
}

function placeOf({ head, body }: LeafPart, bytes: Buffer): AttachmentPlace {
  const start = body.byteOffset - bytes.byteOffset
  return { start, end: start + body.length, encoding: transferEncoding(head) ?? '7bit' }
}

function decodedSize({ head, body }: LeafPart): number {
  const encoding = transferEncoding(head)
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64').length
  if (encoding !== 'quoted-printable') return body.length
  let size = body.length
  for (const [code] of body.toString('latin1').matchAll(/=(?:[0-9A-Fa-f]{2}|\r?\n)/g)) {
    size -= code.endsWith('\n') ? code.length : 2
  }
  return size
}
