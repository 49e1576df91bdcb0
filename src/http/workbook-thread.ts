// Program of the threads that parse XLSX workbooks.

import { WorkbookError, workbookAsCsv } from '../tables/workbook-reader.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import { serveJobs } from '../threads/worker-jobs.ts'

export interface WorkbookJobs {
  read: {
    readonly job: { readonly bytes: Uint8Array; readonly maxBytes: number }
    readonly result: { readonly csv: string } | { readonly problem: string }
  }
}

const releaseMemory = becomeBulkThread()

serveJobs<WorkbookJobs>(async (_, { bytes, maxBytes }) => {
  try {
    return {
      csv: await workbookAsCsv(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), maxBytes),
    }
  } catch (error) {
    if (error instanceof WorkbookError) return { problem: error.message }
    throw error
  } finally {
    setImmediate(releaseMemory)
  }
})
