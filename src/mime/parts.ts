// Splits a message into leaf parts and decodes their text, in bounded time and memory for any bytes (RFC 2046 §5.1).

import { decodeBytes } from './charset.ts'
import { charsetIn, contentTypeValue, mediaTypeOf, partFieldsOf } from './part-fields.ts'
import { transferEncoding, withoutEncoding } from './transfer-decoding.ts'

/** A part that contains no other parts. */
export interface LeafPart {
  /**
   * Header section of the part, without the empty line; header section of the message if the message has only this
   * part.
   */
  readonly head: Buffer
  /** Bytes of the body, still in their transfer encoding. */
  readonly body: Buffer
  /** The media type in lower case, without parameters; text/plain if the part has no Content-Type (RFC 2045 §5.2). */
  readonly type: string
  /** `itself`: an alternative of a multipart/alternative (RFC 2046 §5.1.4); `within`: a part of such an alternative. */
  readonly alternative: 'itself' | 'within' | undefined
  /** The multiparts around the part, outermost first. */
  readonly within: readonly Enclosure[]
}

/** A multipart around a part, and the place of the part in it. */
export interface Enclosure {
  readonly multipart: {
    /** The media type in lower case, without parameters. */
    readonly type: string
    /** True if a part of the multipart has the Content-ID that the `start` parameter names (RFC 2387 §3.2). */
    readonly isStartFound: boolean
  }
  /** Index, from 0, of the child of the multipart that is or contains this part. */
  readonly index: number
  /** True if `start` names the child at `index`. */
  readonly isStart: boolean
}

export interface MessageParts {
  readonly head: Buffer
  readonly leaves: readonly LeafPart[]
  /** True if a part is a multipart/signed, whose bytes must not change (RFC 1847 §2.1). */
  readonly isSigned: boolean
  /** True if a limit was reached: the rest of the message is part of the last leaf, or missing. */
  readonly incomplete: boolean
}

/**
 * Maximum number of bytes read from the header section of the message. A longer header section is cut; the search for
 * the end of the header section covers `SOUGHT` times as many bytes.
 */
const MAX_HEAD = 256 * 1024
const MAX_PART_HEAD = 16 * 1024
const SOUGHT = 4
/** Maximum size of the header sections of all parts together, in bytes. */
const MAX_PART_HEADS = 1024 * 1024
const MAX_DEPTH = 30
const MAX_PARTS = 1000
/** Maximum number of lines that begin with `--` and may therefore be delimiters. */
const MAX_DELIMITERS = 10_000

interface Multipart {
  readonly isAlternative: boolean
  readonly delimiter: string
  readonly bodyStart: number
  /** The Content-ID of the root, if the `start` parameter names the root. */
  readonly start: string | undefined
  readonly shared: { readonly type: string; isStartFound: boolean }
  /** Index of the child that is being read. */
  index: number
  isStart: boolean
}

/** Reads the tree of parts from any bytes. Lines may end in CRLF or LF. Inner messages (message/rfc822) are leaves. */
export function splitParts(bytes: Buffer): MessageParts {
  return new Splitter(bytes).split()
}

class Splitter {
  readonly #bytes: Buffer
  readonly #leaves: LeafPart[] = []
  /** The multiparts that are open, outermost first. */
  readonly #open: Multipart[] = []
  /** The leaf part whose end is not known yet. */
  #leaf: (Omit<LeafPart, 'body'> & { readonly bodyStart: number }) | undefined
  #isSigned = false
  #incomplete = false
  #headBytes = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  split(): MessageParts {
    const bytes = this.#bytes
    const head = this.#begin(0)
    let seen = 0
    for (let at = nextDashes(bytes, 0); at >= 0 && this.#open.length > 0; at = nextDashes(bytes, at + 2)) {
      const tooMany = this.#leaves.length >= MAX_PARTS || this.#headBytes > MAX_PART_HEADS
      if (++seen > MAX_DELIMITERS || tooMany) {
        this.#incomplete = true
        break
      }
      this.#dashes(at)
    }
    this.#endLeaf(bytes.length)
    return { head, leaves: this.#leaves, isSigned: this.#isSigned, incomplete: this.#incomplete }
  }

