// Reads a complaint, or another report about one message (RFC 5965), for the list of reports.

import { readReport } from '../dsn/read-report.ts'
import { Fields, readReturnedMail } from '../dsn/returned-mail.ts'
import { parseSoleMailbox } from '../mime/read-mailboxes.ts'
import type { FeedbackReportRead } from '../model/report.ts'
import { cleanDomain, cleanText, ReportFault } from './bounded.ts'

const MAX_DOMAINS = 20

/** Reads a report. Throws `ReportFault` for a mail that is no report about a message. */
export function readFeedbackReport(bytes: Buffer): FeedbackReportRead {
  const report = readReport(bytes)
  if (report.kind !== 'feedback') {
    throw new ReportFault(
      'The mail contains no DMARC report, TLS report or complaint.',
      'the parts of the mail',
    )
  }
  const mail = readReturnedMail(bytes)
  const fields = new Fields(mail.part('message/feedback-report') ?? '')
  const original = new Fields(report.original)
  const author = mailboxOf(mail.fields.get('from'))
  // RFC 9477 §3.2: a report to a CFBL-Address shows the field of the message, or has the type of XARF.
  const isCfbl = original.get('cfbl-address') !== undefined || fields.get('cfbl-feedback-id') !== undefined
  const domains = [
    ...fields.all('reported-domain'),
    mailboxOf(original.get('from')).replace(/^.*@/, ''),
    ...original
      .all('dkim-signature')
      .flatMap((value) => /(?:^|;)\s*d\s*=\s*([^;\s]+)/i.exec(value)?.[1] ?? []),
  ]
  return {
    kind: isCfbl ? 'cfbl' : 'arf',
    feedbackType: report.feedbackType,
    submitter: cleanDomain(author.replace(/^.*@/, '')) || cleanText(report.userAgent ?? '', 100) || 'unknown',
    contact: author,
    externalId: cleanText(mail.fields.get('message-id') ?? '', 255).replace(/^<|>$/g, ''),
    period: undefined,
    domains: [...new Set(domains.map(cleanDomain).filter((name) => name !== ''))].slice(0, MAX_DOMAINS),
    warnings: [],
    messages: 1,
    failed: 0,
  }
}

const mailboxOf = (value = ''): string =>
  parseSoleMailbox(value)?.email ?? value.split(/[\s<>,;]/).find((word) => /^[^@]+@[^@]+$/.test(word)) ?? ''
