// Reads a returned mail: the only entry to the parsers of reports.

import { isAutoresponder, readAutoReply } from './auto-reply.ts'
import { readDeliveryStatus } from './delivery-status.ts'
import { readFeedback } from './feedback.ts'
import type { Report } from './report.ts'
import { readReturnedMail } from './returned-mail.ts'
import { readTextBounce, withExplanations } from './text-bounce.ts'

/**
 * Reads a whole mail from any bytes. Never throws, and takes milliseconds for any input. The content of the report is
 * not authenticated.
 */
export function readReport(octets: Buffer): Report {
  const mail = readReturnedMail(octets)
  const report = readDeliveryStatus(mail)
  if (report !== undefined) return withExplanations(report, mail)
  return (
    readFeedback(mail) ??
    (isAutoresponder(mail) ? undefined : readTextBounce(mail)) ??
    readAutoReply(mail) ?? { kind: 'unrecognised', original: mail.original }
  )
}

/** Returns the subject of a mail, decoded, on one line; empty if there is none. */
export const readSubject = (octets: Buffer): string => readReturnedMail(octets).fields.decoded('subject')
