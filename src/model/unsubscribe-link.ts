// The unsubscribe link of a recipient: its token, its two addresses, and the mark for it in a body.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { returnPathHost } from './return-path.ts'

// RFC 4648 §6, in lower case: hosts on the way may fold the case of a local part.
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
/** 80 bits that name the link, and 50 that expose a forged name without reading the store. */
const NAME_LENGTH = 16
const MAC_LENGTH = 10

/** Recipient of a link and the stream that it ends; its page also offers the other broadcast streams of the sender. */
export interface LinkSubject {
  readonly domainId: string
  readonly stream: string
  /** The address in its canonical spelling. */
  readonly email: string
}

/** Returns the token of a link: 26 characters, always the same for the same address, stream and domain. */
export function unsubscribeToken(secret: string, { domainId, stream, email }: LinkSubject): string {
  const name = digest(secret, `unsubscribe ${JSON.stringify([domainId, stream, email])}`, NAME_LENGTH)
  return name + mac(secret, name)
}

/** Returns a token in its stored spelling; undefined when it was not made with this secret. */
export function readUnsubscribeToken(secret: string, text: string): string | undefined {
  const token = text.toLowerCase()
  if (!/^[a-z2-7]{26}$/.test(token)) return undefined
  const given = Buffer.from(token.slice(NAME_LENGTH))
  const wanted = Buffer.from(mac(secret, token.slice(0, NAME_LENGTH)))
  return timingSafeEqual(given, wanted) ? token : undefined
}

/** Returns the first token in a List-Unsubscribe field of a header section that was made with this secret. */
export function findUnsubscribeToken(secret: string, header: string): string | undefined {
  const [, value = ''] = /^list-unsubscribe[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)/im.exec(header) ?? []
  for (const [, token = ''] of value.matchAll(/(?:\/u\/|unsubscribe\+)([a-z2-7]{26})(?![a-z0-9])/gi)) {
    const found = readUnsubscribeToken(secret, token)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the URL of the page of a token. */
export const unsubscribeUrl = (publicUrl: string, token: string): string => `${publicUrl}/u/${token}`

/** Returns the address whose mail unsubscribes; the inbound listener accepts it. */
export const unsubscribeAddress = (token: string, domain: string): string =>
  `unsubscribe+${token}@${returnPathHost(domain)}`

/** Returns the token that an address names; undefined for any other address. */
export const tokenOfAddress = (secret: string, local: string): string | undefined => {
  const token = /^unsubscribe\+(.{26})$/i.exec(local)?.[1]
  return token === undefined ? undefined : readUnsubscribeToken(secret, token)
}

/** True if the service writes this field itself on broadcast streams: two of them would be invalid (RFC 8058 §3.1). */
export const isUnsubscribeField = (name: string): boolean => /^list-unsubscribe(?:-post)?$/i.test(name)

/** Mark in a body for the link of the recipient. */
export const UNSUBSCRIBE_MARK = '{{{ @unsubscribe_url }}}'

const MARKS = /\{\{\{\s{0,9}@unsubscribe_url\s{0,9}\}\}\}|\{\{&?\s{0,9}@unsubscribe_url\s{0,9}\}\}/g

/** True if a body contains the mark. The plain search comes first, as it takes a tenth of the time. */
export const hasUnsubscribeMark = (body: string): boolean =>
  body.includes('@unsubscribe_url') && body.search(MARKS) >= 0

/** Returns the body with the link in place of each mark. */
export const putUnsubscribeUrl = (body: string, url: string): string => body.replace(MARKS, () => url)

/** Returns a text that contains no mark, alone or next to other texts, and reads as before. */
export const withoutUnsubscribeMark = (text: string): string =>
  text.replaceAll('@unsubscribe_url', '@\u2060unsubscribe_url')

const mac = (secret: string, name: string): string => digest(secret, `unsubscribe-mac ${name}`, MAC_LENGTH)

function digest(secret: string, text: string, length: number): string {
  const bytes = createHmac('sha256', secret).update(text).digest()
  let written = ''
  for (let index = 0; written.length < length; index++) written += ALPHABET[(bytes[index] as number) & 31]
  return written
}
