// Reads a TLS report (RFC 8460 §4.4), leniently; oddities become warnings.

import type { ReportPeriod, TlsPolicyRow, TlsReport } from '../model/report.ts'
import { canonicalAddress, cleanDomain, cleanText, countOf, ReportFault, Warnings } from './bounded.ts'

const MAX_POLICIES = 1_000
const MAX_FAILURES = 1_000
/** Maximum size of the JSON in bytes, so that the parsed values fit into memory. */
const MAX_JSON = 16 * 1024 * 1024
const DAY_MS = 86_400_000

type Values = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectOf = (value: unknown): Values => (isObject(value) ? value : {})
const textOf = (value: unknown, most = 255): string =>
  typeof value === 'string' ? cleanText(value, most) : ''
const listOf = (value: unknown, most: number): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, most) : []

/** Reads a report. Throws `ReportFault`; `now` is the time to which the period is compared. */
export function readTlsReport(bytes: Buffer, now: number): TlsReport {
  if (bytes.length > MAX_JSON) throw new ReportFault('The JSON has more than 16 MiB.', 'the file')
  const report = parsed(bytes)
  const warnings = new Warnings()
  const policies = listOf(report.policies, MAX_POLICIES).flatMap((one, at) => policyOf(one, at, warnings))
  if (policies.length === 0) {
    throw new ReportFault('The report has no policy with a summary.', 'policies')
  }
  const sum = (of: 'successful' | 'failed'): number => policies.reduce((all, one) => all + one[of], 0)
  const contact = textOf(report['contact-info'], 320)
  const submitter = textOf(report['organization-name']) || contact.replace(/^.*@/, '')
  if (submitter === '') warnings.add('The report does not name its author.')
  return {
    kind: 'tls',
    submitter: submitter || 'unknown',
    contact,
    externalId: textOf(report['report-id']).replace(/^<|>$/g, ''),
    period: periodOf(objectOf(report['date-range']), now, warnings),
    domains: [...new Set(policies.map(({ policyDomain }) => policyDomain))].filter((name) => name !== ''),
    policies,
    messages: sum('successful') + sum('failed'),
    failed: sum('failed'),
    warnings: warnings.list(),
  }
}

function parsed(bytes: Buffer): Values {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw new ReportFault('The file is no valid JSON.', cleanText((error as Error).message, 100))
  }
  if (isObject(value)) return value
  throw new ReportFault('The JSON is no object, so it is no TLS report.', 'the root')
}

function policyOf(given: unknown, at: number, warnings: Warnings): TlsPolicyRow[] {
  const { policy: givenPolicy, summary: givenSummary, 'failure-details': details } = objectOf(given)
  const policy = objectOf(givenPolicy)
  const summary = objectOf(givenSummary)
  const policyDomain = cleanDomain(textOf(policy['policy-domain']))
  const successful = countOf(summary['total-successful-session-count'])
  const failed = countOf(summary['total-failure-session-count'])
  if (successful === undefined && failed === undefined) {
    warnings.add(`Policy ${at + 1} has no summary, and was left out.`)
    return []
  }
  if (policyDomain === '') warnings.add(`Policy ${at + 1} has no domain.`)
  const failures = listOf(details, MAX_FAILURES).map((one) => failureOf(objectOf(one)))
  const told = failures.reduce((all, { sessions }) => all + sessions, 0)
  if (told > (failed ?? 0)) warnings.add('The failures in the details exceed the summary.')
  const policyType = textOf(policy['policy-type'], 40).toLowerCase()
  return [{ policyType, policyDomain, successful: successful ?? 0, failed: failed ?? 0, failures }]
}

const failureOf = (failure: Values): TlsPolicyRow['failures'][number] => ({
  result: textOf(failure['result-type'], 60).toLowerCase(),
  mx: cleanDomain(textOf(failure['receiving-mx-hostname'])),
  sendingAddress: canonicalAddress(textOf(failure['sending-mta-ip'], 60)) ?? '',
  sessions: countOf(failure['failed-session-count']) ?? 0,
  info: textOf(failure['failure-reason-code'], 200) || textOf(failure['additional-information'], 200),
})

function periodOf(range: Values, now: number, warnings: Warnings): ReportPeriod {
  const begin = timeOf(range['start-datetime'])
  const given = timeOf(range['end-datetime'])
  if (begin === undefined) throw new ReportFault('The report has no period.', 'date-range/start-datetime')
  if (begin > now + DAY_MS) {
    throw new ReportFault('The period of the report begins in the future.', 'date-range/start-datetime')
  }
  const end = given === undefined || given < begin ? begin : given
  if (end !== given) warnings.add('The period has no end, or ends before it begins.')
  return { begin, end }
}

/** Returns a time of RFC 3339; a time without a zone is UTC. */
function timeOf(value: unknown): number | undefined {
  const text = textOf(value, 40)
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined
  const at = Date.parse(/(?:z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)
  return Number.isNaN(at) ? undefined : at
}
