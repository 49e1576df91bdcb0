// A mail transaction in two steps: the envelope, then the message if the host has accepted a recipient.

import type { Reply } from '../model/reply.ts'
import {
  askEnvelope,
  type Dialog,
  type EnvelopeReplies,
  isPositive,
  type Transaction,
} from './envelope-dialog.ts'
import { lost } from './greeting.ts'
import { type DataCommand, outOfStep, sendMessage } from './message-data.ts'
import { refusal, type Stage, type StageFailure, settle, type TransactionEnd } from './stage.ts'

/** Runs a transaction whose message waits for the replies to its envelope. */
export async function sendInSteps(
  dialog: Dialog,
  transaction: Transaction,
  by: DataCommand,
): Promise<TransactionEnd> {
  const { rcpt, resetFirst } = transaction
  const replies = await askEnvelope(dialog, transaction, by)
  const failures = rcpt.map((_, i) => envelopeFailure(dialog, replies, i, resetFirst, by))
  if (!failures.includes(undefined)) {
    if (replies.data?.code === 354) await endEmptyMessage(dialog)
    return {
      recipients: settle(failures),
      resetNext: isPositive(replies.mail) && replies.data?.code !== 354,
    }
  }
  const outcome = await sendMessage(dialog.wire, transaction, dialog.timeouts, by)
  // A failed BDAT leaves a state at the host that only RSET clears (RFC 3030 §2).
  return { recipients: settle(failures, outcome), resetNext: by === 'BDAT' && 'stage' in outcome }
}

/**
 * Returns the failure of recipient `i` in the envelope dialog; undefined if the message may be sent to the recipient.
 */
function envelopeFailure(
  dialog: Dialog,
  replies: EnvelopeReplies,
  i: number,
  resetFirst: boolean,
  by: DataCommand,
): StageFailure | undefined {
  const { wire } = dialog
  if (resetFirst && !isPositive(replies.rset)) {
    // A reply to MAIL after a failed RSET may belong to the previous transaction.
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
    if (!isPositive(reply)) return outOfStep(wire, refusal(stage, reply))
  }
  return by === 'DATA' ? dataFailure(dialog, replies.data) : lineFailure(dialog)
}

/** Returns the failure of the DATA command; undefined after a 354 reply (RFC 5321 §4.1.1.4). */
function dataFailure({ wire }: Dialog, data: Reply | undefined): StageFailure | undefined {
  if (data?.code === 354 && wire.error === undefined) return undefined
  if (data === undefined || data.code === 354) return lost(wire, 'data')
  return outOfStep(wire, refusal('data', data))
}

/** Returns the failure of a connection that ended before BDAT. */
function lineFailure({ wire }: Dialog): StageFailure | undefined {
  return wire.error === undefined && wire.closing === undefined ? undefined : lost(wire, 'data')
}

/** Sends an empty message to a host that replies 354 to DATA without any accepted recipient (RFC 2920 §3.1). */
async function endEmptyMessage(dialog: Dialog): Promise<void> {
  await dialog.wire.command('.', dialog.timeouts.dataEnd)
}
