// View of a bulk in the API.

import type { Static } from 'typebox'
import { formatTime } from '../../lib/rfc3339.ts'
import { Problem } from '../../model/problem.ts'
import { type Bulk, findBulk } from '../../store/bulk/bulks.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { Owner } from '../../store/messages/owner.ts'
import type { BulkView } from '../contract/bulk.ts'
import type { TimeLeft } from '../time-left.ts'

type View = Static<typeof BulkView>

export const bulkView = (bulk: Bulk, timeLeft: TimeLeft): View => ({
  bulk_id: bulk.id,
  name: bulk.name,
  status: bulk.status as View['status'],
  stream: bulk.stream,
  tag: bulk.tag,
  template_id: bulk.template_id,
  subject: bulk.subject,
  total: bulk.total,
  accepted: bulk.accepted,
  refused: bulk.refused,
  seconds_left:
    bulk.status === 'running'
      ? timeLeft.secondsLeft(bulk.id, bulk.accepted + bulk.refused, bulk.total)
      : null,
  problem: bulk.problem === null ? null : JSON.parse(bulk.problem),
  created_at: formatTime(bulk.created_at),
  finished_at: formatTime(bulk.finished_at),
})

/** Returns the bulk with this ID if the bulk belongs to the owner. Throws `not_found`. */
export async function requireBulk(read: Read, owner: Owner, id: string): Promise<Bulk> {
  const bulk = await reading(findBulk(read, owner, id))
  if (bulk === undefined) throw new Problem('not_found', 'There is no bulk with this ID.')
  return bulk
}
