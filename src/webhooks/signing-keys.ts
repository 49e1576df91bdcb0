// The secrets of a webhook: the keys that sign requests, with two keys of each kind during a rotation.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/** Stored keys of one generation. */
interface StoredGeneration {
  /** HMAC secret: `whsec_` and 32 random bytes in base64, as Standard Webhooks requires. */
  readonly secret: string
  /** Private Ed25519 key, as PKCS #8 in base64. */
  readonly ed25519: string
  /** Private P-256 key, as PKCS #8 in base64, for receivers that verify SendGrid's signature. */
  readonly p256: string
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
  readonly createdAt: number
  readonly endsAt: number | null
}

export function newGeneration(now: number): StoredGeneration {
  const stored = (key: KeyObject): string => key.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  return {
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    ed25519: stored(generateKeyPairSync('ed25519').privateKey),
    p256: stored(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    createdAt: now,
    endsAt: null,
  }
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
    .map(({ secret, ed25519, p256, createdAt, endsAt }) => ({
      secret,
      hmac: Buffer.from(secret.slice('whsec_'.length), 'base64'),
      ed25519: privateKey(ed25519),
      p256: privateKey(p256),
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

/** Returns the public P-256 key for SendGrid's signature, as SPKI in base64. */
export const p256PublicKeyOf = (keys: SigningKeys): string =>
  createPublicKey(keys.p256).export({ format: 'der', type: 'spki' }).toString('base64')
