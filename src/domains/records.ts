// The DNS records that a domain has to publish, and what a look at the DNS says of each.

import { dkimRecord } from '../dkim/keys.ts'
import type { Resolver } from '../dns/resolver.ts'
import { returnPathHost } from '../model/return-path.ts'
import type { DkimKey, Domain, DomainRecord } from '../store/domains.ts'

/** The records of a new domain. `pointTo` is the installation's return-path host. */
export function recordsFor(
  domain: Pick<Domain, 'id' | 'account_id' | 'name'>,
  dkimKeys: readonly DkimKey[],
  pointTo: string,
): DomainRecord[] {
  const record = (
    purpose: DomainRecord['purpose'],
    type: DomainRecord['type'],
    name: string,
    value: string,
    required: boolean,
  ): DomainRecord => ({
    domain_id: domain.id,
    account_id: domain.account_id,
    purpose,
    type,
    name,
    value,
    required: required ? 1 : 0,
    status: 'pending',
    found: '[]',
  })
  const dkim = dkimKeys.map((key) => {
    const rsa = key.algorithm === 'rsa-sha256'
    const name = `${key.selector}._domainkey.${domain.name}`
    return record(
      rsa ? 'dkim_rsa' : 'dkim_ed25519',
      'TXT',
      name,
      dkimRecord(key.algorithm, key.public_key),
      rsa,
    )
  })
  return [
    ...dkim,
    record('return_path', 'CNAME', returnPathHost(domain.name), pointTo, true),
    record('dmarc', 'TXT', `_dmarc.${domain.name}`, 'v=DMARC1; p=none;', false),
  ]
}

/** What a look found: the state of a record, and the values that were there (at most ten). */
export interface Look {
  readonly status: DomainRecord['status']
  readonly found: readonly string[]
}

/** Looks one record up, past any cache. A resolver that cannot say leaves the record `pending`. */
export async function lookUp(resolver: Resolver, record: DomainRecord): Promise<Look> {
  const answer = await (record.type === 'TXT' ? resolver.txt(record.name) : resolver.cname(record.name))
  if (answer.kind === 'failure') return { status: 'pending', found: [] }
  const values = answer.kind === 'found' ? answer.records.map((value) => value.slice(0, 1_000)) : []
  const relevant =
    record.purpose === 'dmarc' ? values.filter((value) => /^v=DMARC1\s*(;|$)/.test(value)) : values
  const found = (relevant.length > 0 ? relevant : values).slice(0, 10)
  if (relevant.length === 0) return { status: 'missing', found }
  return { status: relevant.some((value) => fits(record, value)) ? 'found' : 'mismatch', found }
}

function fits(record: DomainRecord, value: string): boolean {
  switch (record.purpose) {
    case 'return_path':
      return value.replace(/\.$/, '').toLowerCase() === record.value.toLowerCase()
    case 'dmarc':
      // RFC 7489 §6.3: any policy will do, but there must be one.
      return /;\s*p=(none|quarantine|reject)\s*(;|$)/.test(value)
    default: {
      // RFC 6376 §3.6.1: what counts is the key; other tags and white space may differ.
      const given = tags(value)
      const wanted = tags(record.value)
      return given.get('p') === wanted.get('p') && (given.get('k') ?? 'rsa') === wanted.get('k')
    }
  }
}

/** A tag list (RFC 6376 §3.2) without white space. */
function tags(value: string): Map<string, string> {
  const pairs = value.replace(/\s/g, '').split(';')
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}
