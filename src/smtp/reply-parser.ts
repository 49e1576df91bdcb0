// Parses the SMTP replies of another host from the received bytes, with limits on their size.

import type { Reply } from '../model/reply.ts'

/** A reply, and the text of each line after the code and the separator (each EHLO keyword is such a line). */
export interface ParsedReply {
  readonly reply: Reply
  readonly lines: readonly string[]
}

/** Maximum number of bytes of one reply line, without the line end; RFC 5321 §4.5.3.1.5 allows 512. */
const MAX_LINE = 2048
/** Maximum number of bytes of one reply with all lines. */
const MAX_REPLY = 64 * 1024
/** Maximum number of characters of `Reply.text`. */
const MAX_TEXT = 2000

const NOTHING = Buffer.alloc(0)
const LF = 10
const CR = 13
const SPACE = 32
const HYPHEN = 45

/**
 * Takes chunks as they arrive (`push`) and returns whole replies (`take`). Work is linear in the received bytes, and
 * memory is bounded by one reply. Bytes that are no reply, or a reply that is too long, set `problem`; the parser then
 * returns no further reply.
 */
export class ReplyParser {
  /** Reason why the received bytes are not SMTP, as soon as the reason is known. */
  problem: string | undefined
  #bytes: Buffer = NOTHING
  #at = 0
  #code = 0
  #lines: string[] = []
  #size = 0

  /** True if neither bytes nor an unfinished reply are left. */
  get isEmpty(): boolean {
    return this.#at === this.#bytes.length && this.#lines.length === 0
  }

  push(chunk: Buffer): void {
    const rest = this.#bytes.length - this.#at
    this.#bytes = rest === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#at), chunk])
    this.#at = 0
  }

  /** Returns the next complete reply; undefined until a reply is complete. */
  take(): ParsedReply | undefined {
    while (this.problem === undefined) {
      const end = this.#bytes.indexOf(LF, this.#at)
      const length = (end < 0 ? this.#bytes.length : end) - this.#at
      if (length > MAX_LINE + 1) this.problem = `a reply line of more than ${MAX_LINE} bytes`
      else if (this.#size + length > MAX_REPLY) this.problem = `a reply of more than ${MAX_REPLY} bytes`
      else if (end < 0) return undefined
      else if (this.#takeLine(this.#at, end)) return this.#finish()
    }
    return undefined
  }

  /** Reads the line between `start` and `end` (its LF); returns true when the line is the last of its reply. */
  #takeLine(start: number, end: number): boolean {
    const bytes = this.#bytes
    this.#at = end + 1
    this.#size += end + 1 - start
    // RFC 5321 §2.3.8 requires CRLF at line ends; a bare LF is accepted as well.
    const stop = end > start && bytes[end - 1] === CR ? end - 1 : end
    const code = readCode(bytes, start, stop)
    if (code === 0) {
      this.problem = 'a line that does not begin with a reply code'
      return false
    }
    if (this.#lines.length > 0 && code !== this.#code) {
      this.problem = `a reply whose lines disagree: ${this.#code} and ${code}` // RFC 5321 §4.2.1
      return false
    }
    const separator = stop - start === 3 ? SPACE : bytes[start + 3]
    if (separator !== SPACE && separator !== HYPHEN) {
      this.problem = 'a reply code that is not followed by a space or a hyphen'
      return false
    }
    this.#code = code
    this.#lines.push(bytes.toString('utf8', Math.min(start + 4, stop), stop))
    return separator === SPACE
  }

  #finish(): ParsedReply {
    const lines = this.#lines.map(printable)
    this.#lines = []
    this.#size = 0
    return { reply: makeReply(this.#code, lines), lines }
  }
}

/** Returns the three-digit code at `start`, 200–599; 0 when there is none (RFC 5321 §4.2). */
function readCode(bytes: Buffer, start: number, stop: number): number {
  if (stop - start < 3) return 0
  const a = bytes[start]! - 48
  const b = bytes[start + 1]! - 48
  const c = bytes[start + 2]! - 48
  if (a < 2 || a > 5 || b < 0 || b > 9 || c < 0 || c > 9) return 0
  return a * 100 + b * 10 + c
}

const ENHANCED = /^([245])\.(\d{1,3})\.(\d{1,3})(?:\s+|$)/

function makeReply(code: number, lines: readonly string[]): Reply {
  let enhanced: string | undefined
  const texts = lines.map((line) => {
    // Every line repeats the enhanced code, whose class equals the class of the reply code (RFC 2034 §4).
    const match = ENHANCED.exec(line)
    if (match === null || Number(match[1]) !== Math.trunc(code / 100)) return line
    enhanced ??= `${match[1]}.${match[2]}.${match[3]}`
    return line.slice(match[0].length)
  })
  const text = shorten(texts.length === 1 ? texts[0]!.trim() : texts.join(' ').trim())
  return enhanced === undefined ? { code, text } : { code, enhanced, text }
}

const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/
const EVERY_UNPRINTABLE = new RegExp(UNPRINTABLE, 'g')

/**
 * Replaces control characters, line separators and characters that change the writing direction; a tab becomes a space.
 */
function printable(text: string): string {
  if (!UNPRINTABLE.test(text)) return text
  return text.replace(EVERY_UNPRINTABLE, (character) => (character === '\t' ? ' ' : '\ufffd'))
}

/** Cuts a text to `MAX_TEXT` UTF-16 code units; replaces half of a surrogate pair at the end. */
function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT).toWellFormed()
}