  /** Starts a message or part: opens a multipart, or a leaf part for any other type. */
  #begin(from: number): Buffer {
    const most = from === 0 ? MAX_HEAD : MAX_PART_HEAD
    const [headEnd, bodyStart] = endOfHead(this.#bytes, from, SOUGHT * most)
    const head = this.#bytes.subarray(from, Math.min(headEnd, from + most))
    if (head.length < headEnd - from) this.#incomplete = true
    if (from > 0) this.#headBytes += head.length
    this.#nextPart(head)
    const { type, boundary, start } = contentType(head)
    if (boundary !== undefined && this.#open.length < MAX_DEPTH) {
      if (type === 'multipart/signed') this.#isSigned = true
      const isAlternative = type === 'multipart/alternative'
      const shared = { type, isStartFound: false }
      const delimiter = `--${boundary}`
      this.#open.push({ isAlternative, delimiter, bodyStart, start, shared, index: -1, isStart: false })
    } else {
      if (boundary !== undefined) this.#incomplete = true
      const within = this.#open.map(({ shared: multipart, index, isStart }) => ({
        multipart,
        index,
        isStart,
      }))
      this.#leaf = { head, type, bodyStart, alternative: this.#alternative(), within }
    }
    return head
  }

  /** Counts a part of the innermost open multipart. */
  #nextPart(head: Buffer): void {
    const parent = this.#open.at(-1)
    if (parent === undefined) return
    parent.index++
    parent.isStart = parent.start !== undefined && contentId(head) === parent.start
    parent.shared.isStartFound ||= parent.isStart
  }

  /** Returns how a part that begins here relates to the enclosing multipart/alternative. */
  #alternative(): LeafPart['alternative'] {
    if (this.#open.at(-1)?.isAlternative) return 'itself'
    return this.#open.some(({ isAlternative }) => isAlternative) ? 'within' : undefined
  }

  /** Handles a line that begins with two dashes at `at`: the delimiter of an open multipart, or ordinary text. */
  #dashes(at: number): void {
    const newline = this.#bytes.indexOf('\n', at)
    const end = newline < 0 ? this.#bytes.length : newline
    // A boundary has at most 70 characters, and white space may follow it (RFC 2046 §5.1.1).
    const line = this.#bytes.toString('latin1', at, Math.min(end, at + 500)).trimEnd()
    for (let level = this.#open.length - 1; level >= 0; level--) {
      const { delimiter, bodyStart } = this.#open[level]!
      const closes = line === `${delimiter}--`
      if (at < bodyStart || (line !== delimiter && !closes)) continue
      this.#endLeaf(at)
      this.#open.length = closes ? level : level + 1
      if (!closes) this.#begin(end + 1)
      return
    }
  }

  /** Ends the open leaf. The line end before a delimiter belongs to the delimiter. */
  #endLeaf(at: number): void {
    if (this.#leaf === undefined) return
    const { bodyStart, ...leaf } = this.#leaf
    this.#leaf = undefined
    const bytes = this.#bytes
    let end = at
    if (at < bytes.length && bytes[end - 1] === LF) end -= bytes[end - 2] === CR ? 2 : 1
    const body = bytes.subarray(bodyStart, Math.max(bodyStart, end))
    this.#leaves.push({ ...leaf, body })
  }
}

const LF = 10
const CR = 13
const DASH = 45

/** Returns the start of the next line from `from` on that begins with `--`; -1 if there is none. */
function nextDashes(bytes: Buffer, from: number): number {
  if (from === 0 && bytes[0] === DASH && bytes[1] === DASH) return 0
  const before = bytes.indexOf('\n--', Math.max(0, from - 1))
  return before < 0 ? -1 : before + 1
}

/** Finds the end of the header section and the start of the body. */
function endOfHead(bytes: Buffer, from: number, most: number): [headEnd: number, bodyStart: number] {
  for (let at = from; at < bytes.length; ) {
    if (bytes[at] === LF) return [at, at + 1]
    if (bytes[at] === CR && bytes[at + 1] === LF) return [at, at + 2]
    const newline = bytes.indexOf(LF, at)
    if (newline < 0 || newline - from > most) break
    at = newline + 1
  }
  return [bytes.length, bytes.length]
}

/**
 * The `boundary` parameter; the semicolon before it may be missing. Quoted-pairs are not decoded, since no legal
 * character of a boundary needs a quoted-pair.
 */
const BOUNDARY = /[;\s][ \t]*boundary[ \t]*=[ \t]*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i

const START = /[;\s][ \t]*start[ \t]*=[ \t]*"?<?([^\s";<>]{1,250})>?"?/i

const CONTENT_ID = /^content-id[ \t]*:(?:[ \t]|\r?\n[ \t]){0,80}<?([^\s<>]{1,250})>?/im

/** Returns the Content-ID of a header section, without angle brackets. */
export const contentId = (head: Buffer): string | undefined => CONTENT_ID.exec(head.toString('latin1'))?.[1]

/**
 * Reads the Content-Type of a header section. An unreadable value means text/plain (RFC 2045 §5.2), unless the part
 * has a file name.
 */
function contentType(head: Buffer): {
  type: string
  boundary: string | undefined
  start?: string | undefined
} {
  const value = contentTypeValue(head)
  const type = value === undefined ? 'text/plain' : mediaTypeOf(value)
  if (type === undefined) {
    const isNamed = partFieldsOf(head).fileName !== undefined
    return { type: isNamed ? 'application/octet-stream' : 'text/plain', boundary: undefined }
  }
  if (!type.startsWith('multipart/')) return { type, boundary: undefined }
  const found = BOUNDARY.exec(value ?? '')
  const boundary = (found?.[1] ?? found?.[2])?.trimEnd()
  const start = type === 'multipart/related' ? START.exec(value ?? '')?.[1] : undefined
  return { type, boundary: boundary === '' ? undefined : boundary, start }
}

/**
 * True for a multipart without a boundary: such a part may be shown as text but not changed, since mail clients differ
 * on its content.
 */
export const lacksBoundary = (type: string, head: Buffer): boolean =>
  type.startsWith('multipart/') && !BOUNDARY.test(contentTypeValue(head) ?? '')

/** Decodes at most `most` bytes of a part to text (`decodeBytes`). Never throws, and runs in linear time. */
export function leafText({ head, body }: LeafPart, most: number): string {
  const label = charsetIn(contentTypeValue(head) ?? '')
  return decodeBytes(leafBytes({ head, body: body.subarray(0, most) }), label)
}

/** Decodes the transfer encoding of a part. Never throws, and runs in linear time. */
export function leafBytes({ head, body }: Pick<LeafPart, 'head' | 'body'>): Buffer {
  return withoutEncoding(body, transferEncoding(head))
}
