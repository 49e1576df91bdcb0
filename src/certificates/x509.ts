// Makes certificates and certificate requests with keys on P-256. Only the thread of `making.ts` loads this module,
// because the libraries take 30 MB.

import 'reflect-metadata'
import { createPrivateKey, KeyObject, type webcrypto as WebCrypto, webcrypto } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { CertificateAndKey } from '../lib/certificate-files.ts'

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

export interface CertificateOptions {
  /** DNS names and IP addresses; the first DNS name is also the common name. */
  readonly names: readonly JsonGeneralName[]
  /** Start of validity in milliseconds since the epoch; `notAfter` is the end. */
  readonly notBefore: number
  readonly notAfter: number
  /** Issuer of the certificate; a certificate without an issuer is self-signed. */
  readonly issuer?: CertificateAndKey
  /** True if the certificate may sign other certificates. */
  readonly isAuthority?: boolean
  readonly extensions?: readonly Extension[]
}

/** Makes a certificate and its private key, in PEM. */
export async function makeCertificate(options: CertificateOptions): Promise<CertificateAndKey> {
  const { names, notBefore, notAfter, issuer, isAuthority = false, extensions = [] } = options
  const keys = await newKeys()
  const usage = isAuthority
    ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign
    : KeyUsageFlags.digitalSignature
  const common = {
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    signingAlgorithm: P256,
    extensions: [
      new BasicConstraintsExtension(isAuthority, undefined, isAuthority),
      new KeyUsagesExtension(usage, isAuthority),
      ...(isAuthority ? [] : [new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth])]),
      new SubjectAlternativeNameExtension([...names]),
      ...extensions,
    ],
  }
  const subject = subjectOf(names)
  const made =
    issuer === undefined
      ? await X509CertificateGenerator.createSelfSigned({ ...common, name: subject, keys })
      : await X509CertificateGenerator.create({
          ...common,
          subject,
          issuer: new X509Certificate(issuer.cert).subject,
          publicKey: keys.publicKey,
          signingKey: await signingKeyOf(issuer.key),
        })
  return { cert: `${made.toString('pem')}\n`, key: pemOf(keys.privateKey) }
}

/** Makes a key and the certificate request for these host names (RFC 2986), in DER. */
export async function makeRequest(
  names: readonly string[],
): Promise<{ readonly request: Buffer; readonly key: string }> {
  const keys = await newKeys()
  const san = names.map((value): JsonGeneralName => ({ type: 'dns', value }))
  const made = await Pkcs10CertificateRequestGenerator.create({
    name: subjectOf(san),
    keys,
    signingAlgorithm: P256,
    extensions: [new SubjectAlternativeNameExtension(san)],
  })
  return { request: Buffer.from(made.rawData), key: pemOf(keys.privateKey) }
}

/** Object identifier of the extension that answers a TLS-ALPN-01 challenge (RFC 8737 §3). */
export const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31'

/**
 * Makes the certificate that answers a TLS-ALPN-01 challenge (RFC 8737 §3). `digest` is the SHA-256 of the key
 * authorization.
 */
export function makeChallengeCertificate(
  name: string,
  digest: Buffer,
  now: number,
): Promise<CertificateAndKey> {
  // An OCTET STRING of 32 bytes, in DER.
  const value = Buffer.concat([Buffer.from([4, digest.length]), digest])
  return makeCertificate({
    names: [{ type: 'dns', value: name }],
    notBefore: now - 86_400_000,
    notAfter: now + 86_400_000,
    extensions: [new Extension(ACME_IDENTIFIER, true, value)],
  })
}

/**
 * Returns the identifier of a certificate at a renewal information resource (RFC 9773 §4.1); undefined if the
 * certificate cannot have an identifier.
 */
export function renewalIdOf(chain: string): string | undefined {
  const leaf = new X509Certificate(chain)
  const authority = leaf.getExtension(AuthorityKeyIdentifierExtension)?.keyId
  if (authority === undefined) return undefined
  // An integer whose first bit is set has a leading zero byte in DER.
  const serial = leaf.serialNumber.length % 2 === 0 ? leaf.serialNumber : `0${leaf.serialNumber}`
  const bytes = Buffer.from(/^[89a-f]/i.test(serial) ? `00${serial}` : serial, 'hex')
  return `${Buffer.from(authority, 'hex').toString('base64url')}.${bytes.toString('base64url')}`
}

const newKeys = (): Promise<WebCrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']) as Promise<WebCrypto.CryptoKeyPair>

/** A common name has at most 64 characters (RFC 5280, ub-common-name); clients check the alternative names. */
function subjectOf(names: readonly JsonGeneralName[]): string {
  const name = names.find(({ type }) => type === 'dns')?.value ?? 'localhost'
  return name.length <= 64 ? `CN=${name}` : 'CN=postrider'
}

const pemOf = (key: WebCrypto.CryptoKey): string =>
  KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }) as string

/** Imports the private key of a certificate, in PEM, for the signing of other certificates. */
export const signingKeyOf = (pem: string): Promise<WebCrypto.CryptoKey> =>
  webcrypto.subtle.importKey(
    'pkcs8',
    createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' }),
    P256,
    false,
    ['sign'],
  )
