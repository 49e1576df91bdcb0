// Reads XLSX workbooks in threads, fairly by account.

import { Problem } from '../model/problem.ts'
import { FairThreads } from '../threads/worker-pool.ts'
import type { BodyMemory } from './body-memory.ts'
import { noMemory } from './body-upload.ts'
import type { WorkbookJobs } from './workbook-thread.ts'

/** A list of 100,000 rows takes one to two seconds; what takes much longer was made to be slow. */
const TIMES = { firstSlice: 2_000, long: 30_000 }
/** For 64 MiB of texts, and a sheet as CSV. */
const HEAP_MB = 384
/** What waits is within the memory of all bodies. */
const MAX_WAITING = Number.MAX_SAFE_INTEGER

/** The threads start with the first workbook. */
export class WorkbookThreads extends FairThreads<WorkbookJobs> {
  readonly name = 'workbook threads'

  constructor() {
    super({
      ...{ program: new URL('./workbook-thread.ts', import.meta.url), heapMb: HEAP_MB, maxQuick: 1 },
      ...{ times: TIMES, maxWaiting: MAX_WAITING, jobWeight: 1 },
      failed: (reason) => {
        const cause = new Error(reason)
        return new Problem('body_too_large', 'The workbook cannot be read here; send it as CSV.', { cause })
      },
      refused: { full: noMemory, gone: noMemory },
      stopped: () => new Problem('unavailable', 'This node stops; please try again.', { retryAfter: 1 }),
    })
  }

  /**
   * The first sheet as CSV, for which memory is held together with the workbook's.
   *
   * @param maxBytes of the CSV
   * @throws Problem for what is no workbook, or a larger one
   */
  async asCsv(octets: Buffer, maxBytes: number, held: BodyMemory): Promise<string> {
    if (!(await held.holdLater(octets.length + maxBytes))) throw noMemory()
    const workFor = { accountId: held.owner, isGone: () => held.released }
    const read = await this.run(workFor, 'read', { octets: new Uint8Array(octets), maxBytes }, 0)
    if ('csv' in read) return read.csv
    throw new Problem('malformed_request', read.problem)
  }
}
