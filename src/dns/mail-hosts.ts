// Finds the mail hosts of a domain, and their addresses.

import { isIP } from 'node:net'
import { normalizeHostName } from './host-name.ts'
import type { DnsAnswer, MxRecord, Resolver } from './resolver.ts'

/** The methods of a resolver that find mail hosts and their addresses. */
export type HostResolver = Pick<Resolver, 'mx' | 'a' | 'aaaa'>

/** A mail host; the host with the lowest preference value is tried first. */
export interface MailHostName {
  readonly name: string
  readonly preference: number
}

/**
 * `null_mx`: the domain declares that it accepts no mail (RFC 7505); `no_mail_host`: the domain exists but names no
 * mail host.
 */
export type MailHosts =
  | { readonly kind: 'hosts'; readonly hosts: readonly MailHostName[]; readonly implicit: boolean }
  | { readonly kind: 'null_mx' }
  | { readonly kind: 'no_mail_host' }
  | { readonly kind: 'nxdomain' }
  | { readonly kind: 'failure'; readonly code: string }

/**
 * Returns the mail hosts of a domain by RFC 5321 §5.1, sorted by preference: the hosts of its MX records or, without MX
 * records, the domain itself (implicit MX). The caller chooses the order among hosts of equal preference.
 */
export async function findMailHosts(resolver: HostResolver, domain: string): Promise<MailHosts> {
  const mx = await resolver.mx(domain)
  if (mx.kind === 'found') return fromMx(mx.records)
  if (mx.kind !== 'nodata') return mx
  const addresses = await findAddresses(resolver, domain)
  switch (addresses.kind) {
    case 'found':
      return { kind: 'hosts', hosts: [{ name: normalizeHostName(domain)!, preference: 0 }], implicit: true }
    case 'failure':
      return addresses
    default:
      // The answer to the MX query showed that the name exists, so NXDOMAIN means only that there are no addresses.
      return { kind: 'no_mail_host' }
  }
}

function fromMx(records: readonly MxRecord[]): MailHosts {
  const hosts = new Map<string, MailHostName>()
  for (const { exchange, preference } of records) {
    // An MX record names a host (RFC 5321 §2.3.5). An IP address in an MX record is a mistake, or an attempt to reach
    // the internal network.
    if (exchange === '' || isIP(exchange) !== 0 || hosts.has(exchange)) continue
    hosts.set(exchange, { name: exchange, preference })
  }
  if (hosts.size > 0) return { kind: 'hosts', hosts: [...hosts.values()], implicit: false }
  // A domain with only unusable MX records is an error: the address of the domain itself must not be used in this case
  // (RFC 5321 §5.1).
  return records.some((record) => record.exchange === '') ? { kind: 'null_mx' } : { kind: 'no_mail_host' }
}

/**
 * Returns all addresses of a host, IPv4 first. The result is `found` when either lookup returned addresses; the
 * failure of one lookup counts only when the other found nothing.
 */
export async function findAddresses(
  resolver: Omit<HostResolver, 'mx'>,
  host: string,
): Promise<DnsAnswer<readonly string[]>> {
  // The two queries run in parallel; neither query rejects.
  const asked = resolver.aaaa(host)
  const a = await resolver.a(host)
  const aaaa = await asked
  const records = [a, aaaa].flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
  if (records.length > 0) return { kind: 'found', records }
  if (a.kind === 'failure') return a
  if (aaaa.kind === 'failure') return aaaa
  return a.kind === 'nxdomain' && aaaa.kind === 'nxdomain' ? a : { kind: 'nodata' }
}
