// Generates secrets, and hashes secrets for storage.

import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { randomBase62 } from '../lib/ids.ts'
import { type HashPriority, HashQueue } from './hash-queue.ts'

/** Length of a secret in base62 characters, which amounts to 256 bits. */
const SECRET_LENGTH = 43

/**
 * Generates a secret that is shown once, with a prefix such as `send_` or `verify_`; without prefix for an SMTP
 * password.
 */
export const newSecret = (prefix: string): string => `${prefix}${randomBase62(SECRET_LENGTH)}`

/** Returns the stored form of a secret: SHA-256 in hexadecimal, sufficient for random secrets of this length. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

/** Queue of the password hashes for all logins of the process. */
const hashing = new HashQueue()

/** Throws `rate_limit_exceeded` if the hash queue would refuse a client of this priority at once. */
export const requireRoomForPassword = (priority: HashPriority): void => hashing.requireRoom(priority)

/**
 * Waits for the turn of a client in the hash queue, then runs work that checks a password, including the reads and
 * writes of the store around the check. Throws `rate_limit_exceeded` for a stranger when too many strangers are
 * waiting.
 */
export const inHashTurn = <T>(priority: HashPriority, work: () => Promise<T>): Promise<T> =>
  hashing.do(priority, work)

/** Cost of a hash, and the length of its tag in bytes. */
interface Argon2Cost {
  /** Memory in KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly tagLength: number
}

type Hash = (message: string, nonce: Buffer, cost: Argon2Cost) => Promise<Buffer>

/** `Algorithm.Argon2id` of the package, which declares a constant enumeration without a value at run time. */
const ARGON2ID = 2

let loaded: Promise<Hash> | undefined

/** Returns the argon2id tag of a password (RFC 9106), computed in the thread pool of libuv. */
async function argon2id(message: string, nonce: Buffer, cost: Argon2Cost): Promise<Buffer> {
  loaded ??= load()
  return (await loaded)(message, nonce, cost)
}

/**
 * Loads the package, which computes the same tags in less than half of the CPU time of Node.js, because the package uses
 * the vector instructions of the processor. Node.js computes the tags on a platform for which npm has no binary.
 */
async function load(): Promise<Hash> {
  const fast = await import('@node-rs/argon2').catch(() => undefined)
  if (fast === undefined) return ofNode
  return (message, nonce, { memory, passes, parallelism, tagLength }) =>
    fast.hashRaw(Buffer.from(message), {
      ...{ algorithm: ARGON2ID, salt: nonce, outputLen: tagLength },
      ...{ memoryCost: memory, timeCost: passes, parallelism },
    })
}

const argon2OfNode = promisify(argon2)

const ofNode: Hash = (message, nonce, cost) =>
  argon2OfNode('argon2id', { message, nonce, ...cost }) as Promise<Buffer>

/** Cost of a password hash: the OWASP recommendation for argon2id (19 MiB, 2 passes). */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

/**
 * Returns the stored form of a password: argon2id with a salt, as `argon2id$m,t,p$salt$hash`. Throws
 * `rate_limit_exceeded` for a stranger when too many strangers are waiting.
 */
export async function hashPassword(password: string, priority: HashPriority = 'known'): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await inHashTurn(priority, () => argon2id(password, nonce, COST))
  const cost = `${COST.memory},${COST.passes},${COST.parallelism}`
  return `argon2id$${cost}$${nonce.toString('base64url')}$${tag.toString('base64url')}`
}

/**
 * Placeholder hash for a user who does not exist, so that checking a password takes the same time. No password matches
 * the placeholder hash.
 */
const NOBODY = `argon2id$${COST.memory},${COST.passes},${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/**
 * True if the password matches the hash. A check without a hash takes the same time and returns false. Must run within
 * `inHashTurn`.
 */
export async function isPassword(password: string, kept: string | undefined): Promise<boolean> {
  const [kind, cost = '', salt = '', tag = ''] = (kept ?? NOBODY).split('$')
  const [memory, passes, parallelism] = cost.split(',').map(Number)
  if (kind !== 'argon2id' || !memory || !passes || !parallelism) return false
  const wanted = Buffer.from(tag, 'base64url')
  const nonce = Buffer.from(salt, 'base64url')
  const found = await argon2id(password, nonce, { memory, passes, parallelism, tagLength: wanted.length })
  return timingSafeEqual(found, wanted) && kept !== undefined
}
