// The form of a command line: its length, its characters, the command's name.

import { isUtf8 } from 'node:buffer'
import type { Reply } from '../model/reply.ts'
import { replyWith } from './replies.ts'

/** The longest command line: AUTH and the responses to its challenges (RFC 4954 §4). */
export const MAX_LINE = 12_288

/** The first byte of a TLS record that begins a handshake (RFC 8446 §5.1); no command begins with it. */
export const TLS_HANDSHAKE = 0x16

/** RFC 5321 §4.5.3.1.4, with the CRLF. */
const PLAIN_LINE = 512
// RFC 1870 §4, RFC 6152 §2, RFC 6531 §3.4 and RFC 4954 §5 each add to MAIL.
const MAIL_LINE = PLAIN_LINE + 26 + 17 + 10 + 500
/** Length of the CRLF, which the parsed line no longer contains. */
const LINE_END = 2

export const BARE_NEWLINE = replyWith(
  500,
  '5.5.2',
  'A line ends in CRLF, not in LF alone; closing the connection',
)
export const TOO_LONG = replyWith(500, '5.5.6', 'Line too long')
const CONTROL = replyWith(500, '5.5.2', 'A control character is in the line')
const NOT_UTF8 = replyWith(501, '5.5.2', 'The line is not UTF-8')
const OTHER_PROTOCOL = replyWith(421, '4.7.0', 'This is an SMTP server')
const TLS_TOO_SOON = replyWith(421, '4.7.0', 'This port begins in plain text; send STARTTLS first')

/** Returns the command's name in upper case; empty when the line has none. */
export function verbOf(line: Buffer): string {
  return /^[A-Za-z]*/.exec(line.toString('latin1', 0, 16))![0].toUpperCase()
}

/** Returns the fault in the form of a line, if it has one. `continued`: the line responds to a challenge of AUTH. */
export function faultOf(line: Buffer, verb: string, continued: boolean): Reply | undefined {
  if (line[0] === TLS_HANDSHAKE) return TLS_TOO_SOON
  if (line.length > longest(verb, continued)) return TOO_LONG
  const text = line.toString('latin1')
  if (/[\0-\x1f\x7f]/.test(text)) return CONTROL
  if (!isUtf8(line)) return NOT_UTF8
  if (!continued && /^(?:[A-Z]+ \S+ HTTP\/\d|PROXY )/i.test(text)) return OTHER_PROTOCOL
  return undefined
}

function longest(verb: string, continued: boolean): number {
  if (continued || verb === 'AUTH') return MAX_LINE
  return (verb === 'MAIL' ? MAIL_LINE : PLAIN_LINE) - LINE_END
}
