// The transaction in one write and one round trip, for hosts that offer PIPELINING and CHUNKING.

import type { Reply } from '../model/reply.ts'
import { type Dialog, isPositive, type Transaction } from './envelope-dialog.ts'
import { messageOutcome, outOfStep, withBdat } from './message-data.ts'
import { refusal, type Stage, type StageFailure } from './stage.ts'
import { settle, type TransactionEnd } from './transaction-end.ts'
import type { Wire } from './wire.ts'

/**
 * Writes MAIL, every RCPT, BDAT and the message, then reads all replies. RFC 3030 §2 has the host take and discard
 * the octets of a BDAT that it refuses, so the dialog stays in step whatever it says to the envelope.
 */
export async function sendAtOnce(dialog: Dialog, transaction: Transaction): Promise<TransactionEnd> {
  const { wire, timeouts } = dialog
  const { mail, rcpt, message } = transaction
  let text = `${mail}\r\n`
  for (const command of rcpt) text += `${command}\r\n`
  const longest = Math.max(timeouts.mail, timeouts.rcpt)
  const answer = wire.listen(rcpt.length + 2, longest, timeouts.envelope, timeouts.dataEnd)
  wire.write(withBdat(text, message, wire))
  const replies = (await answer).map((parsed) => parsed.reply)
  const bdat = replies[rcpt.length + 1]
  const outcome = turnedAway('data', replies, bdat) ?? messageOutcome(wire, bdat)
  const failures = rcpt.map((_, i) => ownFailure(wire, replies, i, bdat))
  return { recipients: settle(failures, outcome), resetNext: !isPositive(bdat) }
}

/** How recipient `i` failed for itself; undefined when it shares the outcome of the message. */
function ownFailure(
  wire: Wire,
  replies: readonly Reply[],
  i: number,
  bdat: Reply | undefined,
): StageFailure | undefined {
  const steps: [Stage, Reply | undefined][] = [
    ['mail', replies[0]],
    ['rcpt', replies[i + 1]],
  ]
  for (const [stage, reply] of steps) {
    if (reply === undefined) {
      // When everything had left the host may have the message, though it did not even answer this.
      return turnedAway(stage, replies, bdat) ?? (wire.flushed ? undefined : { stage, error: wire.error! })
    }
    if (isPositive(reply)) continue
    const mayHaveIt = wire.flushed && (bdat === undefined || bdat.code < 400)
    return outOfStep(wire, refusal(reply.code < 400 && mayHaveIt ? 'end-of-data' : stage, reply))
  }
  return undefined
}

/** The 421 by which the host ended the dialog before it answered BDAT (RFC 5321 §3.8): it took nothing. */
function turnedAway(
  stage: Stage,
  replies: readonly Reply[],
  bdat: Reply | undefined,
): StageFailure | undefined {
  const reply = replies.at(-1)
  return bdat === undefined && reply?.code === 421 ? { stage, reply } : undefined
}
