// One mail transaction: checks whether this host can take the message, and chooses how to send it.

import type { Envelope } from '../model/envelope.ts'
import { sendAtOnce } from './at-once.ts'
import { type Dialog, mailCommand, rcptCommands, type Transaction } from './envelope-dialog.ts'
import { sendInSteps } from './envelope-first.ts'
import type { Extensions } from './extensions.ts'
import { BLOCK, type MessageData } from './message-data.ts'
import type { DialogErrorCode, RecipientResult, StageFailure, TransactionEnd } from './stage.ts'

export type { RecipientResult }

/** State of the dialog at the start of a transaction. */
export interface TransactionStart {
  /** True if RSET must precede MAIL, because the host still holds an envelope sender. */
  readonly resetFirst: boolean
  /** True if the previous transaction is written but not answered. */
  readonly ahead: boolean
  /** Called before the last bytes of the message are written. */
  readonly mayEnd: () => boolean
}

/** Runs a mail transaction (RFC 5321 §3.3); never rejects because of the host's behaviour. */
export async function runTransaction(
  dialog: Dialog,
  envelope: Envelope,
  message: MessageData,
  { resetFirst, ahead, mayEnd }: TransactionStart,
): Promise<TransactionEnd> {
  const { wire, extensions } = dialog
  const smtpUtf8 = message.needsSmtpUtf8 === true || !isAsciiEnvelope(envelope)
  const unfit = findUnfit(message, extensions, smtpUtf8)
  if (unfit !== undefined) {
    wire.transcript.note(unfit.error?.message ?? '')
    return { recipients: envelope.recipients.map(() => ({ failure: unfit })), resetNext: resetFirst }
  }
  const mail = mailCommand(envelope, message, extensions, smtpUtf8)
  const transaction = { mail, rcpt: rcptCommands(envelope, extensions), message, resetFirst, mayEnd }
  if (ahead) return sendAtOnce(dialog, { ...transaction, resetFirst: true })
  return dialog.chunking ? sendByBdat(dialog, transaction) : sendInSteps(dialog, transaction, 'DATA')
}

async function sendByBdat(dialog: Dialog, transaction: Transaction): Promise<TransactionEnd> {
  const { wire } = dialog
  const end = fitsAtOnce(dialog, transaction)
    ? await sendAtOnce(dialog, transaction)
    : await sendInSteps(dialog, transaction, 'BDAT')
  if (!end.recipients.some(saysBdatIsUnknown)) return end
  dialog.chunking = false
  const text = 'The host offers CHUNKING but does not know BDAT'
  wire.transcript.note(text)
  // DATA and BDAT are never mixed in a transaction, and RSET follows a failed BDAT (RFC 3030 §2).
  if (wire.error === undefined && wire.closing === undefined) {
    return sendInSteps(dialog, { ...transaction, resetFirst: true }, 'DATA')
  }
  const failure: StageFailure = { stage: 'data', error: { code: 'protocol', message: text } }
  const recipients = end.recipients.map((it) => (saysBdatIsUnknown(it) ? { failure } : it))
  return { recipients, resetNext: true }
}

/**
 * True if the message may be sent together with its envelope. False for a large message, because sending it would be
 * wasted if the host refuses every recipient. Also false if MAIL could be read as part of the previous transaction, or
 * if the connection may be lost, because a message without a reply has an unknown outcome.
 */
function fitsAtOnce({ wire, extensions, timeouts }: Dialog, { message, resetFirst }: Transaction): boolean {
  return (
    extensions.pipelining &&
    !resetFirst &&
    isSmall(message) &&
    performance.now() - wire.heardAt < timeouts.silence
  )
}

/**
 * True if the message is small enough to be sent before the replies to its envelope, although the host may refuse every
 * recipient.
 */
export const isSmall = ({ size }: MessageData): boolean => size <= BLOCK

/**
 * True if the host replies to BDAT that the command is not recognised, not implemented or out of sequence, although a
 * recipient was accepted (RFC 5321 §4.2.4).
 */
function saysBdatIsUnknown({ failure }: RecipientResult): boolean {
  if (failure?.reply === undefined || (failure.stage !== 'end-of-data' && failure.stage !== 'message'))
    return false
  return [500, 502, 503].includes(failure.reply.code)
}

/** Returns the failure if this host cannot take the message, before anything is sent. */
function findUnfit(
  message: MessageData,
  extensions: Extensions,
  smtpUtf8: boolean,
): StageFailure | undefined {
  const unfit = (code: DialogErrorCode, text: string) => ({
    stage: 'mail' as const,
    error: { code, message: text },
  })
  if (extensions.size !== undefined && message.size > extensions.size) {
    return unfit('size', `The host takes ${extensions.size} bytes, the message has ${message.size} (5.3.4)`)
  }
  if (smtpUtf8 && !extensions.smtpUtf8) return unfit('smtputf8', 'The host does not offer SMTPUTF8 (5.6.7)')
  if (message.needs8Bit && !extensions.eightBitMime) {
    return unfit('eight-bit', 'The host does not offer 8BITMIME (5.6.3)')
  }
  return undefined
}

function isAsciiEnvelope(envelope: Envelope): boolean {
  return isAscii(envelope.from) && envelope.recipients.every(isAscii)
}

function isAscii(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text)
}
