// The secrets of a webhook: the keys that sign requests, with two keys of each kind during a rotation.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { WebhookFormat } from '../model/webhook.ts'

/** Stored keys of one generation. */
interface StoredGeneration {
  /** HMAC secret: `whsec_` and 32 random bytes in base64, as Standard Webhooks requires. */
  readonly secret: string
  /** Private Ed25519 key, as PKCS #8 in base64. */
  readonly ed25519: string
  /** Private P-256 key, as PKCS #8 in base64, for receivers that verify SendGrid's signature. */
  readonly p256: string
  /** Private RSA key, as PKCS #8 in base64, for receivers that verify Postal's signature; absent for other formats. */
  readonly rsa?: string
  /** Time of creation, in milliseconds since the epoch. */
  readonly createdAt: number
  /** Time after which the generation is no longer used; null for the newest generation. */
  readonly endsAt: number | null
}

export interface BasicAuth {
  readonly username: string
  readonly password: string
}

/** All secrets of a webhook, which are stored encrypted. */
export interface WebhookSecrets {
  /** Generations of keys, newest first. */
  readonly generations: readonly StoredGeneration[]
  readonly basicAuth: BasicAuth | null
}

/** Keys of one generation, ready to sign. */
export interface SigningKeys {
  readonly secret: string
  /** Bytes of the HMAC secret. */
  readonly hmac: Buffer
  readonly ed25519: KeyObject
  readonly p256: KeyObject
  /** The RSA key of a webhook in the format of Postal. */
  readonly rsa: KeyObject | undefined
  readonly createdAt: number
  readonly endsAt: number | null
}

const stored = (key: KeyObject): string => key.export({ format: 'der', type: 'pkcs8' }).toString('base64')

export function newGeneration(now: number): StoredGeneration {
  return {
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    ed25519: stored(generateKeyPairSync('ed25519').privateKey),
    p256: stored(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    createdAt: now,
    endsAt: null,
  }
}

/**
 * Returns the secrets with the keys that a format needs. Only Postal's signature needs an RSA key, which takes a thread a
 * tenth of a second.
 */
export async function withKeysFor(format: WebhookFormat, secrets: WebhookSecrets): Promise<WebhookSecrets> {
  const [newest, ...others] = secrets.generations
  if (format !== 'postal' || newest === undefined || newest.rsa !== undefined) return secrets
  const { privateKey: key } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 })
  return { ...secrets, generations: [{ ...newest, rsa: stored(key) }, ...others] }
}

/** Adds a new generation of keys; the previous generation stays valid until `validUntil`, and older generations end. */
export const rotated = (secrets: WebhookSecrets, now: number, validUntil: number): WebhookSecrets => {
  const [before] = secrets.generations
  const previous = before !== undefined && validUntil > now ? [{ ...before, endsAt: validUntil }] : []
  return { ...secrets, generations: [newGeneration(now), ...previous] }
}

/** Returns the keys of the generations that are valid at this time, newest first. */
export const readKeys = (secrets: WebhookSecrets, now: number): SigningKeys[] =>
  secrets.generations
    .filter(({ endsAt }) => endsAt === null || endsAt > now)
    .map(({ secret, ed25519, p256, rsa, createdAt, endsAt }) => ({
      secret,
      hmac: Buffer.from(secret.slice('whsec_'.length), 'base64'),
      ed25519: privateKey(ed25519),
      p256: privateKey(p256),
      rsa: rsa === undefined ? undefined : privateKey(rsa),
      createdAt,
      endsAt,
    }))

const privateKey = (stored: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(stored, 'base64'), format: 'der', type: 'pkcs8' })

/** Returns the public Ed25519 key as Standard Webhooks writes the key: `whpk_` and 32 bytes in base64. */
export function publicKeyOf(keys: SigningKeys): string {
  const { x = '' } = createPublicKey(keys.ed25519).export({ format: 'jwk' })
  return `whpk_${Buffer.from(x, 'base64url').toString('base64')}`
}

const spkiOf = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')

/** Returns the public P-256 key for SendGrid's signature, as SPKI in base64. */
export const p256PublicKeyOf = (keys: SigningKeys): string => spkiOf(keys.p256)

/** Returns the public RSA key for Postal's signature, as SPKI in base64; an empty text without such a key. */
export const rsaPublicKeyOf = ({ rsa }: SigningKeys): string => (rsa === undefined ? '' : spkiOf(rsa))

/** Returns the ID of an RSA key: the SHA-256 hash of the public key as PKCS #1, in hexadecimal digits. */
export const rsaKeyId = (rsa: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKey(rsa).export({ format: 'der', type: 'pkcs1' }))
    .digest('hex')

/**
 * Signs in a thread, since a signature with a key pair takes as long as all other work for a request.
 *
 * @param algorithm hash algorithm; null for a key whose signature includes the hash
 */
export const signLater = (algorithm: string | null, signed: Buffer, key: KeyObject): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    sign(algorithm, signed, key, (error, signature) => (error === null ? resolve(signature) : reject(error)))
  })
