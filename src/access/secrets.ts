// Secrets: how they are made and what of them is kept.

import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { randomBase62 } from '../lib/ids.ts'
import { HashQueue, type Standing } from './hash-queue.ts'

/** 43 base62 characters: 256 bits. */
const SECRET_LENGTH = 43

/** A new secret, shown once: `send_…`, `verify_…`, or bare for an SMTP password. */
export const newSecret = (prefix: string): string => `${prefix}${randomBase62(SECRET_LENGTH)}`

/** Stored form of a secret: SHA-256, hexadecimal. Enough for random secrets of this length. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

const argon2Async = promisify(argon2)

/** One for all logins of the process. */
const hashing = new HashQueue()

/** Throws `rate_limit_exceeded` when a client of this standing would not get its password checked. */
export const requireRoomForPassword = (standing: Standing): void => hashing.requireRoom(standing)

const argon2id = (how: Parameters<typeof argon2Async>[1], standing: Standing): Promise<Buffer> =>
  hashing.do(standing, () => argon2Async('argon2id', how) as Promise<Buffer>)

/** The cost of a password hash: OWASP's recommendation for argon2id (19 MiB, 2 passes). */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

/**
 * Stored form of a password that people choose: argon2id with a salt, as `argon2id$m,t,p$salt$hash`. Throws
 * `rate_limit_exceeded` for strangers when too many wait.
 */
export async function hashPassword(password: string, standing: Standing = 'known'): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await argon2id({ message: password, nonce, ...COST }, standing)
  const cost = `${COST.memory},${COST.passes},${COST.parallelism}`
  return `argon2id$${cost}$${nonce.toString('base64url')}$${tag.toString('base64url')}`
}

/** Stands for the hash of a user who does not exist, so that looking takes as long: no password has it. */
const NOBODY = `argon2id$${COST.memory},${COST.passes},${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/**
 * True if this is the password behind a hash; without a hash it takes as long and is false. Throws
 * `rate_limit_exceeded` for strangers when too many wait.
 */
export async function isPassword(
  password: string,
  kept: string | undefined,
  standing: Standing,
): Promise<boolean> {
  const [kind, cost = '', salt = '', tag = ''] = (kept ?? NOBODY).split('$')
  const [memory, passes, parallelism] = cost.split(',').map(Number)
  if (kind !== 'argon2id' || !memory || !passes || !parallelism) return false
  const wanted = Buffer.from(tag, 'base64url')
  const nonce = Buffer.from(salt, 'base64url')
  const how = { message: password, nonce, memory, passes, parallelism, tagLength: wanted.length }
  const found = await argon2id(how, standing)
  return timingSafeEqual(found, wanted) && kept !== undefined
}
