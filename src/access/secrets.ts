// Secrets: how they are made and what of them is kept.

import { argon2, hash, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { randomBase62 } from '../lib/ids.ts'

/** 43 base62 characters: 256 bits. */
const SECRET_LENGTH = 43

/** A new secret, shown once: `send_…`, `verify_…`, or bare for an SMTP password. */
export const newSecret = (prefix: string): string => `${prefix}${randomBase62(SECRET_LENGTH)}`

/** What is stored of a secret: SHA-256, hexadecimal. Enough for random secrets of this length. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

const argon2Async = promisify(argon2)

/** The cost of a password hash: OWASP's recommendation for argon2id (19 MiB, 2 passes). */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

/** What is stored of a password that people choose: argon2id with a salt, as `argon2id$m,t,p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = (await argon2Async('argon2id', { message: password, nonce, ...COST })) as Buffer
  const cost = `${COST.memory},${COST.passes},${COST.parallelism}`
  return `argon2id$${cost}$${nonce.toString('base64url')}$${tag.toString('base64url')}`
}
