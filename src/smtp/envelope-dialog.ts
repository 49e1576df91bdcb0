// MAIL, RCPT and, where it is used, DATA: sends the envelope and reads which recipients the host accepts.

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
  /** True when the newest transaction is written completely, answered or not: another may follow. */
  allWritten: boolean
}

/** Commands that name the sender and the recipients of a transaction. */
interface AskedEnvelope {
  /** The MAIL command. */
  readonly mail: string
  /** The RCPT commands, in the order of the recipients. */
  readonly rcpt: readonly string[]
  /** True if the host still holds a sender: RSET comes first. */
  readonly resetFirst: boolean
}

/** A message and its envelope commands. */
export interface Transaction extends AskedEnvelope {
  readonly message: MessageData
  /** Called before the last bytes of the message are written; false ends the transaction with `WITHDRAWN`. */
  readonly mayEnd: () => boolean
}

/** The replies to an envelope; a missing one was not asked for any more, or did not arrive. */
export interface EnvelopeReplies {
  /** Present only after an RSET. */
  readonly rset?: Reply
  readonly mail?: Reply
  /** One reply per recipient, in their order. */
  readonly recipients: readonly (Reply | undefined)[]
  readonly data?: Reply
}

/** Returns the MAIL command with the parameters that this host offers. RFC 5321 §4.1.1.2 */
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
  // RFC 3461 §4.3, §4.4: the header suffices to recognise the message in a DSN.
  if (id !== undefined && extensions.dsn) line += ` RET=HDRS ENVID=${xtext(id)}`
  return line
}

/** Returns the RCPT commands with the parameters that this host offers. RFC 5321 §4.1.1.3 */
export function rcptCommands({ recipients, id }: Envelope, extensions: Extensions): string[] {
  if (id === undefined || !extensions.dsn) return recipients.map((recipient) => `RCPT TO:<${recipient}>`)
  return recipients.map((recipient) => {
    // RFC 6533 §3 defines another form for non-ASCII addresses; a DSN for these is recognised by the return path.
    const original = /[^\x20-\x7e]/.test(recipient) ? '' : ` ORCPT=rfc822;${xtext(recipient)}`
    return `RCPT TO:<${recipient}> NOTIFY=FAILURE,DELAY${original}`
  })
}

/** Encodes as xtext (RFC 3461 §4): printable ASCII except `+` and `=`, the rest as hexadecimal. */
function xtext(text: string): string {
  const hexadecimal = (character: string) =>
    `+${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  return text.replace(/[^!-*,-<>-~]/g, hexadecimal)
}

/** Sends the envelope, as fast as this host allows. DATA belongs to the envelope dialog; BDAT does not. */
export function askEnvelope(dialog: Dialog, asked: AskedEnvelope, by: DataCommand): Promise<EnvelopeReplies> {
  const ask = dialog.extensions.pipelining ? askPipelined : askStepwise
  return ask(dialog, asked, by === 'DATA')
}

/** Sends RSET (if due), MAIL, every RCPT and DATA in one write, then reads all replies. RFC 2920 */
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

/** The same command by command, for hosts without PIPELINING; stops when further commands are pointless. */
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
