// Tracking links: the tracked places in HTML, the signed tokens, and the HTML with tracking links for one recipient.

import { createHmac, timingSafeEqual } from 'node:crypto'

/** Tracked places in the HTML of a message, in UTF-16 units, found when the message is accepted. */
export interface TrackedPlaces {
  /** Position of the pixel that tracks opens; null without a pixel. */
  readonly opens: number | null
  /** Start and end (exclusive) of each `href` value, with the URL of the link. */
  readonly links: readonly (readonly [start: number, end: number, url: string])[]
}

/** Host of the tracking links of a message, and the key that signs the links. */
export interface TrackingSigner {
  /** Base URL without a trailing slash: `https://links.example.com`. */
  readonly base: string
  readonly key: Uint8Array
}

/** One tracked place in the message to one recipient. */
export interface TrackedHit {
  readonly messageId: string
  /** Position of the recipient in the message. */
  readonly position: number
  /** Number of the link in the message, from 0; `OPEN_LINK` is the pixel. */
  readonly link: number
  /** Target URL of the link; empty for the pixel. */
  readonly url: string
}

/** Number of the pixel among the links of a message. */
export const OPEN_LINK = -1
/** Maximum number of tracked links of a message; further links stay unchanged. */
export const MAX_TRACKED_LINKS = 300
/**
 * Maximum size of a tracked URL in bytes, so that the tracking URL stays below 2,048 characters, which every program
 * accepts.
 */
export const MAX_TRACKED_URL = 1_400

/** Returns the host of the tracking links of a domain, which is a CNAME to the installation. */
export const trackingHost = (domain: string): string => `links.${domain}`

/**
 * Returns the key that signs the tokens of one host. A token is invalid at another host, so that no account can create
 * redirects at the host of another account.
 */
export const trackingKey = (secret: string, host: string): Buffer =>
  createHmac('sha256', secret).update(`tracking ${host.toLowerCase()}`).digest()

const ULID_BYTES = 16
const HEAD_BYTES = ULID_BYTES + 3
/** Size of the MAC in bytes; 96 bits suffice, because a forger needs one request per attempt. */
const MAC_BYTES = 12
/** Link number of the pixel in tokens. */
const PIXEL = 0xffff

/**
 * Returns the token of a hit in base64url: the ID of the message, the position of the recipient, the number of the
 * link, the URL, and a MAC over these fields.
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

/** Decodes a token that was made with this key; undefined for any other text. */
export function readTrackingToken(key: Uint8Array, text: string): TrackedHit | undefined {
  const token = Buffer.from(text, 'base64url')
  // Only the canonical spelling is valid, because the last character of base64 may have unused bits.
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
 * Returns the HTML for one recipient, with tracked `href` values and the pixel, and otherwise unchanged.
 *
 * @param firstLink number of the first link, for a message with several HTML bodies
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

/**
 * Returns the HTML of the tracking pixel. The pixel is out of the text flow, so that it takes no space; mail clients
 * without CSS positioning show one transparent pixel.
 */
const pixel = (url: string): string =>
  `<img src="${url}" width="1" height="1" alt="" style="display:block;position:absolute;width:1px;height:1px;border:0">`

/** Returns the maximum number of bytes by which the HTML of a recipient exceeds the stored HTML. */
export const trackingBytes = ({ opens, links }: TrackedPlaces, host: string): number =>
  links.reduce((sum, [, , url]) => sum + url.length / 2 + host.length + 64, 0) +
  (opens === null ? 0 : host.length + 256)

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Decodes the 26 characters at the end of an ID to 128 bits. */
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
