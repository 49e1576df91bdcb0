// Tracking links: places in HTML that are tracked, their signed tokens, and the HTML with them for one recipient.

import { createHmac, timingSafeEqual } from 'node:crypto'

/** Places in the HTML of a message, in UTF-16 units, found when it is accepted. */
export interface TrackedPlaces {
  /** Position of the open pixel; null without one. */
  readonly opens: number | null
  /** Values of `href` from their first to behind their last character, with the URL that each leads to. */
  readonly links: readonly (readonly [start: number, end: number, url: string])[]
}

/** Host of the links of a message, and the key that signs them. */
export interface TrackingSigner {
  /** Without a final slash: `https://links.example.com`. */
  readonly base: string
  readonly key: Uint8Array
}

/** One place of one recipient's message. */
export interface TrackedHit {
  readonly messageId: string
  /** Of the recipient in its message. */
  readonly position: number
  /** Number of the link in its message, from 0; `OPEN_LINK` is the pixel. */
  readonly link: number
  /** URL that the link leads to; empty for the pixel. */
  readonly url: string
}

/** Number of the pixel among the links of a message. */
export const OPEN_LINK = -1
/** Links of a message that are tracked; those behind them stay as they are. */
export const MAX_TRACKED_LINKS = 300
/** Bytes of a URL that is tracked: its token stays below the 2,048 characters that every program takes. */
export const MAX_TRACKED_URL = 1_400

/** Host that a domain's tracking links lead to, a CNAME of the installation. */
export const trackingHost = (domain: string): string => `links.${domain}`

/**
 * Key of the tokens of one host: a token is worth nothing under another one, so that no account makes redirects of
 * another account's host.
 */
export const trackingKey = (secret: string, host: string): Buffer =>
  createHmac('sha256', secret).update(`tracking ${host.toLowerCase()}`).digest()

const ULID_BYTES = 16
const HEAD_BYTES = ULID_BYTES + 3
/** 96 bits: a forger has one try a request. */
const MAC_BYTES = 12
/** The number of the pixel as it stands in tokens. */
const PIXEL = 0xffff

/**
 * Token of a hit in base64url: the message's ID, the recipient's position, the link's number, the URL, and the MAC
 * over all of it.
 */
export function trackingToken(key: Uint8Array, { messageId, position, link, url }: TrackedHit): string {
  const target = Buffer.from(url)
  const token = Buffer.allocUnsafe(HEAD_BYTES + target.length + MAC_BYTES)
  ulidBytes(messageId).copy(token)
  token.writeUInt8(position, ULID_BYTES)
  token.writeUInt16BE(link === OPEN_LINK ? PIXEL : link, ULID_BYTES + 1)
  target.copy(token, HEAD_BYTES)
  macOf(key, token).copy(token, token.length - MAC_BYTES)
  return token.toString('base64url')
}

/** Reads a token that was made with this key; undefined for any other text. */
export function readTrackingToken(key: Uint8Array, text: string): TrackedHit | undefined {
  const token = Buffer.from(text, 'base64url')
  // One spelling only: the last character of base64 may have bits without meaning.
  if (token.length < HEAD_BYTES + MAC_BYTES || token.toString('base64url') !== text) return undefined
  if (!timingSafeEqual(token.subarray(-MAC_BYTES), macOf(key, token))) return undefined
  const link = token.readUInt16BE(ULID_BYTES + 1)
  return {
    messageId: `msg_${ulidText(token)}`,
    position: token.readUInt8(ULID_BYTES),
    link: link === PIXEL ? OPEN_LINK : link,
    url: token.toString('utf8', HEAD_BYTES, token.length - MAC_BYTES),
  }
}

const macOf = (key: Uint8Array, token: Buffer): Buffer =>
  createHmac('sha256', key).update(token.subarray(0, -MAC_BYTES)).digest().subarray(0, MAC_BYTES)

/**
 * HTML as one recipient gets it: the value of each tracked `href`, and the pixel; all else stays as it is.
 *
 * @param firstLink number of its first link, of a message of several HTML bodies
 */
export function putTracking(
  html: string,
  { opens, links }: TrackedPlaces,
  { base, key }: TrackingSigner,
  { messageId, position }: Pick<TrackedHit, 'messageId' | 'position'>,
  firstLink = 0,
): string {
  const token = (link: number, url: string): string =>
    trackingToken(key, { messageId, position, link: link === OPEN_LINK ? link : firstLink + link, url })
  const edits = links.map(([start, end, url], link) => ({
    ...{ start, end },
    text: `${base}/c/${token(link, url)}`,
  }))
  if (opens !== null) {
    edits.push({ start: opens, end: opens, text: pixel(`${base}/o/${token(OPEN_LINK, '')}`) })
  }
  edits.sort((one, other) => one.start - other.start)
  let made = ''
  let from = 0
  for (const { start, end, text } of edits) {
    made += html.slice(from, start) + text
    from = end
  }
  return made + html.slice(from)
}

/** Out of the flow, so that it takes no room; programs that drop the position show one transparent point. */
const pixel = (url: string): string =>
  `<img src="${url}" width="1" height="1" alt="" style="display:block;position:absolute;width:1px;height:1px;border:0">`

/** Bytes by which the HTML of a recipient is longer than the stored one, at most. */
export const trackingBytes = ({ opens, links }: TrackedPlaces, host: string): number =>
  links.reduce((sum, [, , url]) => sum + url.length / 2 + host.length + 64, 0) +
  (opens === null ? 0 : host.length + 256)

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The 26 characters at the end of an ID as 128 bits. */
function ulidBytes(id: string): Buffer {
  const bytes = Buffer.alloc(ULID_BYTES)
  let bits = 0
  let held = 0
  let at = ULID_BYTES
  for (let index = id.length - 1; at > 0; index--) {
    held |= ALPHABET.indexOf(id[index] as string) << bits
    bits += 5
    if (bits < 8) continue
    bytes[--at] = held & 0xff
    held >>= 8
    bits -= 8
  }
  return bytes
}

function ulidText(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let held = 0
  for (let at = ULID_BYTES - 1; at >= 0; at--) {
    held |= (bytes[at] as number) << bits
    bits += 8
    for (; bits >= 5; bits -= 5) {
      text = ALPHABET[held & 31] + text
      held >>= 5
    }
  }
  return ALPHABET[held] + text
}
