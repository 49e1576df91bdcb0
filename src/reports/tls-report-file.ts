// Writes a TLS report about the sessions of one day with the hosts of a domain: the JSON of RFC 8460 §4.4, and the mail
// that carries the JSON.

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { isSpecialUse } from '../dns/special-use.ts'
import type { TlsResult } from '../store/domains/tls-results.ts'

const DAY_MS = 86_400_000

/** Content of a report. */
export interface TlsReportFacts {
  /** Day in UTC, such as `2026-01-31`. */
  readonly day: string
  /** Recipient domain. */
  readonly domain: string
  /** Domain that sends the report. */
  readonly submitter: string
  /** Mail address for questions about the report. */
  readonly contact: string
  readonly results: readonly TlsResult[]
}

/** A report, ready to be sent. */
export interface TlsReportFile {
  /** Identifier, which is the same for each repetition of the report. */
  readonly reportId: string
  /** File name (RFC 8460 §5.1). */
  readonly name: string
  /** The JSON, compressed with gzip. */
  readonly bytes: Buffer
}

/** Media type of the compressed report. */
export const TLS_REPORT_TYPE = 'application/tlsrpt+gzip'

/** Builds the report; two calls with the same facts return the same bytes. */
export function tlsReportFile(facts: TlsReportFacts): TlsReportFile {
  const { day, domain, submitter, contact, results } = facts
  const begin = Date.parse(`${day}T00:00:00Z`)
  const unique = createHash('sha256').update(`${day} ${domain} ${submitter}`).digest('hex').slice(0, 16)
  const reportId = `${day}.${unique}@${submitter}`
  const report = {
    'organization-name': submitter,
    'date-range': { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` },
    'contact-info': contact,
    'report-id': reportId,
    policies: policiesOf(domain, results),
  }
  const seconds = [begin, begin + DAY_MS - 1_000].map((at) => Math.trunc(at / 1_000)).join('!')
  return {
    reportId,
    name: `${submitter}!${domain}!${seconds}!${unique}.json.gz`,
    bytes: gzipSync(JSON.stringify(report)),
  }
}

/** Groups the results by policy. The domain of a DANE policy is its mail host, the TLSA base domain (RFC 7672 §2.2.3). */
function policiesOf(domain: string, results: readonly TlsResult[]): object[] {
  const groups = Map.groupBy(results, ({ policy_type, policy, mx }) =>
    [policy_type, policy_type === 'tlsa' ? mx : domain, policy].join(' '),
  )
  return [...groups.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, rows]) => policyOf(domain, rows))
}

function policyOf(domain: string, rows: readonly TlsResult[]): object {
  const { policy_type: type, policy, mx } = rows[0]!
  const text = JSON.parse(policy) as string[]
  const failures = rows.filter(({ result }) => result !== 'success')
  const sum = (some: readonly TlsResult[]): number =>
    some.reduce((all, { sessions }) => all + Number(sessions), 0)
  const hosts = text.flatMap((line) => (type === 'sts' ? (/^mx: (.+)$/.exec(line)?.[1] ?? []) : []))
  return {
    policy: {
      'policy-type': type,
      ...(text.length === 0 ? {} : { 'policy-string': text }),
      'policy-domain': type === 'tlsa' ? mx : domain,
      ...(hosts.length === 0 ? {} : { 'mx-host': hosts }),
    },
    summary: {
      'total-successful-session-count': sum(rows) - sum(failures),
      'total-failure-session-count': sum(failures),
    },
    ...(failures.length === 0
      ? {}
      : {
          'failure-details': failures.map((failure) => ({
            'result-type': failure.result,
            ...addressOf('sending-mta-ip', failure.sending_ip),
            ...(failure.mx === '' ? {} : { 'receiving-mx-hostname': failure.mx }),
            ...addressOf('receiving-ip', failure.receiving_ip),
            'failed-session-count': Number(failure.sessions),
          })),
        }),
  }
}

/** Returns the field with an address; an address behind NAT means nothing to the receiver of the report. */
const addressOf = (field: string, address: string): object =>
  address === '' || isSpecialUse(address) ? {} : { [field]: address }

/** Envelope and header of the mail with a report. */
export interface TlsReportMail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly content: Buffer
}

/** Number of base64 characters of a line. */
const LINE = 76

/** Builds the mail that carries a report (RFC 8460 §5.3); `now` is the time in its Date field. */
export function tlsReportMail(
  { day, domain, submitter, contact, results }: TlsReportFacts,
  { reportId, name, bytes }: TlsReportFile,
  { to, now }: { readonly to: string; readonly now: number },
): TlsReportMail {
  const boundary = `=_${createHash('sha256').update(`${reportId} ${to}`).digest('hex').slice(0, 32)}`
  // The names are long, so the field is folded before each name.
  const subject = `Report Domain: ${domain} Submitter: ${submitter} Report-ID: <${reportId}>`
  const sessions = results.reduce((all, one) => all + Number(one.sessions), 0)
  const failed = results.reduce((all, one) => all + (one.result === 'success' ? 0 : Number(one.sessions)), 0)
  const lines = [
    `From: ${contact}`,
    `To: ${to}`,
    `Subject: ${subject.replace(/ (?=Submitter:|Report-ID:)/g, '\r\n ')}`,
    `Date: ${new Date(now).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${boundary.slice(2)}@${submitter}>`,
    'MIME-Version: 1.0',
    // RFC 8460 §5.3: the fields by which receivers find the report.
    `TLS-Report-Domain: ${domain}`,
    `TLS-Report-Submitter: ${submitter}`,
    // RFC 8689 §5: the report about failed TLS has to arrive although TLS fails.
    'TLS-Required: No',
    // RFC 3834 §5: nobody answers the report automatically.
    'Auto-Submitted: auto-generated',
    `Content-Type: multipart/report; report-type="tlsrpt";\r\n boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=us-ascii',
    '',
    `This is the TLS report (RFC 8460) of ${submitter} about its mail to`,
    `${domain} on ${day}, from 00:00 to 24:00 UTC.`,
    '',
    `Sessions: ${sessions}`,
    `Failed sessions: ${failed}`,
    '',
    `You get this report because of the record _smtp._tls.${domain}.`,
    '',
    `--${boundary}`,
    `Content-Type: ${TLS_REPORT_TYPE}`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment;\r\n filename="${name}"`,
    '',
    ...(bytes.toString('base64').match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []),
    `--${boundary}--`,
    '',
  ]
  return { from: contact, to, subject, content: Buffer.from(lines.join('\r\n')) }
}
