// RCPT TO on submission: one more address that the message goes to.

import type { Address } from '../model/address.ts'
import { readEnvelopeAddress, readPathCommand } from './path-command.ts'
import { Refusal } from './replies.ts'

/** Reads a RCPT command. Throws `Refusal` for whatever of it cannot be honoured. */
export function readRcptTo(line: Buffer, smtpUtf8: boolean): Address {
  const { path, parameters } = readPathCommand('RCPT', line)
  for (const name of parameters.keys()) {
    // DSN (RFC 3461) is not offered, so NOTIFY and ORCPT are as unknown as any other.
    throw new Refusal(555, '5.5.4', `The parameter ${name} is not supported`)
  }
  return readEnvelopeAddress(path, smtpUtf8, (problem) => new Refusal(553, '5.1.3', problem))
}

/** Adds a recipient. Throws `Refusal` 452 for one over `most` (RFC 5321 §4.5.3.1.10); the others keep their place. */
export function addRecipient(recipients: Map<string, Address>, address: Address, most: number): void {
  if (!recipients.has(address.email) && recipients.size >= most) {
    throw new Refusal(
      452,
      '4.5.3',
      `A transaction has at most ${most} recipients; send the rest in another one`,
    )
  }
  recipients.set(address.email, address)
}
