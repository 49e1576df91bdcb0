// The return path of a recipient: a token in MAIL FROM that identifies bounces and cannot be forged.

import { createHmac, timingSafeEqual } from 'node:crypto'

// Base32 alphabet of RFC 4648 §6 in lower case, because relaying hosts may change the case of a local part.
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const MAC_LENGTH = 16
const NAME = 'return-path'

/**
 * Returns the host of a return path: `bounces.` followed by the sending domain. The host is a CNAME to the return-path
 * host of the installation.
 */
export const returnPathHost = (domain: string): string => `bounces.${domain}`

/**
 * Returns `bounces+<token>@bounces.<domain>` (variable envelope return path). The token is the ID of the message
 * without its prefix, the position of the recipient, and 80 bits of an HMAC over the ID and the position. The local
 * part has 52 characters.
 */
export function returnPath(secret: string, messageId: string, position: number, domain: string): string {
  const subject = `${messageId.slice(-26)}${position.toString(32).padStart(2, '0')}`.toLowerCase()
  return `bounces+${subject}${tokenMac(secret, NAME, subject)}@${returnPathHost(domain)}`
}

/** The recipient that a return path names. */
export interface ReturnPathRecipient {
  readonly messageId: string
  readonly position: number
}

/** Decodes a return path; undefined if the token was not made with this secret. */
export function readReturnPath(secret: string, address: string): ReturnPathRecipient | undefined {
  const token = /^bounces\+([0-9a-z]{28}[a-z2-7]{16})@/i.exec(address)?.[1]
  return token === undefined ? undefined : readToken(secret, token)
}

/** Maximum number of tokens that are verified in one text. */
const MAX_TOKENS = 20

/**
 * Returns the recipient of the first return path in a text, among the return paths that were made with this secret. The
 * return path may be anywhere in the text, in any case, and with quoted-printable encoding of the plus sign.
 */
export function findReturnPath(secret: string, text: string): ReturnPathRecipient | undefined {
  let tried = 0
  for (const [, token] of text.matchAll(/bounces(?:\+|=2b)([0-9a-z]{28}[a-z2-7]{16})(?![0-9a-z])/gi)) {
    if (++tried > MAX_TOKENS) return undefined
    const found = readToken(secret, token as string)
    if (found !== undefined) return found
  }
  return undefined
}

function readToken(secret: string, token: string): ReturnPathRecipient | undefined {
  const subject = token.slice(0, -MAC_LENGTH).toLowerCase()
  if (!isTokenMac(secret, NAME, subject, token.slice(-MAC_LENGTH).toLowerCase())) return undefined
  return {
    messageId: `msg_${subject.slice(0, 26).toUpperCase()}`,
    position: Number.parseInt(subject.slice(26), 32),
  }
}

/** Returns the last part of the token of an address: 80 bits of an HMAC over the subject, for one kind of address. */
export function tokenMac(secret: string, kind: string, subject: string): string {
  const digest = createHmac('sha256', secret).update(`${kind} ${subject}`).digest()
  let text = ''
  for (let index = 0; text.length < MAC_LENGTH; index++) text += ALPHABET[(digest[index] as number) & 31]
  return text
}

/** True if `given`, which has 16 characters, is the last part of the token of this subject. */
export const isTokenMac = (secret: string, kind: string, subject: string, given: string): boolean =>
  timingSafeEqual(Buffer.from(given), Buffer.from(tokenMac(secret, kind, subject)))
