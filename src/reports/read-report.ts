// Reads the file of a report of any kind and form, in bounded time and memory; no content makes the reader throw.

import { MAX_REPORT_BYTES, type ReadReport, type Unreadable } from '../model/report.ts'
import { ReportFault } from './bounded.ts'
import { readDmarcReport } from './dmarc-report.ts'
import { readFeedbackReport } from './feedback-report.ts'
import { readTlsReport } from './tls-report.ts'
import { openFile } from './unpack.ts'

/** A mail carries its attachment in base64, which is larger by a third. */
const MAX_BYTES = Math.ceil(MAX_REPORT_BYTES * 1.5)

/**
 * Reads a report from its file: XML, JSON, gzip, zip or a whole mail. Returns the reason and the place for a file that
 * is no report. `now` is in milliseconds since the epoch.
 */
export async function readReportFile(bytes: Buffer, now: number): Promise<ReadReport | Unreadable> {
  try {
    if (bytes.length > MAX_BYTES) throw new ReportFault('The file is larger than 15 MiB.', 'the file')
    const { format, bytes: document } = await openFile(bytes)
    if (format === 'json') return readTlsReport(document, now)
    return format === 'xml' ? readDmarcReport(document, now) : readFeedbackReport(document)
  } catch (error) {
    if (error instanceof ReportFault) return { kind: 'unreadable', problem: error.message, where: error.where }
    // A fault of this reader must not stop the processing of other reports.
    return { kind: 'unreadable', problem: 'The report cannot be read.', where: String(error).slice(0, 200) }
  }
}
