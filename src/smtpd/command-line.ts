// Checks the form of a command line: length, characters and command name.

import { isUtf8 } from 'node:buffer'
import type { Reply } from '../model/reply.ts'
import { replyWith } from './replies.ts'

/** Maximum length of an AUTH command line, and of a response to an AUTH challenge (RFC 4954 §4). */
export const MAX_LINE = 12_288

/** The first byte of a TLS record that begins a handshake (RFC 8446 §5.1); no SMTP command begins with this byte. */
export const TLS_HANDSHAKE = 0x16

/** Maximum length of a command line, including the CRLF (RFC 5321 §4.5.3.1.4). */
const PLAIN_LINE = 512
// Extensions add to the maximum length of MAIL (RFC 1870 §4, RFC 6152 §2, RFC 6531 §3.4, RFC 4954 §5).
const MAIL_LINE = PLAIN_LINE + 26 + 17 + 10 + 500
/** Length of the CRLF, which the parsed line no longer contains. */
const LINE_END = 2

export const BARE_NEWLINE = replyWith(
  500,
  '5.5.2',
  'A line ends in CRLF, not in LF alone; closing the connection',
)
export const TOO_LONG = replyWith(500, '5.5.6', 'Line too long')
const CONTROL = replyWith(500, '5.5.2', 'The line contains a control character')
const NOT_UTF8 = replyWith(501, '5.5.2', 'The line is not UTF-8')
const OTHER_PROTOCOL = replyWith(421, '4.7.0', 'This is an SMTP server')
const TLS_TOO_SOON = replyWith(421, '4.7.0', 'This port begins in plain text; send STARTTLS first')

/** Returns the command's name in upper case; empty if the line has no name. */
export function verbOf(line: Buffer): string {
  return /^[A-Za-z]*/.exec(line.toString('latin1', 0, 16))![0].toUpperCase()
}

/**
 * Returns the reply to a malformed line; undefined for any other line. `continued` is true for a response to an AUTH
 * challenge.
 */
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
