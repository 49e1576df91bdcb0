// A mail transaction in one write and one round trip, for hosts that offer PIPELINING and CHUNKING.

import type { Reply } from '../model/reply.ts'
import { type Dialog, isPositive, type Transaction } from './envelope-dialog.ts'
import { FAR_TURN, flushKnown, messageOutcome, outOfStep, turnToSend, withBdat } from './message-data.ts'
import { refusal, type Stage, type StageFailure, settle, type TransactionEnd, WITHDRAWN } from './stage.ts'
import type { Wire, Written } from './wire.ts'

/**
 * Writes MAIL, every RCPT, BDAT and the message, then reads all replies. The dialog stays in step regardless of the
 * replies to the envelope, because a host discards the bytes of a refused BDAT (RFC 3030 §2). The previous message need
 * not have a reply yet if `resetFirst` is true: RFC 2920 §3.1 allows RSET and MAIL directly after a message.
 */
export async function sendAtOnce(dialog: Dialog, transaction: Transaction): Promise<TransactionEnd> {
  const { wire, timeouts } = dialog
  const { mail, rcpt, message, resetFirst } = transaction
  let text = resetFirst ? `RSET\r\n${mail}\r\n` : `${mail}\r\n`
  for (const command of rcpt) text += `${command}\r\n`
  const before = resetFirst ? 1 : 0
  const turn = wire.isNear ? await turnToSend(wire) : FAR_TURN
  if (!transaction.mayEnd()) {
    turn.giveUp()
    const failure: StageFailure = { stage: 'mail', error: WITHDRAWN }
    wire.transcript.note(WITHDRAWN.message)
    return { recipients: rcpt.map(() => ({ failure })), resetNext: resetFirst }
  }
  const longest = Math.max(timeouts.mail, timeouts.rcpt)
  const answer = wire.expect(before + rcpt.length + 2, longest, timeouts.envelope, timeouts.dataEnd)
  turn.until(answer)
  const written = wire.writeData(withBdat(text, message, wire))
  dialog.allWritten = true
  const replies = (await answer).map((parsed) => parsed.reply)
  await flushKnown(written)
  const [rset] = replies.splice(0, before)
  const bdat = replies[rcpt.length + 1]
  const asked: Asked = { wire, written, replies, bdat }
  if (rset !== undefined && !isPositive(rset) && !isPositive(bdat)) return unreset(asked, rset, rcpt.length)
  const outcome = turnedAway('data', asked) ?? messageOutcome(wire, written, bdat)
  const failures = rcpt.map((_, i) => ownFailure(asked, i))
  return { recipients: settle(failures, outcome), resetNext: !isPositive(bdat) }
}

/** A transaction that was written in one piece, and the replies of the host. */
interface Asked {
  readonly wire: Wire
  readonly written: Written
  /** Replies that have arrived, in the order of the commands: MAIL, each RCPT, BDAT. */
  readonly replies: readonly Reply[]
  readonly bdat: Reply | undefined
}

/**
 * Returns the end of a transaction whose RSET was refused: replies after the RSET may belong to the previous message.
 */
function unreset(asked: Asked, rset: Reply, recipients: number): TransactionEnd {
  const { wire, written, bdat } = asked
  const error = { code: 'protocol', message: `RSET was refused: ${rset.code}` } as const
  wire.fail(error)
  const mayHaveIt = written.flushed && bdat === undefined
  const failure = turnedAway('mail', asked) ?? { stage: mayHaveIt ? 'end-of-data' : 'mail', error }
  return { recipients: Array.from({ length: recipients }, () => ({ failure })), resetNext: true }
}

/**
 * Returns the failure that concerns only recipient `i`; undefined if the recipient shares the outcome of the message.
 */
function ownFailure(asked: Asked, i: number): StageFailure | undefined {
  const { wire, written, replies, bdat } = asked
  const steps: [Stage, Reply | undefined][] = [
    ['mail', replies[0]],
    ['rcpt', replies[i + 1]],
  ]
  for (const [stage, reply] of steps) {
    if (reply === undefined) {
      // The host may have accepted a message that was sent completely, even without a reply to this command.
      return turnedAway(stage, asked) ?? (written.flushed ? undefined : { stage, error: wire.error! })
    }
    if (isPositive(reply)) continue
    const mayHaveIt = written.flushed && (bdat === undefined || bdat.code < 400)
    return outOfStep(wire, refusal(reply.code < 400 && mayHaveIt ? 'end-of-data' : stage, reply))
  }
  return undefined
}

/**
 * Returns the 421 reply by which the host ended the dialog before a reply to BDAT (RFC 5321 §3.8): the host accepted no
 * message.
 */
function turnedAway(stage: Stage, { wire, bdat }: Asked): StageFailure | undefined {
  const reply = wire.closing?.reply
  return bdat === undefined && reply !== undefined ? { stage, reply } : undefined
}
