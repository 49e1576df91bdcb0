// A certificate and its private key in two PEM files: validity, expiry, and the TLS contexts made of them.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'

/** File of the data directory with the certificate of an ACME authority and its key. */
export const ACME_FILE = 'acme-certificate.pem'

/** A certificate chain and its private key, in PEM. */
export interface CertificateAndKey {
  readonly cert: string
  readonly key: string
}

/** A pair that works in a handshake, unless it has expired. */
export interface UsableCertificate extends CertificateAndKey {
  /** First certificate of the chain. */
  readonly leaf: X509Certificate
}

/**
 * Reads the two files. Throws an error with the reason when the files cannot be used: a file is unreadable, empty or
 * holds something else, or the two do not belong together. OpenSSL alone would accept an empty pair.
 */
export function readCertificateFiles(certFile: string, keyFile: string): UsableCertificate {
  const cert = readPem(certFile)
  const key = readPem(keyFile)
  const leaf = parse(certFile, 'certificate', () => new X509Certificate(cert))
  const privateKey = parse(keyFile, 'private key without a passphrase', () => createPrivateKey(key))
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new Error(`the key in ${keyFile} does not belong to the certificate in ${certFile}`)
  }
  parse(certFile, 'certificate that TLS takes', () => createSecureContext({ cert, key }))
  return { cert, key, leaf }
}

function readPem(file: string): string {
  const text = readFileSync(file, 'utf8')
  if (text.trim() === '') throw new Error(`${file} is empty`)
  return text
}

function parse<T>(file: string, what: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new Error(`${file} holds no ${what} (${(cause as Error).message})`, { cause })
  }
}

/** Returns the same object until the certificate changes. */
export interface CertificateInForce {
  current(): CertificateAndKey
}

/** TLS 1.2 or newer, with the certificate in force at each handshake. */
export class SecureContexts {
  readonly #source: CertificateInForce
  #certificate: CertificateAndKey
  #context: SecureContext

  constructor(source: CertificateInForce) {
    this.#source = source
    this.#certificate = source.current()
    this.#context = contextOf(this.#certificate)
  }

  current(): SecureContext {
    const certificate = this.#source.current()
    if (certificate !== this.#certificate) {
      this.#certificate = certificate
      this.#context = contextOf(certificate)
    }
    return this.#context
  }
}

const ofPairs = new WeakMap<CertificateAndKey, SecureContext>()

/** Returns the context of a pair, created once. */
export function contextOfPair(pair: CertificateAndKey): SecureContext {
  const context = ofPairs.get(pair) ?? contextOf(pair)
  ofPairs.set(pair, context)
  return context
}

const contextOf = ({ cert, key }: CertificateAndKey): SecureContext =>
  createSecureContext({ cert, key, minVersion: 'TLSv1.2' })
