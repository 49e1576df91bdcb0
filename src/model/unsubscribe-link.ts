// The unsubscribe link of a recipient: the token, the URL, the mail address, and the placeholder for the link in a
// body.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { returnPathHost } from './return-path.ts'

// Base32 alphabet of RFC 4648 §6 in lower case, because relaying hosts may change the case of a local part.
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
/** Number of characters of the link's name (80 bits); the MAC of 50 bits reveals a forged name without a query. */
const NAME_LENGTH = 16
const MAC_LENGTH = 10

/**
 * Recipient and stream of an unsubscribe link; the page of the link also offers the other broadcast streams of the
 * sender.
 */
export interface LinkSubject {
  readonly domainId: string
  readonly stream: string
  /** The address in its canonical spelling. */
  readonly email: string
}

/** Returns the token of an unsubscribe link: 26 characters, always the same for the same address, stream and domain. */
export function unsubscribeToken(secret: string, { domainId, stream, email }: LinkSubject): string {
  const name = digest(secret, `unsubscribe ${JSON.stringify([domainId, stream, email])}`, NAME_LENGTH)
  return name + mac(secret, name)
}

/** Returns a token in its stored spelling; undefined if the token was not made with this secret. */
export function readUnsubscribeToken(secret: string, text: string): string | undefined {
  const token = text.toLowerCase()
  if (!/^[a-z2-7]{26}$/.test(token)) return undefined
  const given = Buffer.from(token.slice(NAME_LENGTH))
  const wanted = Buffer.from(mac(secret, token.slice(0, NAME_LENGTH)))
  return timingSafeEqual(given, wanted) ? token : undefined
}

/** Returns the first token that was made with this secret in the List-Unsubscribe field of a header section. */
export function findUnsubscribeToken(secret: string, header: string): string | undefined {
  const [, value = ''] = /^list-unsubscribe[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/im.exec(header) ?? []
  for (const [, token = ''] of value.matchAll(/(?:\/u\/|unsubscribe\+)([a-z2-7]{26})(?![a-z0-9])/gi)) {
    const found = readUnsubscribeToken(secret, token)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the URL of the unsubscribe page for a token. */
export const unsubscribeUrl = (publicUrl: string, token: string): string => `${publicUrl}/u/${token}`

/** Returns the mail address for unsubscribing with a token; the inbound listener accepts mail to this address. */
export const unsubscribeAddress = (token: string, domain: string): string =>
  `unsubscribe+${token}@${returnPathHost(domain)}`

/** Returns the token in the local part of an unsubscribe address; undefined for any other address. */
export const tokenOfAddress = (secret: string, local: string): string | undefined => {
  const token = /^unsubscribe\+(.{26})$/i.exec(local)?.[1]
  return token === undefined ? undefined : readUnsubscribeToken(secret, token)
}

/**
 * True if the service itself writes this field on broadcast streams; a repeated field would be invalid (RFC 8058 §3.1).
 */
export const isUnsubscribeField = (name: string): boolean => /^list-unsubscribe(?:-post)?$/i.test(name)

/** Placeholder in a body for the unsubscribe link of the recipient. */
export const UNSUBSCRIBE_MARK = '{{{ @unsubscribe_url }}}'

const MARKS = /\{\{\{\s{0,9}@unsubscribe_url\s{0,9}\}\}\}|\{\{&?\s{0,9}@unsubscribe_url\s{0,9}\}\}/g

/**
 * True if a body contains the placeholder. The search for a plain substring takes a tenth of the time and therefore
 * comes before the search by pattern.
 */
export const hasUnsubscribeMark = (body: string): boolean =>
  body.includes('@unsubscribe_url') && body.search(MARKS) >= 0

/** Returns the body with the unsubscribe link in place of each placeholder. */
export const putUnsubscribeUrl = (body: string, url: string): string => body.replace(MARKS, () => url)

/** Returns a text that looks the same but contains no placeholder, even after concatenation with other texts. */
export const withoutUnsubscribeMark = (text: string): string =>
  text.replaceAll('@unsubscribe_url', '@\u2060unsubscribe_url')

const mac = (secret: string, name: string): string => digest(secret, `unsubscribe-mac ${name}`, MAC_LENGTH)

function digest(secret: string, text: string, length: number): string {
  const bytes = createHmac('sha256', secret).update(text).digest()
  let written = ''
  for (let index = 0; written.length < length; index++) written += ALPHABET[(bytes[index] as number) & 31]
  return written
}
