// The program of the thread that mends large submitted messages.

import type { Sending } from '../mime/mend/field-rules.ts'
import { mend } from '../mime/mend/mend.ts'
import { isMendProblem, type MendProblem } from '../mime/mend/problem.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import { serveJobs } from '../threads/worker-jobs.ts'
import { HEADER_LIMITS } from './limits.ts'

export interface MendJob {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly sending: Sending
}

export interface MendingJobs {
  mend: {
    readonly job: MendJob
    readonly result: { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly problem: MendProblem }
  }
}

const releaseMemory = becomeBulkThread()

serveJobs<MendingJobs>(
  (_, { bytes, sending }) => {
    const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const mended = mend(message, sending, HEADER_LIMITS)
    // The copy fills its whole buffer, so that the buffer can be transferred.
    return isMendProblem(mended) ? { problem: mended } : { bytes: new Uint8Array(mended) }
  },
  (result) => {
    // `setImmediate` delays the callback until the result was sent.
    setImmediate(releaseMemory)
    return 'bytes' in result ? [result.bytes.buffer] : []
  },
)
