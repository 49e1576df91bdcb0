// Shows reports and the authentication that they report in the API.

import { formatTime } from '../../lib/rfc3339.ts'
import type { TlsPolicyRow } from '../../model/report.ts'
import type { AuthenticationRow as Row } from '../../reports/authentication-view.ts'
import { adviceInWords } from '../../reports/sources.ts'
import type { StoredDmarcRow, StoredReport } from '../../store/reports/reports.ts'
import type { AuthenticationRow, ReportSummary, ReportView } from '../contract/report.ts'

/** Returns the day of the rows of a report. */
export const dayOf = ({ begin_at }: StoredReport): string =>
  new Date(Number(begin_at ?? 0)).toISOString().slice(0, 10)

export const reportSummary = (report: StoredReport, domain: string): ReportSummary => ({
  report_id: report.id,
  kind: report.kind,
  domain,
  submitter: report.submitter,
  external_id: report.external_id,
  period:
    report.begin_at === null || report.end_at === null
      ? null
      : { begin: formatTime(Number(report.begin_at)), end: formatTime(Number(report.end_at)) },
  received_at: formatTime(Number(report.received_at)),
  status: report.state,
  authenticated: report.authenticated === null ? null : Number(report.authenticated) === 1,
  messages: Number(report.messages),
  failed: Number(report.failed),
  warnings: JSON.parse(report.warnings) as string[],
  duplicate_of: report.duplicate_of,
})

/** Stored values of a report, without its rows. */
interface StoredDetail {
  readonly problem?: { readonly message: string; readonly where: string }
  readonly policy?: Readonly<Record<string, string>>
  readonly policies?: readonly TlsPolicyRow[]
}

export function reportView(
  report: StoredReport,
  domain: string,
  rows: readonly StoredDmarcRow[],
  hasFile: boolean,
): ReportView {
  const { problem = null, policy = {}, policies = [] } = JSON.parse(report.detail) as StoredDetail
  return {
    ...reportSummary(report, domain),
    ...{ problem, policy: { ...policy }, raw_available: hasFile },
    policies: policies.map(({ policyType, policyDomain, successful, failed, failures }) => ({
      ...{ policy_type: policyType, policy_domain: policyDomain, successful, failed },
      failures: failures.map(({ result, mx, sendingAddress, sessions }) => ({
        ...{ result, mx, sending_address: sendingAddress, sessions },
      })),
    })),
    rows: rows.map((row) => ({
      ...{ address: row.address, messages: Number(row.messages), header_from: row.header_from },
      ...{ envelope_from: row.envelope_from, dkim: row.dkim, spf: row.spf },
      ...{ dkim_aligned: Number(row.dkim_aligned) === 1, spf_aligned: Number(row.spf_aligned) === 1 },
      ...{ disposition: row.disposition, reason: row.reason },
    })),
  }
}

export const authenticationRow = ({ source, failing, advice, ...row }: Row): AuthenticationRow => ({
  source: source && {
    ...{ source_id: source.sourceId, kind: source.kind, name: source.name },
    ...{ addresses: [...source.addresses], ptr: source.host },
  },
  ...{ receiver: row.receiver, day: row.day, header_from: row.headerFrom, messages: row.messages },
  ...{ dmarc_pass: row.pass, dkim_aligned: row.dkimAligned, spf_aligned: row.spfAligned },
  ...{ dispositions: { ...row.dispositions }, receivers: [...row.receivers] },
  ...{ first_seen: row.firstSeen, last_seen: row.lastSeen, failing_since: failing?.since ?? null },
  failing: failing
    ? {
        ...{ mechanism: failing.mechanism, addresses: failing.addresses.slice(0, 20) },
        ...{ receivers: failing.receivers.slice(0, 20), messages: failing.messages, failed: failing.failed },
      }
    : null,
  sent_by_us: row.sentByUs,
  advice: advice ?? null,
  what_to_do:
    advice === undefined || source === null ? '' : adviceInWords(advice, { name: source.name, failing }),
})
