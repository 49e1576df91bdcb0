// The program of the thread that parses and authenticates inbound messages.

import type { ReadReport, Unreadable } from '../model/report.ts'
import { readReportFile } from '../reports/read-report.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import { serveJobs } from '../threads/worker-jobs.ts'
import { type AuthenticateJob, type AuthenticateResult, authenticateMail } from './authenticate.ts'
import { type ReadMail, readMail } from './read-mail.ts'
import { replyText } from './reply-text.ts'

export interface ReadingJobs {
  read: { readonly job: Uint8Array; readonly result: ReadMail }
  /** Extracts the reply: the text without quotations and signature. */
  reply: { readonly job: string; readonly result: string }
  /** Reads the file of a report; `now` is in milliseconds since the epoch. */
  report: {
    readonly job: { readonly raw: Uint8Array; readonly now: number }
    readonly result: ReadReport | Unreadable
  }
  authenticate: { readonly job: AuthenticateJob; readonly result: AuthenticateResult }
}

const releaseMemory = becomeBulkThread()
/** Total size in bytes of processed messages after which memory is released. */
const MAX_HELD = 8 * 1024 * 1024
let held = 0

const bytesOf = (raw: Uint8Array): Buffer => {
  held += raw.length
  return Buffer.from(raw.buffer, raw.byteOffset, raw.length)
}

serveJobs<ReadingJobs>(
  (kind, job) => {
    if (kind === 'read') return readMail(bytesOf(job as Uint8Array))
    if (kind === 'reply') return replyText(job as string)
    if (kind === 'report') {
      const { raw, now } = job as ReadingJobs['report']['job']
      return readReportFile(bytesOf(raw), now)
    }
    const { raw } = job as AuthenticateJob
    bytesOf(raw)
    return authenticateMail(job as AuthenticateJob)
  },
  () => {
    if (held >= MAX_HELD) {
      held = 0
      // The memory is released after the result was sent.
      setImmediate(releaseMemory)
    }
    return []
  },
)
