// DANE for SMTP (RFC 7672): checks whether a certificate matches the TLSA records of a mail host.

import { hash, X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { DaneDemand, TlsaRecord } from '../model/tlsa.ts'

const DANE_TA = 2
const DANE_EE = 3
/**
 * Digest algorithm and digest length, in bytes, of each matching type (RFC 6698 §2.1.3); matching type 0 is the full
 * content.
 */
const DIGESTS: Readonly<Record<number, { readonly algorithm: string; readonly bytes: number } | undefined>> =
  {
    1: { algorithm: 'sha256', bytes: 32 },
    2: { algorithm: 'sha512', bytes: 64 },
  }
const MAX_CERTIFICATES = 10

/**
 * Returns the TLSA records that an SMTP client can use: records with usage 2 or 3 (RFC 7672 §3.1.3 excludes other
 * usages), a known selector, a known matching type, and a digest of the right length.
 */
export function usableTlsa(records: readonly TlsaRecord[]): TlsaRecord[] {
  return records.filter(({ usage, selector, matchingType, data }) => {
    if (usage !== DANE_TA && usage !== DANE_EE) return false
    if (selector !== 0 && selector !== 1) return false
    if (matchingType === 0) return data.length > 0
    return DIGESTS[matchingType]?.bytes === data.length
  })
}

/** Returns the DANE requirement that the usable TLSA records of a host make for mail to the destination. */
export function daneDemand(
  records: readonly TlsaRecord[],
  hostName: string,
  destination: string,
): DaneDemand {
  const hasAuthority = records.some(({ usage }) => usage === DANE_TA)
  // The names matter only for records of an authority; without such a record, the requirement is the same for all
  // domains of the host.
  return { records, names: hasAuthority ? [hostName, destination] : [] }
}

/** Returns the reason why the certificate of a TLS connection does not match; undefined if the certificate matches. */
export function daneProblem(socket: TLSSocket, demand: DaneDemand): string | undefined {
  try {
    const chain = chainOf(socket.getPeerCertificate(true))
    return matchesChain(chain, demand) ? undefined : 'No TLSA record matches the certificate'
  } catch (error) {
    // X509Certificate could not parse a certificate that OpenSSL had accepted.
    return `The certificate cannot be read: ${(error as Error).message}`
  }
}

/** Returns the certificate chain that the host sent, beginning with the certificate of the host. */
function chainOf(own: DetailedPeerCertificate): X509Certificate[] {
  const chain: X509Certificate[] = []
  let one: DetailedPeerCertificate | undefined = own
  while (one?.raw !== undefined && chain.length < MAX_CERTIFICATES) {
    chain.push(new X509Certificate(one.raw))
    one = one.issuerCertificate === one ? undefined : one.issuerCertificate
  }
  return chain
}

/** True if the chain, beginning with the certificate of the host, satisfies the DANE requirement. */
export function matchesChain(chain: readonly X509Certificate[], { records, names }: DaneDemand): boolean {
  const [own] = chain
  if (own === undefined) return false
  // Neither the name nor the dates of the certificate count for DANE-EE (RFC 7672 §3.1.1).
  if (records.some((record) => record.usage === DANE_EE && matches(record, own))) return true
  const anchors = records.filter((record) => record.usage === DANE_TA)
  if (anchors.length === 0 || names.every((name) => own.checkHost(name) === undefined)) return false
  return [[], ...inFull(anchors)].some((last) => endsAtAnchor([...chain, ...last], anchors))
}

/**
 * Returns the authorities whose TLSA record contains the whole certificate: the host need not send these certificates
 * (RFC 7671 §5.2.2).
 */
const inFull = (anchors: readonly TlsaRecord[]): X509Certificate[][] =>
  anchors
    .filter(({ selector, matchingType }) => selector === 0 && matchingType === 0)
    .flatMap(({ data }) => certificateIn(data) ?? [])
    .map((certificate) => [certificate])

/** Parses a certificate; returns undefined if the bytes are no certificate, so that other TLSA records still count. */
function certificateIn(data: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(data)
  } catch {
    return undefined
  }
}

/** True if each certificate of the path is signed by the next one, up to an authority that a TLSA record names. */
function endsAtAnchor(path: readonly X509Certificate[], anchors: readonly TlsaRecord[]): boolean {
  for (let i = 0; i + 1 < path.length; i++) {
    const [one, issuer] = [path[i]!, path[i + 1]!]
    if (!isInTime(one) || !isInTime(issuer) || !issuer.ca) return false
    if (!one.checkIssued(issuer) || !one.verify(issuer.publicKey)) return false
    if (anchors.some((record) => matches(record, issuer))) return true
  }
  return false
}

function isInTime({ validFromDate, validToDate }: X509Certificate): boolean {
  const now = Date.now()
  return validFromDate.getTime() <= now && now <= validToDate.getTime()
}

function matches({ selector, matchingType, data }: TlsaRecord, certificate: X509Certificate): boolean {
  const selected =
    selector === 0 ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' })
  const digest = DIGESTS[matchingType]
  const expected = digest === undefined ? selected : hash(digest.algorithm, selected, 'buffer')
  return Buffer.compare(data, expected) === 0
}
