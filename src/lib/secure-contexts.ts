// The TLS context of a listener, renewed when its certificate changes.

import { createSecureContext, type SecureContext } from 'node:tls'
import type { CertificateAndKey } from './certificate-files.ts'

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
