// /v1/bulk: one message to many recipients, its progress, its cancellation, and the results of its rows.

import type { BulkSending } from '../../bulk/bulk-sending.ts'
import type { Read } from '../../store/database/store.ts'
import type { Route } from '../route.ts'
import type { TimeLeft } from '../time-left.ts'
import { listBulkRows } from './rows.ts'
import { sendBulk } from './send.ts'
import { cancelBulk, listBulks, showBulk } from './show.ts'

export const bulkRoutes = ({
  read,
  bulks,
  timeLeft,
  maxBatchBytes,
}: {
  readonly read: Read
  readonly bulks: BulkSending
  readonly timeLeft: TimeLeft
  readonly maxBatchBytes: number
}): readonly Route[] => [
  sendBulk(bulks, maxBatchBytes),
  listBulks(read, timeLeft),
  showBulk(read, timeLeft),
  listBulkRows(read),
  cancelBulk(read, bulks, timeLeft),
]
