// MAIL and RCPT, and DATA where it is used: names the envelope to the host and learns whom it takes.

import type { Envelope } from '../model/envelope.ts'
import type { Reply } from '../model/reply.ts'
import type { Extensions } from './extensions.ts'
import type { DataCommand, MessageData } from './message-data.ts'
import type { ParsedReply } from './reply-parser.ts'
import type { Timeouts } from './timeouts.ts'
import type { Wire } from './wire.ts'

/** Part of a connection that a transaction needs. */
export interface Dialog {
  readonly wire: Wire
  readonly extensions: Extensions
  readonly timeouts: Timeouts
  /** Messages go by BDAT. */
  chunking: boolean
  /** All of the newest transaction has left, though it may not have been answered: another may follow it. */
  allWritten: boolean
}

/** Commands that name the sender and the recipients of a transaction. */
interface AskedEnvelope {
  /** The MAIL command. */
  readonly mail: string
  /** The RCPT commands, in the order of the recipients. */
  readonly rcpt: readonly string[]
  /** The host still holds a sender: RSET comes first. */
  readonly resetFirst: boolean
}

/** A message and the envelope to hand it over with. */
export interface Transaction extends AskedEnvelope {
  readonly message: MessageData
  /** Asked before the last bytes of the message leave; after a no it is `WITHDRAWN`. */
  readonly mayEnd: () => boolean
}

/** The replies to an envelope; what is absent was not asked any more, or not answered. */
export interface EnvelopeReplies {
  /** Only when one was due. */
  readonly rset?: Reply
  readonly mail?: Reply
  /** One for each recipient, in their order. */
  readonly recipients: readonly (Reply | undefined)[]
  readonly data?: Reply
}

/** The MAIL command with the parameters this host offers. RFC 5321 §4.1.1.2 */
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
  // RFC 3461 §4.3, §4.4: the header is enough to recognise the message by.
  if (id !== undefined && extensions.dsn) line += ` RET=HDRS ENVID=${xtext(id)}`
  return line
}

/** The RCPT commands, with the parameters this host offers. RFC 5321 §4.1.1.3 */
export function rcptCommands({ recipients, id }: Envelope, extensions: Extensions): string[] {
  if (id === undefined || !extensions.dsn) return recipients.map((recipient) => `RCPT TO:<${recipient}>`)
  return recipients.map((recipient) => {
    // RFC 6533 §3 has another form for the others; they are recognised by the return path.
    const original = /[^\x20-\x7e]/.test(recipient) ? '' : ` ORCPT=rfc822;${xtext(recipient)}`
    return `RCPT TO:<${recipient}> NOTIFY=FAILURE,DELAY${original}`
  })
}

/** RFC 3461 §4: printable ASCII but `+` and `=`, the rest as hexadecimal. */
function xtext(text: string): string {
  const hexadecimal = (character: string) =>
    `+${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  return text.replace(/[^!-*,-<>-~]/g, hexadecimal)
}

/** Names the envelope, as fast as this host allows. BDAT, unlike DATA, is not part of it: it is not asked for. */
export function askEnvelope(dialog: Dialog, asked: AskedEnvelope, by: DataCommand): Promise<EnvelopeReplies> {
  const ask = dialog.extensions.pipelining ? askPipelined : askStepwise
  return ask(dialog, asked, by === 'DATA')
}

/** Sends RSET (if one is due), MAIL, every RCPT and DATA in one write, then reads all replies. RFC 2920 */
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

/** The same command by command, for hosts without PIPELINING; stops where going on has no purpose. */
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
