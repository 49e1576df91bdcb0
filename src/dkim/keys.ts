// Generates, publishes and loads DKIM keys (RFC 6376 §3.6.1, RFC 8301, RFC 8463).

import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign, verify } from 'node:crypto'
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

/** Sizes of RSA keys in bits that may be imported; verifiers need not accept other sizes (RFC 8301 §3.2). */
const [MIN_BITS, MAX_BITS] = [2_048, 4_096]
/** Public exponents of RSA keys that verifiers accept; with the exponent 1, everybody could sign. */
const [MIN_EXPONENT, MAX_EXPONENT] = [3n, 0xffff_ffffn]

/** A DKIM key that was generated elsewhere. */
export interface ImportedDkimKey extends DkimKeyPair {
  readonly algorithm: DkimAlgorithm
}

/**
 * Reads a private key that was generated elsewhere: an RSA key with 2,048 to 4,096 bits, or an Ed25519 key. Returns the
 * reason with the remedy, as a sentence that never shows the key, for a text that is no such key.
 */
export function importDkimKey(text: string): ImportedDkimKey | { readonly problem: string } {
  // The lines of a key in a configuration file are often indented, which OpenSSL does not accept.
  const pem = text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
  const problem = problemOfPem(pem)
  if (problem !== undefined) return { problem }
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    return { problem: 'The private key is damaged or cut off; give the whole file, with all line breaks.' }
  }
  const unusable = problemOfKey(key)
  if (unusable !== undefined) return { problem: unusable }
  return {
    algorithm: key.asymmetricKeyType === 'rsa' ? 'rsa-sha256' : 'ed25519-sha256',
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKeyOf(key),
  }
}

/** Returns the problem of a text that is not one unencrypted private key in PEM; undefined if it may be one. */
function problemOfPem(pem: string): string | undefined {
  const labels = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, label = '']) => label)
  const [label, ...others] = labels
  if (label === undefined) {
    return 'Give the private key in PEM, beginning with the line -----BEGIN PRIVATE KEY-----.'
  }
  if (label.startsWith('ENCRYPTED') || /^Proc-Type:.*ENCRYPTED/m.test(pem)) {
    return 'The private key is encrypted; decrypt it first with: openssl pkey -in key.pem -out plain.pem'
  }
  if (label.includes('PUBLIC') || label.includes('CERTIFICATE')) {
    return 'This is a public key or a certificate; give the private key.'
  }
  if (label === 'OPENSSH PRIVATE KEY') {
    return 'This is a key of OpenSSH; convert it first with: ssh-keygen -p -m PKCS8 -N "" -f key'
  }
  if (others.length > 0) return 'The text contains several keys; give the private key alone.'
  if (pem.includes('\\n')) return 'The line breaks are written as \\n; send them as line breaks.'
  return undefined
}

/** Returns the reason why a private key cannot sign mail; undefined if it can. */
function problemOfKey(key: KeyObject): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key
  if (type !== 'rsa' && type !== 'ed25519') {
    return `A key of the type ${type} cannot sign mail; give an RSA or an Ed25519 key.`
  }
  if (type === 'rsa') {
    const { modulusLength: bits = 0, publicExponent: exponent = 0n } = details
    if (bits < MIN_BITS || bits > MAX_BITS) {
      return `The RSA key has ${bits} bits; give a key with ${MIN_BITS} to ${MAX_BITS} bits.`
    }
    if (exponent < MIN_EXPONENT || exponent > MAX_EXPONENT) {
      return 'The RSA key has an unusual public exponent, which verifiers refuse; give a key with the exponent 65537.'
    }
  }
  return signs(key)
    ? undefined
    : 'The private key is damaged: its signatures are not valid; give another key.'
}

/** True if the public key of a private key verifies its signatures. */
function signs(key: KeyObject): boolean {
  const text = Buffer.from('a message')
  const digest = key.asymmetricKeyType === 'rsa' ? 'sha256' : undefined
  try {
    return verify(digest, text, createPublicKey(key), sign(digest, text, key))
  } catch {
    return false
  }
}
