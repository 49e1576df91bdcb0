// Reads a returned mail: the only entry point to the parsers of reports.

import { isAutoresponder, readAutoReply } from './auto-reply.ts'
import { readDeliveryStatus } from './delivery-status.ts'
import type { FeedbackReport, Report } from './report.ts'
import { Fields, type ReturnedMail, readReturnedMail } from './returned-mail.ts'
import { readTextBounce, withExplanations } from './text-bounce.ts'

/**
 * Reads a whole mail from any bytes. Never throws, and takes milliseconds for any input. The content of the report is
 * not authenticated.
 */
export function readReport(bytes: Buffer): Report {
  const mail = readReturnedMail(bytes)
  const report = readDeliveryStatus(mail)
  if (report !== undefined) return withExplanations(report, mail)
  return (
    readFeedback(mail) ??
    (isAutoresponder(mail) ? undefined : readTextBounce(mail)) ??
    readAutoReply(mail) ?? { kind: 'unrecognised', original: mail.original }
  )
}

/** Returns the decoded subject of a mail on one line; empty if the mail has no subject. */
export const readSubject = (bytes: Buffer): string => readReturnedMail(bytes).fields.decoded('subject')

const MAX_RECIPIENTS = 50
const MAX_TYPE = 40

/** Returns the feedback report in a mail; undefined if the mail contains no report. */
function readFeedback(mail: ReturnedMail): FeedbackReport | undefined {
  const text = mail.part('message/feedback-report')
  return text === undefined ? withoutReport(mail) : fromFeedbackPart(new Fields(text), mail)
}

function fromFeedbackPart(report: Fields, { original }: ReturnedMail): FeedbackReport {
  const returned = new Fields(original)
  // A report without the field Feedback-Type (RFC 5965 §3.1) counts as a complaint.
  const feedbackType = report.get('feedback-type')?.toLowerCase().slice(0, MAX_TYPE) || 'abuse'
  const userAgent = report.get('user-agent')?.slice(0, 200)
  const originalMailFrom = bare(report.get('original-mail-from') ?? '')
  return {
    kind: 'feedback',
    feedbackType,
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(originalMailFrom === '' ? {} : { originalMailFrom }),
    originalRecipients: addresses([
      ...report.all('original-rcpt-to'),
      ...report.all('removal-recipient'),
      ...returned.all('x-hmxmroriginalrecipient'),
    ]),
    original,
  }
}

/** Reads the older form of Microsoft's junk mail reporting: the message alone, with its recipient in an added field. */
function withoutReport({ fields, original }: ReturnedMail): FeedbackReport | undefined {
  const recipients = new Fields(original).all('x-hmxmroriginalrecipient')
  const isComplaint =
    recipients.length > 0 || /^complaint about message from\b/i.test(fields.decoded('subject'))
  if (original === '' || !isComplaint) return undefined
  return { kind: 'feedback', feedbackType: 'abuse', originalRecipients: addresses(recipients), original }
}

function addresses(values: readonly string[]): string[] {
  return values
    .flatMap((value) => value.split(','))
    .map(bare)
    .filter((address) => address.includes('@'))
    .slice(0, MAX_RECIPIENTS)
}

const bare = (value: string): string => value.trim().replace(/^<|>$/g, '').trim()
