// Reads a certificate and its private key from two PEM files, checks both, and creates TLS contexts.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'

/** Name of the file in the data directory with the certificate of an ACME authority and the private key. */
export const ACME_FILE = 'acme-certificate.pem'

/** A certificate chain and the private key, both in PEM. */
export interface CertificateAndKey {
  readonly cert: string
  readonly key: string
}

/** A certificate and a key that can be used in a TLS handshake, unless the certificate has expired. */
export interface UsableCertificate extends CertificateAndKey {
  /** First certificate of the certificate chain. */
  readonly leaf: X509Certificate
}

/**
 * Reads a certificate and its private key. Throws an error with the reason if a file is unreadable, empty or of another
 * format, or if the key does not belong to the certificate. OpenSSL alone would accept two empty files.
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
    throw new Error(`${file} contains no ${what} (${(cause as Error).message})`, { cause })
  }
}

/** Source of the certificate in force; `current` returns the same object until the certificate changes. */
export interface CertificateInForce {
  current(): CertificateAndKey
}

/** TLS contexts for TLS 1.2 or newer, with the certificate in force at each handshake. */
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

/** Returns the TLS context of a certificate and its key; creates each context only once. */
export function contextOfPair(pair: CertificateAndKey): SecureContext {
  const context = ofPairs.get(pair) ?? contextOf(pair)
  ofPairs.set(pair, context)
  return context
}

const contextOf = ({ cert, key }: CertificateAndKey): SecureContext =>
  createSecureContext({ cert, key, minVersion: 'TLSv1.2' })
