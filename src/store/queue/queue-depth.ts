// Depth of the queue by state and by destination, for monitoring.

import { sql } from 'kysely'
import type { RecipientStatus } from '../../model/recipient.ts'
import type { Read } from '../database/dialect.ts'
import { summariseQueue } from './queue-control.ts'

/** Waiting recipients of one kind. */
export interface QueueDepth {
  readonly recipients: number
  /** ID of their oldest message, which contains its time. */
  readonly oldestMessageId: string
}

/** Maximum number of destinations in the metrics; the queue may have any number. */
const MAX_DESTINATIONS = 20

/**
 * Returns the depth by status of the recipient, or `held` if a pause holds it; statuses without recipients are left
 * out.
 */
export async function depthByState(read: Read): Promise<ReadonlyMap<RecipientStatus | 'held', QueueDepth>> {
  const status = sql<RecipientStatus | 'held'>`
    case when state = 'held' then 'held' when state = 'active' then 'sending'
      when state = 'scheduled' then 'scheduled' when attempts > 0 then 'deferred' else 'queued' end`
  const rows = await read
    .selectFrom('queue')
    .select(({ fn }) => [
      status.as('state'),
      fn.countAll<number>().as('recipients'),
      fn.min('message_id').as('oldestMessageId'),
    ])
    .groupBy(status)
    .execute()
  return new Map(rows.map(({ state: key, ...depth }) => [key, depth]))
}

/** Returns the depth of the destinations with the most waiting recipients. */
export async function depthByDestination(read: Read): Promise<ReadonlyMap<string, QueueDepth>> {
  const lines = await summariseQueue(read, MAX_DESTINATIONS)
  return new Map(lines.map((line) => [line.destination, line]))
}
