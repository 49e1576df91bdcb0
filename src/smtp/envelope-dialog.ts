// Sends the envelope (MAIL, RCPT and, unless BDAT is used, DATA), and reads the replies of the host.

import type { Envelope } from '../model/envelope.ts'
import type { Reply } from '../model/reply.ts'
import type { Extensions } from './extensions.ts'
import type { DataCommand, MessageData } from './message-data.ts'
import type { ParsedReply } from './reply-parser.ts'
import type { Timeouts } from './timeouts.ts'
import type { Wire } from './wire.ts'

/** The part of a connection that a transaction needs. */
export interface Dialog {
  readonly wire: Wire
  readonly extensions: Extensions
  readonly timeouts: Timeouts
  /** True if messages are sent by BDAT. */
  chunking: boolean
  /**
   * True once the newest transaction has been written completely, with or without replies, so that the next transaction
   * may follow.
   */
  allWritten: boolean
}

/** Commands that name the sender and the recipients of a transaction. */
interface AskedEnvelope {
  /** The MAIL command. */
  readonly mail: string
  /** The RCPT commands, in the order of the recipients. */
  readonly rcpt: readonly string[]
  /** True if RSET must precede MAIL, because the host still holds an envelope sender. */
  readonly resetFirst: boolean
}

/** A message and its envelope commands. */
export interface Transaction extends AskedEnvelope {
  readonly message: MessageData
  /** Called before the last bytes of the message are written; false ends the transaction with `WITHDRAWN`. */
  readonly mayEnd: () => boolean
}

/** Replies to an envelope; a reply is missing if its command was not sent, or if the reply did not arrive. */
export interface EnvelopeReplies {
  /** Reply to RSET; present only if RSET was sent. */
  readonly rset?: Reply
  readonly mail?: Reply
  /** One reply per recipient, in the order of the recipients. */
  readonly recipients: readonly (Reply | undefined)[]
  readonly data?: Reply
}

/** Returns the MAIL command with parameters for the extensions that this host offers (RFC 5321 §4.1.1.2). */
export function mailCommand(
  { from, id }: Envelope,
  message: MessageData,
  extensions: Extensions,
  smtpUtf8: boolean,
): string {
  let line = `MAIL FROM:<${from}>`
  if (extensions.sizeOffered) line += ` SIZE=${message.size}`
  if (message.needs8Bit) line += ' BODY=8BITMIME'
  if (smtpUtf8) line += ' SMTPUTF8'
  // The header suffices to recognise the message in a DSN (RFC 3461 §4.3, §4.4).
  if (id !== undefined && extensions.dsn) line += ` RET=HDRS ENVID=${xtext(id)}`
  return line
}

/** Returns the RCPT commands with parameters for the extensions that this host offers (RFC 5321 §4.1.1.3). */
export function rcptCommands({ recipients, id }: Envelope, extensions: Extensions): string[] {
  if (id === undefined || !extensions.dsn) return recipients.map((recipient) => `RCPT TO:<${recipient}>`)
  return recipients.map((recipient) => {
    // ORCPT is omitted for non-ASCII addresses, which need another form (RFC 6533 §3): the return path identifies the
    // recipient of a DSN.
    const original = /[^\x20-\x7e]/.test(recipient) ? '' : ` ORCPT=rfc822;${xtext(recipient)}`
    return `RCPT TO:<${recipient}> NOTIFY=FAILURE,DELAY${original}`
  })
}

/**
 * Encodes a text as xtext (RFC 3461 §4): printable ASCII except `+` and `=` stays, other characters become hexadecimal.
 */
function xtext(text: string): string {
  const hexadecimal = (character: string) =>
    `+${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  return text.replace(/[^!-*,-<>-~]/g, hexadecimal)
}

/** Sends the envelope, pipelined if the host offers PIPELINING. DATA is part of the envelope dialog; BDAT is not. */
export function askEnvelope(dialog: Dialog, asked: AskedEnvelope, by: DataCommand): Promise<EnvelopeReplies> {
  const ask = dialog.extensions.pipelining ? askPipelined : askStepwise
  return ask(dialog, asked, by === 'DATA')
}

/** Sends RSET and DATA (both only if required), MAIL and every RCPT in one write, then reads all replies (RFC 2920). */
async function askPipelined(
  dialog: Dialog,
  { mail, rcpt, resetFirst }: AskedEnvelope,
  withData: boolean,
): Promise<EnvelopeReplies> {
  const { wire, timeouts } = dialog
  let text = resetFirst ? `RSET\r\n${mail}\r\n` : `${mail}\r\n`
  for (const command of rcpt) text += `${command}\r\n`
  wire.write(withData ? `${text}DATA\r\n` : text)
  const before = resetFirst ? 2 : 1
  const longest = Math.max(timeouts.mail, timeouts.rcpt, timeouts.dataInit)
  const count = before + rcpt.length + (withData ? 1 : 0)
  const parsed = await wire.expect(count, longest, timeouts.envelope)
  return {
    ...only('rset', resetFirst ? parsed[0] : undefined),
    ...only('mail', parsed[before - 1]),
    recipients: rcpt.map((_, i) => parsed[before + i]?.reply),
    ...only('data', parsed[before + rcpt.length]),
  }
}

/** Sends the envelope command by command, for hosts without PIPELINING; stops when further commands are pointless. */
async function askStepwise(
  dialog: Dialog,
  { mail: mailLine, rcpt, resetFirst }: AskedEnvelope,
  withData: boolean,
): Promise<EnvelopeReplies> {
  const { wire, timeouts } = dialog
  const until = performance.now() + timeouts.envelope
  const ask = (line: string, timeout: number) =>
    wire.command(line, Math.min(timeout, Math.max(1, until - performance.now())))
  const rset = resetFirst ? await ask('RSET', timeouts.mail) : undefined
  if (resetFirst && !isPositive(rset?.reply)) return { ...only('rset', rset), recipients: [] }
  const mail = await ask(mailLine, timeouts.mail)
  const known = { ...only('rset', rset), ...only('mail', mail) }
  const recipients: (Reply | undefined)[] = []
  if (!isPositive(mail?.reply)) return { ...known, recipients }
  for (const command of rcpt) {
    recipients.push((await ask(command, timeouts.rcpt))?.reply)
    if (wire.error !== undefined || wire.closing !== undefined) break
  }
  if (!withData || !recipients.some(isPositive) || wire.closing !== undefined) return { ...known, recipients }
  return { ...known, recipients, ...only('data', await ask('DATA', timeouts.dataInit)) }
}

/** True for a 2xx reply. */
export function isPositive(reply: Reply | undefined): boolean {
  return reply !== undefined && reply.code < 300
}

function only<Key extends 'rset' | 'mail' | 'data'>(
  key: Key,
  parsed: ParsedReply | undefined,
): { [key in Key]?: Reply } {
  return parsed === undefined ? {} : ({ [key]: parsed.reply } as { [key in Key]: Reply })
}
