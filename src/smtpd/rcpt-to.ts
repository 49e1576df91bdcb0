// Reads RCPT TO: one more recipient of the message.

import type { Address } from '../model/address.ts'
import { readEnvelopeAddress, readPathCommand } from './path-command.ts'
import { Refusal } from './replies.ts'

/**
 * Reads a RCPT command. Throws `Refusal` for a parameter that cannot be honoured. `<Postmaster>` without a domain means
 * the postmaster of `ownHost`, if given (RFC 5321 §4.5.1).
 */
export function readRcptTo(line: Buffer, smtpUtf8: boolean, ownHost?: string): Address {
  const { path: given, parameters } = readPathCommand('RCPT', line)
  const path = ownHost !== undefined && /^postmaster$/i.test(given) ? `${given}@${ownHost}` : given
  for (const name of parameters.keys()) {
    // DSN (RFC 3461) is not offered, so NOTIFY and ORCPT are refused like unknown parameters.
    throw new Refusal(555, '5.5.4', `The parameter ${name} is not supported`)
  }
  return readEnvelopeAddress(path, smtpUtf8, (problem) => new Refusal(553, '5.1.3', problem))
}

/**
 * Adds a recipient with the result of its lookup. Throws `Refusal` 452 for a recipient beyond the maximum `max` (RFC
 * 5321 §4.5.3.1.10); the earlier recipients remain.
 */
export function addRecipient<T>(recipients: Map<string, T>, { email }: Address, known: T, max: number): void {
  if (!recipients.has(email) && recipients.size >= max) {
    throw new Refusal(
      452,
      '4.5.3',
      `A transaction has at most ${max} recipients; send the rest in another transaction`,
    )
  }
  recipients.set(email, known)
}
