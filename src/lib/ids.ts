// IDs: a type prefix and 26 characters that sort by creation time.

import { randomBytes, randomFillSync } from 'node:crypto'
import { currentRun, type RepeatableRun } from './repeatable-run.ts'

/** Prefixes of IDs, one for each kind of object (`msg_01J…`). */
export type IdPrefix =
  | 'acc'
  | 'usr'
  | 'ses'
  | 'inv'
  | 'pky'
  | 'aud'
  | 'dom'
  | 'dkm'
  | 'key'
  | 'smtp'
  | 'msg'
  | 'evt'
  | 'att'
  | 'mbx'
  | 'inb'
  | 'inc'
  | 'sup'
  | 'nod'
  | 'grt'
  | 'ver'
  | 'chk'
  | 'blk'
  | 'req'
  | 'rql'
  | 'tpl'
  | 'lay'
  | 'whk'
  | 'whd'
  | 'rpt'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const pool = Buffer.alloc(4096)
let poolUsed = pool.length

/**
 * Maximum lead of the last ID over the clock, in milliseconds. A clock that is set back by less soon reaches the time
 * of the last ID again, so new IDs contain the time of the last ID until then. After a larger correction, new IDs
 * follow the clock, because retention counts days by the time in IDs.
 */
const MAX_AHEAD_MS = 86_400_000

/** Last ID with one prefix; IDs with different prefixes are independent. */
interface Last {
  ms: number
  timePart: string
  counter: number
}
const lastOf: { [Prefix in IdPrefix]?: Last } = {}

function randomByte(): number {
  if (poolUsed === pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  return pool[poolUsed++] as number
}

/**
 * Returns a new ID: `prefix_` + 10 characters of time (48 bits of milliseconds) + 4 characters of a counter that orders
 * IDs of one millisecond + 12 random characters (60 bits), in Crockford base32, like a ULID.
 */
export function newId(prefix: IdPrefix, now?: number): string {
  const run = currentRun()
  return run === undefined ? usualId(prefix, now ?? Date.now()) : drawnId(run, prefix, now ?? run.now)
}

/** Returns an ID that every repeated run of the same request creates identically. */
function drawnId(run: RepeatableRun, prefix: IdPrefix, now: number): string {
  const drawn = run.draw(prefix, 16)
  return `${prefix}_${encodeTime(now)}${Array.from(drawn, (byte) => ALPHABET[byte & 31]).join('')}`
}

function usualId(prefix: IdPrefix, now: number): string {
  lastOf[prefix] ??= { ms: -1, timePart: '', counter: 0 }
  const last = lastOf[prefix]
  if (now > last.ms || last.ms - now > MAX_AHEAD_MS) {
    last.ms = now
    last.timePart = encodeTime(now)
    last.counter = randomByte() << 4
  } else {
    last.counter = (last.counter + 1) & 0xfffff
  }
  let tail = ''
  for (let shift = 15; shift >= 0; shift -= 5) tail += ALPHABET[(last.counter >> shift) & 31]
  for (let i = 0; i < 12; i++) tail += ALPHABET[randomByte() & 31]
  return `${prefix}_${last.timePart}${tail}`
}

function encodeTime(ms: number): string {
  let text = ''
  for (let rest = ms, i = 0; i < 10; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/**
 * Returns a text that sorts before every ID of this prefix created from `now` on, and after every ID created before
 * `now`.
 */
export const beforeIdsOf = (prefix: IdPrefix, now: number): string => `${prefix}_${encodeTime(now)}`
/** Returns the creation time of an ID, in milliseconds since the epoch. */
export function timeOfId(id: string): number {
  let ms = 0
  for (const character of id.slice(-26, -16)) ms = ms * 32 + ALPHABET.indexOf(character)
  return ms
}

/** True if `text` has the form of an ID with this prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 27 &&
    text.startsWith(`${prefix}_`) &&
    /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text.slice(-26))
  )
}

/** Returns the number that the characters of an ID from `start` to `end` mean. */
function bitsOf(id: string, start: number, end: number): number {
  let bits = 0
  for (let at = start; at < end; at++) bits = bits * 32 + ALPHABET.indexOf(id.charAt(at))
  return bits
}

const hex = (bits: number, digits: number): string => bits.toString(16).padStart(digits, '0')

/**
 * Returns the 128 bits of an ID as a UUID (RFC 9562 §4), for clients that read IDs as UUIDs. `idOfUuid` returns the ID
 * again. The version of the UUID is arbitrary.
 */
export function uuidOfId(id: string): string {
  const start = id.length - 26
  // The first two characters hold eight bits, and each further four characters hold twenty bits.
  let text = hex(bitsOf(id, start, start + 2), 2)
  for (let at = start + 2; at < id.length; at += 4) text += hex(bitsOf(id, at, at + 4), 5)
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`
}

/** Returns the ID with the bits of a UUID; undefined for a text that is not a UUID. */
export function idOfUuid(prefix: IdPrefix, uuid: string): string | undefined {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uuid)) return undefined
  const digits = uuid.replaceAll('-', '')
  let text = charactersOf(Number.parseInt(digits.slice(0, 2), 16), 2)
  for (let at = 2; at < 32; at += 5) text += charactersOf(Number.parseInt(digits.slice(at, at + 5), 16), 4)
  return `${prefix}_${text}`
}

/** Returns the lowest ID that sorts after an ID, so that a list before this ID begins with the given ID. */
export function idAfter(id: string): string {
  const [, head = '', last = '0', tail = ''] = /^(.*)([^Z])(Z*)$/.exec(id) ?? []
  return head + ALPHABET[ALPHABET.indexOf(last) + 1] + '0'.repeat(tail.length)
}

/** Returns a number as characters of an ID. */
function charactersOf(bits: number, length: number): string {
  let text = ''
  for (let rest = bits, i = 0; i < length; i++, rest >>>= 5) text = ALPHABET[rest & 31] + text
  return text
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns `length` random base62 characters, each drawn without bias (5.95 bits); see `newRandomBytes`. */
export function randomBase62(length: number): string {
  const run = currentRun()
  let text = ''
  while (text.length < length) {
    // The run draws twice as many bytes as characters, since one in 32 values is rejected.
    const drawn = run?.draw('base62', 2 * length)
    for (let index = 0; index < 2 * length && text.length < length; index++) {
      const byte = (drawn?.[index] ?? randomByte()) & 63
      if (byte < 62) text += BASE62[byte]
    }
  }
  return text
}

/**
 * Returns random bytes for a secret from the operating system. A request that is run again after a crash gets the same
 * bytes.
 */
export const newRandomBytes = (length: number): Buffer =>
  currentRun()?.draw('bytes', length) ?? randomBytes(length)
