// Turns what was read of a report into what is stored: the report, its rows by day, and its relation to own mail.

import {
  type DmarcReport,
  type DmarcRow,
  isAtOrBelow,
  type ReadReport,
  type Unreadable,
} from '../model/report.ts'
import { returnPathHost } from '../model/return-path.ts'
import type { ReportedDomain } from '../store/reports/authentication.ts'
import type { KeepReport } from '../store/reports/reports.ts'
import { serviceOfResults } from './mail-services.ts'

/** The part of `KeepReport` that the content of a file decides. */
export type StoredPart = Pick<KeepReport, 'identity' | 'rows'> & {
  readonly report: Omit<KeepReport['report'], 'id' | 'received_at' | 'size'>
}

/** Returns the stored form of a file that is no report. */
export const unreadableReport = ({ problem, where }: Unreadable): StoredPart => ({
  report: {
    ...{ state: 'unreadable', kind: null, warnings: '[]' },
    detail: JSON.stringify({ problem: { message: problem, where } }),
  },
  ...{ identity: undefined, rows: [] },
})

/**
 * Returns the stored form of a report about a domain; undefined if the report is about other domains. A report about a
 * parent domain, whose policy the domain inherits, is one about the domain as far as its rows are.
 *
 * @param selectors DKIM selectors of this installation for the domain
 */
export function storedReport(
  read: ReadReport,
  domain: ReportedDomain,
  selectors: ReadonlySet<string>,
): StoredPart | undefined {
  const { domainName } = domain
  const isAbout = read.domains.some(
    (name) => isAtOrBelow(name, domainName) || (read.kind !== 'tls' && isAtOrBelow(domainName, name)),
  )
  if (!isAbout) return undefined
  const own = read.kind === 'dmarc' ? rowsOf(read, domainName) : undefined
  if (own?.length === 0) return undefined
  const messages = own === undefined ? read.messages : sum(own, () => true)
  const failed = own === undefined ? read.failed : sum(own, (row) => !row.dkimAligned && !row.spfAligned)
  const { kind, submitter, externalId, period, warnings } = read
  return {
    report: {
      ...{ state: 'read', kind, submitter, messages, failed },
      external_id: externalId,
      begin_at: period?.begin ?? null,
      end_at: period?.end ?? null,
      warnings: JSON.stringify(warnings),
      detail: JSON.stringify(detailOf(read)),
    },
    identity: [
      ...(kind === 'dmarc' || kind === 'tls' ? [kind] : ['feedback']),
      ...[submitter.toLowerCase(), read.domains[0] ?? '', externalId],
      ...(period === undefined ? [] : [period.begin, period.end]),
    ],
    rows: (own ?? []).map((row) => storedRow(row, read as DmarcReport, domainName, selectors)),
  }
}

const sum = (rows: readonly DmarcRow[], counts: (row: DmarcRow) => boolean): number =>
  rows.reduce((all, row) => all + (counts(row) ? row.messages : 0), 0)

/** Returns the rows about a domain, or about a part of it; rows without a From domain belong to the reported domain. */
function rowsOf({ rows, domains: [reported = ''] }: DmarcReport, domainName: string): readonly DmarcRow[] {
  if (isAtOrBelow(reported, domainName)) return rows
  return rows.filter(({ headerFrom }) => headerFrom !== '' && isAtOrBelow(headerFrom, domainName))
}

function detailOf(read: ReadReport): object {
  switch (read.kind) {
    case 'dmarc':
      return { schema: read.schema, policy: read.policy, contact: read.contact }
    case 'tls':
      return { policies: read.policies.slice(0, MAX_POLICIES), contact: read.contact }
    default:
      return { feedback_type: read.feedbackType, contact: read.contact }
  }
}

/** Number of policies of a TLS report that are kept. */
const MAX_POLICIES = 100

function storedRow(
  row: DmarcRow,
  { period, submitter }: DmarcReport,
  domainName: string,
  selectors: ReadonlySet<string>,
): KeepReport['rows'][number] {
  const ours = row.dkim.filter(({ domain, selector }) => domain === domainName && selectors.has(selector))
  const isOwnPath = row.spf.result === 'pass' && row.spf.domain === returnPathHost(domainName)
  const passing = [
    ...row.dkim.filter(({ result }) => result === 'pass').map(({ domain }) => domain),
    ...(row.spf.result === 'pass' ? [row.spf.domain] : []),
  ]
  const signed = ours.some(({ result }) => result === 'pass')
  return {
    day: new Date(period?.begin ?? 0).toISOString().slice(0, 10),
    receiver: submitter,
    address: row.address,
    header_from: row.headerFrom,
    envelope_from: row.envelopeFrom,
    dkim: row.dkim.map(({ domain, selector, result }) => `${domain}/${selector}=${result}`).join(' '),
    spf: row.spf.domain === '' && row.spf.result === '' ? '' : `${row.spf.domain}=${row.spf.result}`,
    own_key: signed ? 'pass' : ours.length > 0 ? 'fail' : '',
    own_path: isOwnPath ? 1 : 0,
    service: serviceOfResults(passing, domainName) ?? '',
    dkim_aligned: row.dkimAligned ? 1 : 0,
    spf_aligned: row.spfAligned ? 1 : 0,
    disposition: row.disposition,
    reason: row.reason,
    messages: row.messages,
  }
}
