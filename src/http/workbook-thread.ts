// The program of the threads that read XLSX workbooks.

import { WorkbookError, workbookAsCsv } from '../tables/workbook-reader.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import { serveJobs } from '../threads/worker-jobs.ts'

export interface WorkbookJobs {
  read: {
    readonly job: { readonly octets: Uint8Array; readonly maxBytes: number }
    readonly result: { readonly csv: string } | { readonly problem: string }
  }
}

const giveMemoryBack = becomeBulkThread()

serveJobs<WorkbookJobs>(async (_, { octets, maxBytes }) => {
  try {
    return {
      csv: await workbookAsCsv(Buffer.from(octets.buffer, octets.byteOffset, octets.length), maxBytes),
    }
  } catch (error) {
    if (error instanceof WorkbookError) return { problem: error.message }
    throw error
  } finally {
    setImmediate(giveMemoryBack)
  }
})
