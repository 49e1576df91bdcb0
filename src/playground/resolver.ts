// The DNS of the playground: the MX record of every domain names the playground's mail host, and the required records
// of every domain of the installation are published.

import type { DnsAnswer, MxRecord, Resolver } from '../dns/resolver.ts'
import type { DomainRecord } from '../store/domains/domain-rows.ts'

/** Name of the playground's mail host in every MX record. */
export const PLAYGROUND_MAIL_HOST = 'mail.playground.test'

/**
 * Special domains of the playground's DNS, by local part: the verification of an address with this local part uses the
 * special domain.
 */
export const STEERED_DOMAINS: Readonly<Record<string, string>> = {
  domain_not_found: 'nowhere.invalid',
  no_mail_server: 'no-mail-server.playground.test',
  null_mx: 'null-mx.playground.test',
  dns_error: 'dns-error.playground.test',
  connect_failed: 'unreachable.playground.test',
  catch_all: 'catch-all.playground.test',
  catch_all_unknown: 'catch-all-unknown.playground.test',
  disposable: 'disposable.playground.test',
}

/** Mail host of a service for disposable addresses. */
const DISPOSABLE_HOST = 'mail.mailinator.com'

/** Host name without a server, and its address. */
const UNREACHABLE_HOST = 'nobody.playground.test'
const UNREACHABLE_ADDRESS = '127.0.0.2'

/** True for names under `.invalid`, which never exist (RFC 2606 §2). */
const neverExists = (name: string): boolean => /(^|\.)invalid\.?$/i.test(name)

/** Returns a resolver without name servers. `published` looks up the records that this installation requires. */
export function createPlaygroundResolver(
  published: (name: string) => Promise<readonly DomainRecord[]>,
): Resolver {
  const answer = <T>(name: string, records: readonly T[]): DnsAnswer<readonly T[]> => {
    if (neverExists(name)) return { kind: 'nxdomain' }
    return records.length === 0 ? { kind: 'nodata' } : { kind: 'found', records }
  }
  const values = async (name: string, type: DomainRecord['type']): Promise<string[]> => {
    // Deliveries look up this record for each destination, but no domain of the playground publishes an MTA-STS record.
    if (name.startsWith('_mta-sts.')) return []
    return (await published(name.toLowerCase()))
      .filter((record) => record.type === type)
      .map((record) => record.value)
  }
  const mx = (name: string): DnsAnswer<readonly MxRecord[]> => {
    switch (name.toLowerCase()) {
      case STEERED_DOMAINS.no_mail_server:
        return { kind: 'nodata' }
      case STEERED_DOMAINS.null_mx:
        return { kind: 'found', records: [{ preference: 0, exchange: '' }] }
      case STEERED_DOMAINS.dns_error:
        return { kind: 'failure', code: 'ESERVFAIL' }
      case STEERED_DOMAINS.connect_failed:
        return { kind: 'found', records: [{ preference: 10, exchange: UNREACHABLE_HOST }] }
      case STEERED_DOMAINS.disposable:
        return { kind: 'found', records: [{ preference: 10, exchange: DISPOSABLE_HOST }] }
      default:
        return answer(name, [{ preference: 10, exchange: PLAYGROUND_MAIL_HOST }])
    }
  }
  const a = (name: string): DnsAnswer<readonly string[]> => {
    switch (name.toLowerCase()) {
      case STEERED_DOMAINS.no_mail_server:
        return { kind: 'nodata' }
      case UNREACHABLE_HOST:
        return { kind: 'found', records: [UNREACHABLE_ADDRESS] }
      default:
        return answer(name, ['127.0.0.1'])
    }
  }
  return {
    mx: async (name) => mx(name),
    a: async (name) => a(name),
    aaaa: async (name) => answer(name, []),
    txt: async (name) => answer(name, await values(name, 'TXT')),
    cname: async (name) => answer(name, await values(name, 'CNAME')),
    ns: async (name) => answer(name, []),
    ptr: async (ip) => answer(ip, []),
  }
}
