// View of a domain for the users of its account.

import { domainToUnicode } from 'node:url'
import { adviceFor } from '../../domains/advice.ts'
import type { DomainWithRecords } from '../../domains/domains.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { type BimiCheck, bimiFinding } from '../../model/bimi.ts'
import { GRACE_MS, type RecordKind, recordKind, switchesAt } from '../../model/domain.ts'
import { type Ready, readyOf } from '../../model/domain-ready.ts'
import { ignoredOf } from '../../model/finding.ts'
import type { Retention } from '../../model/retention.ts'
import type { Domain, DomainEvent, DomainRecord } from '../../store/domains/domain-rows.ts'
import type { DomainRecordView, DomainSummary, DomainView } from '../contract/domain.ts'

/** Order in which DNS records are published, beginning with the records that sending requires. */
const ORDER: readonly RecordKind[] = [
  'claim',
  'dkim_rsa',
  'return_path',
  'dkim_ed25519',
  'dmarc',
  'tracking',
  'dkim_rsa_next',
  'dkim_ed25519_next',
  'dkim_rsa_old',
  'dkim_ed25519_old',
  'inbound_mx',
  'mta_sts_host',
  'mta_sts',
  'tls_report',
]

/** Returns a domain as an entry of a list. */
export const domainSummary = (domain: Domain): DomainSummary => ({
  domain_id: domain.id,
  domain: domain.name,
  domain_unicode: domainToUnicode(domain.name),
  status: domain.status,
  flagged_at: formatTime(domain.flagged_at),
  closes_at: formatTime(domain.flagged_at === null ? null : domain.flagged_at + GRACE_MS),
  checked_at: formatTime(domain.checked_at),
  verified_at: formatTime(domain.verified_at),
  created_at: formatTime(domain.created_at),
})

/** Returns days rounded down to one decimal, because a retention setting may be less than a day. */
const inDays = (ms: number): number => Math.floor(ms / 8_640_000) / 10

/** Data shown about a domain in addition to its DNS records. */
interface About {
  readonly accountStatus: 'active' | 'suspended'
  readonly events: readonly DomainEvent[]
  /** Default retention of the installation. */
  readonly retention: Retention
  readonly mailboxProvider: boolean
}

/** Returns a domain with its DNS records and its history. */
export function domainView({ domain, records }: DomainWithRecords, about: About): DomainView {
  const { accountStatus, events, retention, mailboxProvider } = about
  const views = recordViews({ domain, records })
  const claim = views.find(({ purpose }) => purpose === 'claim')
  return {
    ...domainSummary(domain),
    content_retention_days: domain.content_retention_days,
    transcript_retention_days: domain.transcript_retention_days,
    record_retention_days: domain.record_retention_days,
    installation_retention_days: {
      content_retention_days: inDays(retention.content),
      transcript_retention_days: inDays(retention.transcript),
      record_retention_days: inDays(retention.record),
    },
    track_opens: domain.track_opens === 1,
    track_links: domain.track_links === 1,
    cfbl: domain.cfbl === 1,
    rotate_every_days: domain.rotate_every_days,
    mta_sts: domain.mta_sts,
    mta_sts_since: formatTime(domain.mta_sts_since),
    guard: domain.guard ?? 'off',
    ignore: ignoredOf(domain),
    mailbox_provider: mailboxProvider,
    ...(claim === undefined ? {} : { claim: { record: claim } }),
    bimi: domain.bimi === null ? null : bimiView(JSON.parse(domain.bimi)),
    ready: readyView(readyOf({ domain, records }, accountStatus)),
    records: views.filter((record) => record !== claim),
    dkim: {
      selectors: { rsa: selectorIn(views, 'dkim_rsa'), ed25519: selectorIn(views, 'dkim_ed25519') },
      ...rotationView({ domain, records }),
    },
    events: events.map(({ type, at }) => ({ type, at: formatTime(at) })),
  }
}

/** Returns the check of a BIMI record; a hint alone is no failure. */
function bimiView({ isDeclined, logo, ...check }: BimiCheck): DomainView['bimi'] {
  const findings = [...check.findings, ...(logo?.findings ?? [])].map(bimiFinding)
  const hasFailed = findings.some(({ severity }) => severity === 'error')
  return {
    status: isDeclined ? 'declined' : hasFailed ? 'failed' : 'passed',
    ...{ name: check.name, record: check.record },
    ...{ logo_url: check.logoUrl, certificate_url: check.certificateUrl },
    logo_checked_at: formatTime(logo?.at ?? null),
    findings,
  }
}

const readyView = ({ reasons, ...kinds }: Ready): DomainView['ready'] => ({
  ...kinds,
  reasons: reasons.map(({ stops, ...reason }) => ({ ...reason, stops: [...stops] })),
})

/** Returns the state of the rotation of a domain's keys. */
function rotationView({
  domain: { rotate_at: rotateAt },
  records,
}: DomainWithRecords): Omit<DomainView['dkim'], 'selectors'> {
  const has = (end: string): boolean => records.some(({ purpose }) => purpose.endsWith(end))
  const step = has('_next') ? 'switch' : has('_old') ? 'retire' : 'rotate'
  return {
    next_step: step,
    rotates_at: formatTime(step === 'rotate' ? rotateAt : null),
    switches_at: formatTime(rotateAt === null ? null : switchesAt(records)),
  }
}

/** Returns the selector in the name of a DKIM record; null if the domain has no such record. */
const selectorIn = (records: readonly DomainRecordView[], purpose: RecordKind): string | null =>
  records.find((record) => record.purpose === purpose)?.name.split('.', 1)[0] ?? null

/** Returns the DNS records of a domain as shown, in the order in which they are published. */
export const recordViews = ({ domain, records }: DomainWithRecords): DomainRecordView[] =>
  inOrder(records).map((record) => recordView(record, domain))

export const inOrder = (records: readonly DomainRecord[]): DomainRecord[] =>
  records.toSorted(
    (one, other) => ORDER.indexOf(recordKind(one.purpose)) - ORDER.indexOf(recordKind(other.purpose)),
  )

function recordView(record: DomainRecord, domain: Domain): DomainRecordView {
  const { purpose, type, name, value, required, status, found } = record
  return {
    purpose: recordKind(purpose),
    type,
    name,
    host: name === domain.name ? '@' : name.slice(0, -domain.name.length - 1),
    value,
    required: required === 1,
    status,
    found: JSON.parse(found),
    advice: adviceFor(record, domain),
  }
}
