// DKIM keys: made, published, loaded (RFC 6376 §3.6.1, RFC 8301, RFC 8463).

import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

/** The `a=` of a signature, and with it the kind of key. */
export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256'

export interface DkimKeyPair {
  /** PKCS #8 in PEM. A secret. */
  readonly privateKey: string
  /** Value of `p=` in the DNS record: base64 of the SPKI for RSA, of the 32 bytes for Ed25519. */
  readonly publicKey: string
}

const generate = promisify(generateKeyPair)

/** A new pair; RSA with 2,048 bits, which takes some 100 ms in the thread pool. */
export async function generateDkimKey(algorithm: DkimAlgorithm): Promise<DkimKeyPair> {
  const { privateKey } =
    algorithm === 'rsa-sha256' ? await generate('rsa', { modulusLength: 2048 }) : await generate('ed25519')
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKeyOf(privateKey),
  }
}

/** The `p=` that belongs to a private key. */
export function publicKeyOf(privateKey: KeyObject): string {
  const publicKey = createPublicKey(privateKey)
  if (publicKey.asymmetricKeyType === 'rsa') {
    return publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  }
  // RFC 8463 §4: the bare key, which JWK gives as `x`.
  return Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64')
}

/** The value of the TXT record at `<selector>._domainkey.<domain>` (RFC 6376 §3.6.1). */
export function dkimRecord(algorithm: DkimAlgorithm, publicKey: string): string {
  return `v=DKIM1; k=${algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'}; p=${publicKey}`
}

/**
 * Reads a private key, once for many signatures: parsing costs two and a half times what signing does. Throws a
 * TypeError when it is not a key of that algorithm, or an RSA key under 1,024 bits (RFC 8301 §3.2); the
 * message never shows the key.
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
