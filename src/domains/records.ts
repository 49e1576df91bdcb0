// The DNS records that a domain has to publish, and the evaluation of DNS lookups.

import { dkimRecord } from '../dkim/keys.ts'
import type { DnsAnswer, Resolver } from '../dns/resolver.ts'
import { type RecordNote, type RecordPurpose, recordKind } from '../model/domain.ts'
import { reportAddress } from '../model/report-address.ts'
import { returnPathHost } from '../model/return-path.ts'
import { trackingHost } from '../model/tracking-link.ts'
import type { DkimKey, Domain, DomainRecord } from '../store/domains/domain-rows.ts'
import { inheritedDmarc, isDmarcRecord, isValidDmarc } from './dmarc.ts'
import { tags } from './tag-list.ts'

type Named = Pick<Domain, 'id' | 'account_id' | 'name'>

/**
 * Returns the DMARC record of a domain, which asks receivers for reports at the address for reports of the domain (RFC
 * 9989 §4.7).
 */
function dmarcRecord({ id }: Named, { reportSecret, returnPathHost: host }: PointTo): string {
  const record = 'v=DMARC1; p=none;'
  return reportSecret === undefined ? record : `${record} rua=mailto:${reportAddress(reportSecret, id, host)}`
}

/** Host names of the installation to which the CNAME records of domains point. */
export interface PointTo {
  /** Return-path host. */
  readonly returnPathHost: string
  /** Host that serves tracked links: the host of the public URL. */
  readonly trackingTarget: string
  /** Secret of the addresses for reports; without it, the DMARC record asks for no reports. */
  readonly reportSecret?: string | undefined
}

/** Returns the DNS records that a new domain has to publish. */
export function recordsFor(
  domain: Named & Pick<Domain, 'claim_token'>,
  dkimKeys: readonly DkimKey[],
  pointTo: PointTo,
): DomainRecord[] {
  const { name, claim_token: token } = domain
  return [
    ...dkimKeys.map((key) => dkimRecordOf(domain, key)),
    record(domain, 'return_path', 'CNAME', returnPathHost(name), pointTo.returnPathHost, true),
    record(domain, 'dmarc', 'TXT', `_dmarc.${name}`, dmarcRecord(domain, pointTo), false),
    trackingRecord(domain, pointTo),
    ...(token === null
      ? []
      : [record(domain, 'claim', 'TXT', `_postrider-claim.${name}`, `postrider-claim=${token}`, true)]),
  ]
}

/** Returns the CNAME record of a domain's tracking host. */
const trackingRecord = (domain: Named, { trackingTarget }: PointTo): DomainRecord =>
  record(domain, 'tracking', 'CNAME', trackingHost(domain.name), trackingTarget, false)

/** Returns the DNS record of a DKIM key; only the record of the current RSA key is required. */
export function dkimRecordOf(domain: Named, key: DkimKey): DomainRecord {
  const kind = key.algorithm === 'rsa-sha256' ? 'dkim_rsa' : 'dkim_ed25519'
  const purpose = key.state === 'next' ? (`${kind}_next` as const) : kind
  const name = `${key.selector}._domainkey.${domain.name}`
  return record(
    domain,
    purpose,
    'TXT',
    name,
    dkimRecord(key.algorithm, key.public_key),
    purpose === 'dkim_rsa',
  )
}

const record = (
  domain: Named,
  purpose: RecordPurpose,
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
  note: null,
  found_since: null,
})

/** Result of the lookup of a DNS record: the state of the record, and at most ten of the found values. */
export interface RecordCheck {
  readonly status: DomainRecord['status']
  readonly found: readonly string[]
  readonly note: RecordNote | null
}

/** Looks up one DNS record. Returns the previous result with the note `unanswered` if the lookup fails. */
export async function lookUp(resolver: Resolver, record: DomainRecord, domain: string): Promise<RecordCheck> {
  const answer = await ask(resolver, record.type, record.name)
  const before: RecordCheck = {
    status: record.status,
    found: JSON.parse(record.found) as string[],
    note: 'unanswered',
  }
  if (answer === undefined) return before
  const check = judge(record, answer)
  if (check.status !== 'missing') return check
  if (record.purpose === 'dmarc') {
    const inherited = await inheritedDmarc((name) => ask(resolver, 'TXT', name), domain)
    if (inherited === 'unanswered') return before
    return inherited === undefined ? check : { status: 'found', found: [inherited], note: 'inherited' }
  }
  // Many DNS providers append the domain to the name that the user enters.
  const twice = await ask(resolver, record.type, `${record.name}.${domain}`)
  return twice?.some((value) => fits(record, value)) ? { ...check, note: 'misplaced' } : check
}

