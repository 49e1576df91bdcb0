// Finds the hosts that take a domain's mail, and their addresses.

import { isIP } from 'node:net'
import { normalizeHostName } from './host-name.ts'
import type { DnsAnswer, MxRecord, Resolver } from './resolver.ts'

/** Part of a resolver that finding hosts and their addresses needs. */
export type HostResolver = Pick<Resolver, 'mx' | 'a' | 'aaaa'>

/** A host that takes mail; the lowest preference is tried first. */
export interface MailHostName {
  readonly name: string
  readonly preference: number
}

/** `null_mx`: the domain says that it takes no mail (RFC 7505); `no_mail_host`: it exists and names no host. */
export type MailHosts =
  | { readonly kind: 'hosts'; readonly hosts: readonly MailHostName[]; readonly implicit: boolean }
  | { readonly kind: 'null_mx' }
  | { readonly kind: 'no_mail_host' }
  | { readonly kind: 'nxdomain' }
  | { readonly kind: 'failure'; readonly code: string }

/**
 * The mail hosts of a domain by RFC 5321 §5.1, sorted by preference: its MX records, or, when it has none, the
 * domain itself (the implicit MX). The order among equals is the caller's to choose.
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
      // The MX question said that the name exists, so a host that denies it here only says "no addresses".
      return { kind: 'no_mail_host' }
  }
}

function fromMx(records: readonly MxRecord[]): MailHosts {
  const hosts = new Map<string, MailHostName>()
  for (const { exchange, preference } of records) {
    // RFC 5321 §2.3.5: a host is named; an address in an MX record is a mistake, or an attempt on our network.
    if (exchange === '' || isIP(exchange) !== 0 || hosts.has(exchange)) continue
    hosts.set(exchange, { name: exchange, preference })
  }
  if (hosts.size > 0) return { kind: 'hosts', hosts: [...hosts.values()], implicit: false }
  // RFC 5321 §5.1: MX records without a usable one are an error; the domain's own address does not count then.
  return records.some((record) => record.exchange === '') ? { kind: 'null_mx' } : { kind: 'no_mail_host' }
}

/**
 * All addresses of a host, IPv4 first. `found` when either question gave some; a failure of one counts only when
 * the other found nothing.
 */
export async function findAddresses(
  resolver: Omit<HostResolver, 'mx'>,
  host: string,
): Promise<DnsAnswer<readonly string[]>> {
  // Both at once; neither rejects.
  const asked = resolver.aaaa(host)
  const a = await resolver.a(host)
  const aaaa = await asked
  const records = [a, aaaa].flatMap((answer) => (answer.kind === 'found' ? answer.records : []))
  if (records.length > 0) return { kind: 'found', records }
  if (a.kind === 'failure') return a
  if (aaaa.kind === 'failure') return aaaa
  return a.kind === 'nxdomain' && aaaa.kind === 'nxdomain' ? a : { kind: 'nodata' }
}
