// The return path of a recipient: a token in MAIL FROM that a bounce comes back to, which strangers cannot make up.

import { createHmac, timingSafeEqual } from 'node:crypto'

// RFC 4648 §6, in lower case: hosts on the way may fold the case of a local part.
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const MAC_LENGTH = 16

/** The host part: `bounces.` in front of the sending domain, a CNAME to the installation's return-path host. */
export const returnPathHost = (domain: string): string => `bounces.${domain}`

/**
 * `bounces+<token>@bounces.<domain>` (variable envelope return path). The token is the message's ID without its
 * prefix, the recipient's position, and 80 bits of an HMAC over both. 52 characters before the `@`.
 */
export function returnPath(secret: string, messageId: string, position: number, domain: string): string {
  const subject = `${messageId.slice(-26)}${position.toString(32).padStart(2, '0')}`.toLowerCase()
  return `bounces+${subject}${mac(secret, subject)}@${returnPathHost(domain)}`
}

/** What a return path names; undefined when its token is not one that was made with this secret. */
export function readReturnPath(
  secret: string,
  address: string,
): { readonly messageId: string; readonly position: number } | undefined {
  const match = /^bounces\+([0-9a-z]{28})([a-z2-7]{16})@/i.exec(address)
  if (match === null) return undefined
  const subject = (match[1] as string).toLowerCase()
  const given = Buffer.from((match[2] as string).toLowerCase())
  if (!timingSafeEqual(given, Buffer.from(mac(secret, subject)))) return undefined
  return {
    messageId: `msg_${subject.slice(0, 26).toUpperCase()}`,
    position: Number.parseInt(subject.slice(26), 32),
  }
}

function mac(secret: string, subject: string): string {
  const digest = createHmac('sha256', secret).update(`return-path ${subject}`).digest()
  let text = ''
  for (let index = 0; text.length < MAC_LENGTH; index++) text += ALPHABET[(digest[index] as number) & 31]
  return text
}