/** Returns the values of the records of this type at a name; undefined if the lookup failed. */
export async function ask(
  resolver: Resolver,
  type: DomainRecord['type'],
  name: string,
): Promise<readonly string[] | undefined> {
  const answer = await (type === 'TXT'
    ? resolver.txt(name)
    : type === 'CNAME'
      ? resolver.cname(name)
      : mailExchangers(resolver, name))
  if (answer.kind === 'failure') return undefined
  return answer.kind === 'found' ? answer.records.map((value) => value.slice(0, 1_000)) : []
}

async function mailExchangers(resolver: Resolver, name: string): Promise<DnsAnswer<readonly string[]>> {
  const answer = await resolver.mx(name)
  if (answer.kind !== 'found') return answer
  return {
    kind: 'found',
    records: answer.records.map(({ preference, exchange }) => `${preference} ${exchange}`),
  }
}

/**
 * Requires that the expected host is the only mail host with the best preference, because senders try the best
 * preference first (RFC 5321 §5.1).
 */
function judgeExchangers(record: DomainRecord, values: readonly string[]): RecordCheck {
  const hostOf = (value: string): string => value.slice(value.indexOf(' ') + 1).toLowerCase()
  const best = values.filter((value) => Number.parseInt(value, 10) === Number.parseInt(values[0] ?? '', 10))
  const found = values.slice(0, 10)
  if (best.length === 0) return { status: 'missing', found, note: null }
  const isOurs = best.every((value) => hostOf(value) === hostOf(record.value))
  return { status: isOurs ? 'found' : 'mismatch', found, note: null }
}

/** Compares a required DNS record with the found values. */
function judge(record: DomainRecord, values: readonly string[]): RecordCheck {
  if (record.type === 'MX') return judgeExchangers(record, values)
  const relevant = values.filter((value) => isRelevant(record, value))
  const found = (relevant.length > 0 ? relevant : values).slice(0, 10)
  if (relevant.length === 0) return { status: 'missing', found, note: null }
  // Several records at one name count as no record (RFC 9989 §4.10, RFC 6376 §3.6.2.2).
  if (relevant.length > 1 && record.purpose !== 'claim') return { status: 'mismatch', found, note: 'several' }
  return { status: relevant.some((value) => fits(record, value)) ? 'found' : 'mismatch', found, note: null }
}

/** True if a found value is a record of this kind; a name may also have unrelated TXT records. */
function isRelevant({ purpose, type }: DomainRecord, value: string): boolean {
  if (purpose === 'dmarc') return isDmarcRecord(value)
  if (purpose === 'claim') return value.includes('postrider-claim')
  if (type === 'CNAME') return true
  const kind = recordKind(purpose)
  if (kind === 'mta_sts') return /^v=STSv1[ \t]*;/.test(value)
  if (kind === 'tls_report') return /^v=TLSRPTv1[ \t]*;/.test(value)
  return /(^|[;"\s])(v=DKIM1|[kp]\s*=)/.test(value)
}

function fits(record: DomainRecord, value: string): boolean {
  switch (recordKind(record.purpose)) {
    case 'return_path':
    case 'tracking':
    case 'mta_sts_host':
      return value.replace(/\.$/, '').toLowerCase() === record.value.toLowerCase()
    case 'dmarc':
      return isValidDmarc(value)
    case 'claim':
      return value.trim() === record.value
    case 'mta_sts':
      return tags(value).get('id') === tags(record.value).get('id')
    case 'tls_report':
      // The record may name further addresses (RFC 8460 §3).
      return (tags(value).get('rua') ?? '')
        .toLowerCase()
        .split(',')
        .includes(tags(record.value).get('rua') ?? '')
    default: {
      // Only the key and its type are compared; other tags and white space may differ (RFC 6376 §3.6.1).
      const given = tags(value)
      const wanted = tags(record.value)
      return given.get('p') === wanted.get('p') && (given.get('k') ?? 'rsa') === wanted.get('k')
    }
  }
}
