// The address for reports of a domain: a token that identifies the domain and cannot be forged.

import { isTokenMac, tokenMac } from './return-path.ts'

const NAME = 'dmarc-reports'

/** Returns `dmarc+<token>@<host>`. The token is the ID of the domain without its prefix, and 80 bits of an HMAC. */
export function reportAddress(secret: string, domainId: string, host: string): string {
  const subject = domainId.slice(-26).toLowerCase()
  return `dmarc+${subject}${tokenMac(secret, NAME, subject)}@${host}`
}

/** Returns the ID of the domain that an address names; undefined if the token was not made with this secret. */
export function readReportAddress(secret: string, local: string): string | undefined {
  const [, subject, mac] = /^dmarc\+([0-9a-z]{26})([a-z2-7]{16})$/i.exec(local) ?? []
  if (subject === undefined || mac === undefined) return undefined
  return isTokenMac(secret, NAME, subject.toLowerCase(), mac.toLowerCase())
    ? `dom_${subject.toUpperCase()}`
    : undefined
}
