// DANE for SMTP: whether a certificate is the one that the host's TLSA records name (RFC 7672).

import { hash, X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { DaneDemand, TlsaRecord } from '../model/tlsa.ts'

const DANE_TA = 2
const DANE_EE = 3
/** Bytes of what each matching type holds (RFC 6698 §2.1.3); 0 is the thing itself. */
const DIGESTS: Readonly<Record<number, { readonly algorithm: string; readonly octets: number } | undefined>> =
  {
    1: { algorithm: 'sha256', octets: 32 },
    2: { algorithm: 'sha512', octets: 64 },
  }
const MAX_CERTIFICATES = 10

/**
 * Those of the records that a sender of mail can go by: usages 2 and 3 (RFC 7672 §3.1.3 leaves out the others), known
 * selectors and matching types, digests of the right length.
 */
export function usableTlsa(records: readonly TlsaRecord[]): TlsaRecord[] {
  return records.filter(({ usage, selector, matchingType, data }) => {
    if (usage !== DANE_TA && usage !== DANE_EE) return false
    if (selector !== 0 && selector !== 1) return false
    if (matchingType === 0) return data.length > 0
    return DIGESTS[matchingType]?.octets === data.length
  })
}

/** Certificates that a host may have by usable records, when mail for the destination is sent to it. */
export function daneDemand(
  records: readonly TlsaRecord[],
  hostName: string,
  destination: string,
): DaneDemand {
  const hasAuthority = records.some(({ usage }) => usage === DANE_TA)
  // Without an authority no name counts, and what is asked of the host is the same for all its domains.
  return { records, names: hasAuthority ? [hostName, destination] : [] }
}

/** The reason why the certificate of an encrypted line is not one of these; undefined when it is. */
export function daneProblem(socket: TLSSocket, demand: DaneDemand): string | undefined {
  try {
    const chain = chainOf(socket.getPeerCertificate(true))
    return matchesChain(chain, demand) ? undefined : 'No TLSA record matches the certificate'
  } catch (error) {
    // A certificate that OpenSSL took and that cannot be read again.
    return `The certificate cannot be read: ${(error as Error).message}`
  }
}

/** The host's own certificate and those above it, as far as they came. */
function chainOf(own: DetailedPeerCertificate): X509Certificate[] {
  const chain: X509Certificate[] = []
  let one: DetailedPeerCertificate | undefined = own
  while (one?.raw !== undefined && chain.length < MAX_CERTIFICATES) {
    chain.push(new X509Certificate(one.raw))
    one = one.issuerCertificate === one ? undefined : one.issuerCertificate
  }
  return chain
}

/** True if a chain, which begins with the host's own certificate, is one of these. */
export function matchesChain(chain: readonly X509Certificate[], { records, names }: DaneDemand): boolean {
  const [own] = chain
  if (own === undefined) return false
  // RFC 7672 §3.1.1: with DANE-EE neither the name nor the dates in the certificate count.
  if (records.some((record) => record.usage === DANE_EE && matches(record, own))) return true
  const anchors = records.filter((record) => record.usage === DANE_TA)
  if (anchors.length === 0 || names.every((name) => own.checkHost(name) === undefined)) return false
  return [[], ...inFull(anchors)].some((last) => endsAtAnchor([...chain, ...last], anchors))
}

/** RFC 7671 §5.2.2: an authority whose record holds the whole certificate need not be sent by the host. Each by itself. */
const inFull = (anchors: readonly TlsaRecord[]): X509Certificate[][] =>
  anchors
    .filter(({ selector, matchingType }) => selector === 0 && matchingType === 0)
    .flatMap(({ data }) => certificateIn(data) ?? [])
    .map((certificate) => [certificate])

/** Undefined where the bytes are no certificate: such a record takes nothing from the others. */
function certificateIn(data: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(data)
  } catch {
    return undefined
  }
}

/** True if each certificate is signed by the next one, up to one that a record names. */
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
