// Output of commands that show a domain and its DNS records.

import { adviceFor } from '../domains/advice.ts'
import type { DomainWithRecords } from '../domains/domains.ts'
import { formatTime } from '../lib/rfc3339.ts'
import { type RecordKind, recordKind } from '../model/domain.ts'
import type { Domain, DomainRecord } from '../store/domains/domain-rows.ts'
import { fields, printable } from './text.ts'

/** Purposes of DNS records in the order of publication; records that sending requires come first. */
const PURPOSES: Record<RecordKind, string> = {
  claim: 'Proof that the domain is yours',
  dkim_rsa: 'DKIM (RSA)',
  return_path: 'Return-Path',
  dkim_ed25519: 'DKIM (Ed25519)',
  dmarc: 'DMARC',
  tracking: 'Tracking',
  dkim_rsa_next: 'DKIM (RSA), new key',
  dkim_ed25519_next: 'DKIM (Ed25519), new key',
  dkim_rsa_old: 'DKIM (RSA), old key',
  dkim_ed25519_old: 'DKIM (Ed25519), old key',
  inbound_mx: 'Inbound mail (MX)',
}
/**
 * Purposes of optional records: mail is sent and received without these records. The other records that are not
 * required improve delivery.
 */
const OPTIONAL: ReadonlySet<RecordKind> = new Set(['tracking', 'inbound_mx'])
const ORDER = Object.keys(PURPOSES)
const placeOf = ({ purpose }: DomainRecord): number => ORDER.indexOf(recordKind(purpose))

const inOrder = (records: readonly DomainRecord[]): DomainRecord[] =>
  records.toSorted((a, b) => placeOf(a) - placeOf(b))

const foundValues = (record: DomainRecord): string[] => JSON.parse(record.found) as string[]

/** Returns the JSON document of a domain in a list. */
export const domainDocument = (domain: Domain): object => ({
  domain_id: domain.id,
  domain: domain.name,
  status: domain.status,
  created_at: formatTime(domain.created_at),
  verified_at: formatTime(domain.verified_at),
  checked_at: formatTime(domain.checked_at),
  flagged_at: formatTime(domain.flagged_at),
})

/** Returns the JSON document of a domain with its DNS records. */
export const domainWithRecordsDocument = ({ domain, records }: DomainWithRecords): object => ({
  ...domainDocument(domain),
  records: inOrder(records).map((record) => ({
    purpose: recordKind(record.purpose),
    type: record.type,
    name: record.name,
    value: record.value,
    required: record.required === 1,
    status: record.status,
    found: foundValues(record),
    advice: adviceFor(record, domain),
  })),
})

/** Formats each DNS record as a block, and the next step. `looked` is true if the records have just been looked up. */
export function domainPage({ domain, records }: DomainWithRecords, looked: boolean): string {
  const blocks = inOrder(records).map((record) => block(record, domain, looked))
  return [...blocks, nextSteps(domain, records)].join('\n\n')
}

function block(record: DomainRecord, domain: Domain, looked: boolean): string {
  const need =
    record.required === 1 ? 'required' : OPTIONAL.has(recordKind(record.purpose)) ? 'optional' : 'recommended'
  const found = foundValues(record)
  const values = found.length > 0 ? found : ['nothing']
  // The found values are shown only for mismatched and missing records: a found record needs no details, and a pending
  // record could not be looked up.
  const tell = looked && (record.status === 'mismatch' || record.status === 'missing')
  return [
    `${PURPOSES[recordKind(record.purpose)]}: ${need}, ${statusOf(record)}`,
    fields([
      ['Type', record.type],
      ['Name', record.name],
      ['Value', record.value],
      ...(tell ? values.map((value) => ['Found', printable(value)] as const) : []),
      ...(record.type === 'MX' && record.name === domain.name
        ? [['Warning', `takes all mail of ${domain.name} away from its present mail host`] as const]
        : []),
      ...(tell || record.note !== null ? [['To do', adviceFor(record, domain)] as const] : []),
    ]),
  ].join('\n')
}

/** Returns the status in words; a record without a result was not checked yet, or the DNS gave no answer. */
function statusOf({ status, note }: DomainRecord): string {
  if (status !== 'pending') return status
  return note === 'unanswered' ? 'could not be looked up' : 'not checked yet'
}

function nextSteps(domain: Domain, records: readonly DomainRecord[]): string {
  const missing = records.filter((record) => record.required === 1 && record.status !== 'found')
  const verify = `postrider domain verify ${domain.name}`
  if (domain.status === 'paused')
    return 'The domain is paused; verifying the records does not resume the domain.'
  if (domain.claim_token !== null) {
    return `Another account has ${domain.name}. Publish all of these records, including the proof, then run: ${verify}`
  }
  if (domain.status === 'pending') {
    return `Publish these records in the DNS of ${domain.name}, then run: ${verify}`
  }
  if (missing.length > 0) {
    return `The domain was verified, but required records are missing: publish them again within three days of the first failed check, then run: ${verify}`
  }
  const key = `Create an API key: postrider key create --kind sending --domain ${domain.name}`
  const dmarc = records.some((record) => record.purpose === 'dmarc' && record.status !== 'found')
  if (!dmarc) return key
  return `Without the DMARC record large receivers may refuse the mail, and broadcast streams stay closed.\n${key}`
}
