// Text of commands that show a domain and its DNS records.

import type { DomainRecordView, DomainView } from '../api/contract/domain.ts'
import { fields, printable } from './text.ts'

type Purpose = DomainRecordView['purpose']

/** Names of the purposes of DNS records. */
const PURPOSES: Record<Purpose, string> = {
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
  mta_sts_host: 'Policy of inbound mail (MTA-STS)',
  mta_sts: 'Version of the policy (MTA-STS)',
  tls_report: 'Reports about TLS',
}

/**
 * Purposes of optional records: mail is sent and received without these records. The other records that are not
 * required improve delivery.
 */
const OPTIONAL: ReadonlySet<Purpose> = new Set([
  'tracking',
  'inbound_mx',
  'mta_sts_host',
  'mta_sts',
  'tls_report',
])

/** Formats each DNS record as a block, and the next step. `looked` is true if the records have just been looked up. */
export function domainPage(domain: DomainView, looked: boolean): string {
  const records = [...(domain.claim === undefined ? [] : [domain.claim.record]), ...domain.records]
  return [
    ...records.map((record) => block(record, domain, looked)),
    ...bimiBlock(domain),
    ...(domain.rotate_every_days == null ? [] : [rotationSentence(domain)]),
    nextSteps(domain),
  ].join('\n\n')
}

function block(record: DomainRecordView, domain: DomainView, looked: boolean): string {
  const need = record.required ? 'required' : OPTIONAL.has(record.purpose) ? 'optional' : 'recommended'
  const values = record.found.length > 0 ? record.found : ['nothing']
  // The found values are shown only for mismatched and missing records: a found record needs no details, and a pending
  // record could not be looked up.
  const tell = looked && (record.status === 'mismatch' || record.status === 'missing')
  const isUnanswered = record.status === 'pending' && domain.checked_at !== null
  return [
    `${PURPOSES[record.purpose]}: ${need}, ${isUnanswered ? 'could not be looked up' : statusOf(record)}`,
    fields([
      ['Type', record.type],
      ['Name', record.name],
      ['Value', record.value],
      ...(tell ? values.map((value) => ['Found', printable(value)] as const) : []),
      ...(record.type === 'MX' && record.name === domain.domain
        ? [['Warning', `takes all mail of ${domain.domain} away from its present mail host`] as const]
        : []),
      ...(tell || isUnanswered ? [['To do', record.advice] as const] : []),
    ]),
  ].join('\n')
}

/** Returns the check of the BIMI record of a domain; nothing without a record. */
function bimiBlock({ bimi }: DomainView): string[] {
  // A service of an earlier version has neither check nor rotation.
  if (bimi == null) return []
  const rows = [
    ['Name', bimi.name],
    ['Found', printable(bimi.record)],
    ...bimi.findings.map(
      ({ severity, message }) => [severity === 'error' ? 'To do' : 'Hint', message] as const,
    ),
  ] as const
  return [[`BIMI: optional, ${bimi.status}`, fields(rows)].join('\n')]
}

/** Returns when the keys of a domain are replaced. */
export function rotationSentence({ domain, rotate_every_days: days, dkim }: DomainView): string {
  if (days === null) return `DKIM keys of ${domain} are replaced only by hand.`
  const { next_step: step, rotates_at: rotatesAt, switches_at: switchesAt } = dkim
  const next =
    step === 'rotate'
      ? `the next keys are made on ${day(rotatesAt)}.`
      : step === 'retire'
        ? 'the old keys are retired eight days after the switch.'
        : switchesAt === null
          ? 'publish the records of the new keys; they sign when their records have been found for a day.'
          : `the new keys sign after ${day(switchesAt)} if their records stay published.`
  return `DKIM keys of ${domain} are replaced every ${days} days: ${next}`
}

const day = (time: string | null): string => (time ?? '').slice(0, 10)

const statusOf = ({ status }: DomainRecordView): string => (status === 'pending' ? 'not checked yet' : status)

function nextSteps({ domain, status, claim, records }: DomainView): string {
  const missing = records.filter((record) => record.required && record.status !== 'found')
  const verify = `postrider domain verify ${domain}`
  if (status === 'paused') return 'The domain is paused; verifying the records does not resume the domain.'
  if (claim !== undefined) {
    return `Another account has ${domain}. Publish all of these records, including the proof, then run: ${verify}`
  }
  if (status === 'pending') return `Publish these records in the DNS of ${domain}, then run: ${verify}`
  if (missing.length > 0) {
    return `The domain was verified, but required records are missing: publish them again within three days of the first failed check, then run: ${verify}`
  }
  const key = `Create an API key: postrider key create --kind sending --domain ${domain}`
  const dmarc = records.some((record) => record.purpose === 'dmarc' && record.status !== 'found')
  if (!dmarc) return key
  return `Without the DMARC record large receivers may refuse the mail, and broadcast streams stay closed.\n${key}`
}
