// One mail transaction: whether this host can take the message, the envelope, the data, and what came of each.

import type { Envelope } from '../model/envelope.ts'
import type { Reply } from '../model/reply.ts'
import {
  askPipelined,
  askStepwise,
  type Dialog,
  type EnvelopeReplies,
  isPositive,
  mailCommand,
} from './envelope-dialog.ts'
import type { Extensions } from './extensions.ts'
import { lost } from './greeting.ts'
import { type MessageData, sendMessage } from './message-data.ts'
import { type DialogErrorCode, refusal, type Stage, type StageFailure } from './stage.ts'

/**
 * What became of one recipient: the reply to the final dot when the host took the message for it, else where it
 * failed. A failure at `end-of-data` with an `error` leaves the outcome unknown: the host may have the message.
 */
export type RecipientResult =
  | { readonly reply: Reply; readonly failure?: undefined }
  | { readonly reply?: undefined; readonly failure: StageFailure }

/** What a transaction leaves behind. */
export interface TransactionEnd {
  /** One for each recipient of the envelope, in its order. */
  readonly recipients: readonly RecipientResult[]
  /** The host still holds a sender: the next transaction begins with RSET. */
  readonly resetNext: boolean
}

/** Runs a transaction; never rejects for what the host does. RFC 5321 §3.3 */
export async function runTransaction(
  dialog: Dialog,
  envelope: Envelope,
  message: MessageData,
  resetFirst: boolean,
): Promise<TransactionEnd> {
  const { wire, extensions } = dialog
  const smtpUtf8 = message.needsSmtpUtf8 === true || !isAsciiEnvelope(envelope)
  const unfit = findUnfit(message, extensions, smtpUtf8)
  if (unfit !== undefined) {
    wire.transcript.note(unfit.error?.message ?? '')
    return { recipients: envelope.recipients.map(() => ({ failure: unfit })), resetNext: resetFirst }
  }
  const mail = mailCommand(envelope.from, message, extensions, smtpUtf8)
  const ask = extensions.pipelining ? askPipelined : askStepwise
  const replies = await ask(dialog, mail, envelope, resetFirst)
  const recipients = envelope.recipients.map((_, i) => envelopeFailure(dialog, replies, i, resetFirst))
  if (!recipients.includes(undefined)) {
    if (replies.data?.code === 354) await endEmptyMessage(dialog)
    return {
      recipients: settle(recipients),
      resetNext: isPositive(replies.mail) && replies.data?.code !== 354,
    }
  }
  const outcome = await sendMessage(wire, message, dialog.timeouts)
  return { recipients: settle(recipients, outcome), resetNext: false }
}

/** Those without a failure so far share the outcome of the message. */
function settle(
  recipients: readonly (StageFailure | undefined)[],
  outcome?: Reply | StageFailure,
): RecipientResult[] {
  return recipients.map((failure) => {
    if (failure !== undefined) return { failure }
    return 'stage' in outcome! ? { failure: outcome } : { reply: outcome! }
  })
}

/** What this host cannot take, known before a word is said. */
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
    return unfit('size', `The host takes ${extensions.size} octets, the message has ${message.size}`)
  }
  if (smtpUtf8 && !extensions.smtpUtf8) return unfit('smtputf8', 'The host does not offer SMTPUTF8')
  if (message.needs8Bit && !extensions.eightBitMime) {
    return unfit('eight-bit', 'The host does not offer 8BITMIME')
  }
  return undefined
}

/** How recipient `i` failed before its message could be sent; undefined when it did not. */
function envelopeFailure(
  dialog: Dialog,
  replies: EnvelopeReplies,
  i: number,
  resetFirst: boolean,
): StageFailure | undefined {
  const { wire } = dialog
  if (resetFirst && !isPositive(replies.rset)) {
    // Whatever the host says to MAIL now is about the transaction before.
    if (replies.rset === undefined || replies.rset.code === 421) return lost(wire, 'mail')
    const error = { code: 'protocol', message: `RSET was refused: ${replies.rset.code}` } as const
    wire.fail(error)
    return { stage: 'mail', error }
  }
  const steps: [Stage, Reply | undefined][] = [
    ['mail', replies.mail],
    ['rcpt', replies.recipients[i]],
  ]
  for (const [stage, reply] of steps) {
    if (reply === undefined) return lost(wire, stage)
    if (!isPositive(reply)) return outOfStep(dialog, refusal(stage, reply))
  }
  if (replies.data?.code === 354 && wire.error === undefined) return undefined
  if (replies.data === undefined || replies.data.code === 354) return lost(wire, 'data')
  return outOfStep(dialog, refusal('data', replies.data))
}

/** Ends the dialog when the failure is that the host's replies do not match our commands. */
function outOfStep(dialog: Dialog, failure: StageFailure): StageFailure {
  if (failure.error !== undefined) dialog.wire.fail(failure.error)
  return failure
}

/** RFC 2920 §3.1: a host that answers DATA with 354 though it took nobody gets an empty message. */
async function endEmptyMessage(dialog: Dialog): Promise<void> {
  await dialog.wire.ask('.', dialog.timeouts.dataEnd)
}

function isAsciiEnvelope(envelope: Envelope): boolean {
  return isAscii(envelope.from) && envelope.recipients.every(isAscii)
}

function isAscii(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text)
}
