// The last check of names and addresses before they are written into a command: refuses characters that could end the
// command early.

import type { Envelope } from '../model/envelope.ts'

/**
 * Throws a TypeError for an invalid envelope; such an envelope is a bug, since addresses are validated long before.
 * RFC 5321 §4.1.2 allows a space, `<` and `>` only inside a quoted local part.
 */
export function guardEnvelope(envelope: Envelope): void {
  if (envelope.recipients.length === 0) throw new TypeError('An envelope needs a recipient')
  if (envelope.from !== '') guardAddress(envelope.from)
  for (const recipient of envelope.recipients) guardAddress(recipient)
  if (envelope.id !== undefined && !/^[\x21-\x7e]{1,100}$/.test(envelope.id)) {
    throw new TypeError(`Not an ID for an envelope: ${JSON.stringify(envelope.id)}`)
  }
}

const PLAIN = /^[^\x00-\x20\x7f"\\<>]+$/
const QUOTED = /^"(?:[^\x00-\x1f\x7f"\\]|\\[\x20-\x7e])*"@[^\x00-\x20\x7f"\\<>]+$/

function guardAddress(address: string): void {
  if (address.length <= 1000 && (PLAIN.test(address) || QUOTED.test(address))) return
  throw new TypeError(`Not an address for an SMTP command: ${JSON.stringify(address)}`)
}

/** Throws a TypeError for a HELO name that is not printable ASCII without spaces. */
export function guardName(name: string): void {
  if (!/^[\x21-\x7e]{1,255}$/.test(name)) throw new TypeError(`Not a host name: ${JSON.stringify(name)}`)
}

/** Throws a TypeError for credentials that SASL PLAIN cannot carry (RFC 4616 §2). */
export function guardCredentials(user: string, password: string): void {
  if (user === '' || user.includes('\0') || password.includes('\0')) {
    throw new TypeError('Credentials with an empty user or a NUL')
  }
}
