// Generates, publishes and loads DKIM keys (RFC 6376 §3.6.1, RFC 8301, RFC 8463).

import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

/** Algorithm of a signature (`a=`), which also determines the type of the key. */
export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256'

export interface DkimKeyPair {
  /** Private key as PKCS #8 in PEM; a secret. */
  readonly privateKey: string
  /** Tag `p=` of the DNS record: base64 of the SPKI for RSA, or of the 32 bytes of the key for Ed25519. */
  readonly publicKey: string
}

const generate = promisify(generateKeyPair)

/** Generates a key pair. RSA keys have 2,048 bits and take some 100 ms in the thread pool. */
export async function generateDkimKey(algorithm: DkimAlgorithm): Promise<DkimKeyPair> {
  const { privateKey } =
    algorithm === 'rsa-sha256' ? await generate('rsa', { modulusLength: 2048 }) : await generate('ed25519')
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKeyOf(privateKey),
  }
}

/** Returns the tag `p=` of the DNS record for a private key. */
export function publicKeyOf(privateKey: KeyObject): string {
  const publicKey = createPublicKey(privateKey)
  if (publicKey.asymmetricKeyType === 'rsa') {
    return publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  }
  // An Ed25519 key is published as its bare bytes, which are `x` in JWK (RFC 8463 §4).
  return Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64')
}

/** Returns the TXT record for `<selector>._domainkey.<domain>` (RFC 6376 §3.6.1). */
export function dkimRecord(algorithm: DkimAlgorithm, publicKey: string): string {
  return `v=DKIM1; k=${algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'}; p=${publicKey}`
}

/**
 * Parses a private key once for many signatures, because parsing costs two and a half times as much as signing. Throws
 * a TypeError for a key of another algorithm, or an RSA key under 1,024 bits (RFC 8301 §3.2); the error message never
 * shows the key.
 */
export function loadDkimKey(algorithm: DkimAlgorithm, pem: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw new TypeError('The DKIM key is not a private key in PEM')
  }
  const type = algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'
  if (key.asymmetricKeyType !== type) throw new TypeError(`The DKIM key is not an ${type} key`)
  if (type === 'rsa' && key.asymmetricKeyDetails!.modulusLength! < 1024) {
    throw new TypeError('The DKIM key has fewer than 1024 bits')
  }
  return key
}
