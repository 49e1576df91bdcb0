// Reports of receivers about a domain: DMARC aggregate reports, TLS reports and complaints, as they are read and kept.

export const REPORT_KINDS = ['dmarc', 'tls', 'arf', 'cfbl'] as const
export type ReportKind = (typeof REPORT_KINDS)[number]

/** Maximum size of the file of a report as received, in bytes. */
export const MAX_REPORT_BYTES = 10 * 1024 * 1024
/** Number of days for which the file of a report is kept, and for which reports and their rows are kept. */
export const REPORT_DAYS = { raw: 45, rows: 400 } as const

/** Maximum number of warnings about one report. */
export const MAX_WARNINGS = 20

/** Period of a report: milliseconds since the epoch. */
export interface ReportPeriod {
  readonly begin: number
  readonly end: number
}

/** Identity of a report: two reports with the same identity about one domain are the same report. */
interface ReportIdentity {
  /** Organization that wrote the report, as it names itself. */
  readonly submitter: string
  /** Contact address of the submitter; empty without one. */
  readonly contact: string
  /** ID that the submitter gave the report, without angle brackets. */
  readonly externalId: string
  /** Undefined for a complaint. */
  readonly period: ReportPeriod | undefined
}

/** A DKIM result of a row, not necessarily aligned. */
export interface DkimOutcome {
  readonly domain: string
  readonly selector: string
  readonly result: string
}

/** Messages of a DMARC report with the same source, results and identifiers. */
export interface DmarcRow {
  /** IP address in its canonical spelling; empty for messages of many small rows together. */
  readonly address: string
  readonly headerFrom: string
  /** Domain of MAIL FROM; empty for the null reverse path, or if the report does not tell. */
  readonly envelopeFrom: string
  readonly dkim: readonly DkimOutcome[]
  /** Domain and result of the SPF check; the result is empty if the report does not tell. */
  readonly spf: { readonly domain: string; readonly result: string }
  /** Aligned results, as the receiver evaluated them. */
  readonly dkimAligned: boolean
  readonly spfAligned: boolean
  readonly disposition: string
  /** Types of the reasons for another disposition than that of the policy, joined by a space. */
  readonly reason: string
  readonly messages: number
}

interface CommonReport extends ReportIdentity {
  /** Domains that the report is about, in lower case. */
  readonly domains: readonly string[]
  /** Oddities of the report, as sentences. */
  readonly warnings: readonly string[]
  /** Messages of a DMARC report, sessions of a TLS report, 1 for a complaint; and how many of them failed. */
  readonly messages: number
  readonly failed: number
}

export interface DmarcReport extends CommonReport {
  readonly kind: 'dmarc'
  readonly schema: 'rfc7489' | 'rfc9990'
  /** Policy that the receiver applied, by the names of its tags. */
  readonly policy: Readonly<Record<string, string>>
  readonly rows: readonly DmarcRow[]
}

/** Sessions of a TLS report with one policy: failures by result type (RFC 8460 §4.3). */
export interface TlsPolicyRow {
  readonly policyType: string
  readonly policyDomain: string
  readonly successful: number
  readonly failed: number
  readonly failures: readonly {
    readonly result: string
    readonly mx: string
    readonly sendingAddress: string
    readonly sessions: number
    readonly info: string
  }[]
}

export interface TlsReport extends CommonReport {
  readonly kind: 'tls'
  readonly policies: readonly TlsPolicyRow[]
}

/** A complaint or another report about one message (RFC 5965, RFC 9477). */
export interface FeedbackReportRead extends CommonReport {
  readonly kind: 'arf' | 'cfbl'
  readonly feedbackType: string
}

export type ReadReport = DmarcReport | TlsReport | FeedbackReportRead

/** Reason why a file is no report, and the place of the fault in the file. */
export interface Unreadable {
  readonly kind: 'unreadable'
  readonly problem: string
  readonly where: string
}

/** True if a name equals a domain or is below the domain; both in lower case. */
export const isAtOrBelow = (name: string, domain: string): boolean =>
  name === domain || name.endsWith(`.${domain}`)
