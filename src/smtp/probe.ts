// A transaction that stops after RCPT: asks whether the host accepts one recipient, without sending a message.

import type { Envelope } from '../model/envelope.ts'
import type { Reply } from '../model/reply.ts'
import { askEnvelope, type Dialog, isPositive, rcptCommands } from './envelope-dialog.ts'
import { lost } from './greeting.ts'
import { refusal, type Stage, type TransactionEnd } from './stage.ts'

/**
 * Sends MAIL and RCPT, after RSET if the host still holds an envelope sender; never rejects because of the host's
 * behaviour.
 */
export async function probeRecipient(
  dialog: Dialog,
  envelope: Envelope,
  resetFirst: boolean,
): Promise<TransactionEnd> {
  const { wire, extensions } = dialog
  const smtpUtf8 = /[^\x00-\x7f]/.test(envelope.from + envelope.recipients[0])
  if (smtpUtf8 && !extensions.smtpUtf8) {
    const error = { code: 'smtputf8', message: 'The host does not offer SMTPUTF8' } as const
    wire.transcript.note(error.message)
    return { recipients: [{ failure: { stage: 'mail', error } }], resetNext: resetFirst }
  }
  const mail = `MAIL FROM:<${envelope.from}>${smtpUtf8 ? ' SMTPUTF8' : ''}`
  // The envelope for BDAT contains no DATA command, so neither DATA nor BDAT is sent.
  const asked = { mail, rcpt: rcptCommands(envelope, extensions), resetFirst }
  const replies = await askEnvelope(dialog, asked, 'BDAT')
  const steps: [Stage, Reply | undefined][] = [
    ['mail', replies.mail],
    ['rcpt', replies.recipients[0]],
  ]
  for (const [stage, reply] of steps) {
    if (reply === undefined) return { recipients: [{ failure: lost(wire, stage) }], resetNext: true }
    if (!isPositive(reply)) {
      return { recipients: [{ failure: refusal(stage, reply) }], resetNext: isPositive(replies.mail) }
    }
  }
  return { recipients: [{ reply: replies.recipients[0]! }], resetNext: true }
}
