// The playground's DNS: every domain has the built-in mail server as its mail host, and its own records published.

import type { DnsAnswer, MxRecord, Resolver } from '../dns/resolver.ts'
import type { DomainRecord } from '../store/domains.ts'

/** The name under which the built-in mail server stands in every MX record. */
export const PLAYGROUND_MAIL_HOST = 'mail.playground.test'

/** RFC 2606 §2: names under `.invalid` never exist, here neither. */
const neverExists = (name: string): boolean => /(^|\.)invalid\.?$/i.test(name)

/** Answers without asking anybody. `published` gives the records that this installation's domains ask for. */
export function createPlaygroundResolver(
  published: (name: string) => Promise<readonly DomainRecord[]>,
): Resolver {
  const answer = <T>(name: string, records: readonly T[]): DnsAnswer<readonly T[]> => {
    if (neverExists(name)) return { kind: 'nxdomain' }
    return records.length === 0 ? { kind: 'nodata' } : { kind: 'found', records }
  }
  const values = async (name: string, type: DomainRecord['type']): Promise<string[]> => {
    // Asked for each destination, and no domain publishes it here.
    if (name.startsWith('_mta-sts.')) return []
    return (await published(name.toLowerCase()))
      .filter((record) => record.type === type)
      .map((record) => record.value)
  }
  return {
    mx: async (name) => answer<MxRecord>(name, [{ preference: 10, exchange: PLAYGROUND_MAIL_HOST }]),
    a: async (name) => answer(name, ['127.0.0.1']),
    aaaa: async (name) => answer(name, []),
    txt: async (name) => answer(name, await values(name, 'TXT')),
    cname: async (name) => answer(name, await values(name, 'CNAME')),
    ptr: async (ip) => answer(ip, []),
  }
}
