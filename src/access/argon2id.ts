// Computes the hash function of passwords.

import { argon2 } from 'node:crypto'
import { promisify } from 'node:util'

/** Cost of a hash, and the length of its tag in bytes. */
export interface Argon2Cost {
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
export async function argon2id(message: string, nonce: Buffer, cost: Argon2Cost): Promise<Buffer> {
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
