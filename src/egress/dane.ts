// TLSA records of a mail host, if the whole way to them is validated by DNSSEC (RFC 7672 §2.2).

import type { SecureResolver } from '../dns/secure-resolver.ts'
import type { TlsaRecord } from '../model/tlsa.ts'
import { usableTlsa } from '../smtp/dane.ts'

/**
 * `none`: the host has no DANE; `unusable`: it has, in forms that nobody can go by; `unknown`: the DNS could not say,
 * and an attacker may be the reason.
 */
export type Dane =
  | { readonly kind: 'none' }
  | { readonly kind: 'records'; readonly records: readonly TlsaRecord[] }
  | { readonly kind: 'unusable'; readonly records: readonly TlsaRecord[] }
  | { readonly kind: 'unknown'; readonly reason: string }

const NONE: Dane = { kind: 'none' }

/** DANE policy of a host of `destination`, which was found by its MX records, or by its own address. */
export async function daneOf(
  resolver: SecureResolver,
  destination: string,
  hostName: string,
  port: number,
): Promise<Dane> {
  // RFC 7672 §2.2.1: an MX that anybody could have made up leads nowhere that a certificate could vouch for.
  const mx = await resolver.mx(destination)
  if (mx.kind === 'failure') return unknown(`the MX records of ${destination}`, mx.code)
  if (!mx.secure) return NONE
  const isNamed = mx.kind === 'found' ? mx.records.includes(hostName) : hostName === destination
  if (!isNamed) return NONE
  // RFC 7672 §2.2.2: name servers of unsigned zones that choke on TLSA are not asked.
  const address = await resolver.address(hostName)
  if (address.kind === 'failure') return unknown(`the address of ${hostName}`, address.code)
  if (!address.secure) return NONE
  const name = `_${port}._tcp.${hostName}`
  const tlsa = await resolver.tlsa(name)
  if (tlsa.kind === 'failure') return unknown(name, tlsa.code)
  if (tlsa.kind !== 'found' || !tlsa.secure) return NONE
  const records = usableTlsa(tlsa.records)
  return records.length > 0 ? { kind: 'records', records } : { kind: 'unusable', records: tlsa.records }
}

const unknown = (what: string, code: string): Dane => ({
  kind: 'unknown',
  reason: `DANE: ${what} could not be looked up (${code})`,
})
