// Reads MAIL FROM: the sender, the declared size, and the requested extensions.

import type { Address } from '../model/address.ts'
import { readEnvelopeAddress, readPathCommand } from './path-command.ts'
import { Refusal } from './replies.ts'

export interface MailFrom {
  readonly from: Address
  readonly smtpUtf8: boolean
  /** Size of the message in bytes, as declared. */
  readonly size: number | undefined
}

/** Reads a MAIL command. Throws `Refusal` for a parameter that cannot be honoured. */
export function readMailFrom(line: Buffer, maxMessageBytes: number): MailFrom {
  const { path, smtpUtf8, size } = readReversePath(line, maxMessageBytes)
  // A submitted message without a sender is refused, because no bounce can be sent to the null sender.
  if (path === '')
    throw new Refusal(550, '5.7.1', 'The null sender <> is not for submission; use your address')
  const wrong = (problem: string): Refusal => new Refusal(501, '5.1.7', problem)
  return { from: readEnvelopeAddress(path, smtpUtf8, wrong), smtpUtf8, size }
}

/** Reads a MAIL command with any sender, or the null sender. Throws `Refusal` for an invalid or unknown parameter. */
export function readReversePath(
  line: Buffer,
  maxMessageBytes: number,
): { readonly path: string } & Omit<MailFrom, 'from'> {
  const { path, parameters } = readPathCommand('MAIL', line)
  for (const [name, value] of parameters) {
    if (!Object.hasOwn(CHECKS, name))
      throw new Refusal(555, '5.5.4', `The parameter ${name} is not supported`)
    CHECKS[name]?.(value, maxMessageBytes)
  }
  const size = parameters.get('SIZE')
  return { path, smtpUtf8: parameters.has('SMTPUTF8'), size: size === undefined ? undefined : Number(size) }
}

const CHECKS: Record<string, (value: string | undefined, maxMessageBytes: number) => void> = {
  SIZE: checkSize,
  BODY(value) {
    // The values are those of RFC 6152 §2; BINARYMIME (RFC 3030) is not offered.
    if (!/^(?:7BIT|8BITMIME)$/i.test(value ?? '')) throw new Refusal(501, '5.5.4', 'BODY is 7BIT or 8BITMIME')
  },
  SMTPUTF8(value) {
    if (value !== undefined) throw new Refusal(501, '5.5.4', 'SMTPUTF8 takes no value')
  },
  AUTH(value) {
    // AUTH names the original submitter (RFC 4954 §5). A server must accept the parameter, which has no effect here.
    if (value === undefined) throw new Refusal(501, '5.5.4', 'AUTH takes a value')
  },
}

/** Checks the declared size (RFC 1870 §4, §6.1). */
function checkSize(value: string | undefined, maxMessageBytes: number): void {
  if (!/^\d{1,20}$/.test(value ?? '')) throw new Refusal(501, '5.5.4', 'SIZE is a number of bytes')
  if (Number(value) <= maxMessageBytes) return
  throw new Refusal(552, '5.3.4', `A message has at most ${maxMessageBytes} bytes`)
}
