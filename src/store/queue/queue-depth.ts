// Depth of the queue by state and by destination, for monitoring.

import { sql } from 'kysely'
import type { RecipientStatus } from '../../model/recipient.ts'
import type { Read } from '../database/dialect.ts'
import { summariseQueue } from './queue-control.ts'

/** Number of waiting recipients with the same state or destination. */
export interface QueueDepth {
  readonly recipients: number
  /** ID of the oldest message to these recipients; the ID contains the time of the message. */
  readonly oldestMessageId: string
}

/** Maximum number of destinations in the metrics; the queue itself may contain any number of destinations. */
const MAX_DESTINATIONS = 20

/**
 * Returns the depth of the queue by status of the recipients; the status is `held` for recipients that a pause or a
 * restore holds. Omits statuses without recipients.
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

/** Returns the depth of the queue for the destinations with the most waiting recipients. */
export async function depthByDestination(read: Read): Promise<ReadonlyMap<string, QueueDepth>> {
  const lines = await summariseQueue(read, MAX_DESTINATIONS)
  return new Map(lines.map((line) => [line.destination, line]))
}
