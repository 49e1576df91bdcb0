// Depth of the queue, by state and by destination, for monitoring.

import { sql } from 'kysely'
import type { RecipientStatus } from '../../model/recipient.ts'
import type { Read } from '../database/dialect.ts'
import { summariseQueue } from './queue-control.ts'

/** Recipients of one kind that wait. */
export interface QueueDepth {
  readonly recipients: number
  /** ID of the oldest message among them, which tells its time. */
  readonly oldestMessageId: string
}

/** Destinations that are told apart; the queue may hold any number. */
const MAX_DESTINATIONS = 20

/** The depth by state: that of the recipient, or `held` where a pause holds it; states with nothing are left out. */
export async function depthByState(read: Read): Promise<ReadonlyMap<RecipientStatus | 'held', QueueDepth>> {
  const told = sql<RecipientStatus | 'held'>`
    case when state = 'held' then 'held' when state = 'active' then 'sending'
      when state = 'scheduled' then 'scheduled' when attempts > 0 then 'deferred' else 'queued' end`
  const rows = await read
    .selectFrom('queue')
    .select(({ fn }) => [
      told.as('told'),
      fn.countAll<number>().as('recipients'),
      fn.min('message_id').as('oldestMessageId'),
    ])
    .groupBy(told)
    .execute()
  return new Map(rows.map(({ told: key, ...depth }) => [key, depth]))
}

/** The depth of the destinations that most recipients wait for. */
export async function depthByDestination(read: Read): Promise<ReadonlyMap<string, QueueDepth>> {
  const lines = await summariseQueue(read, MAX_DESTINATIONS)
  return new Map(lines.map((line) => [line.destination, line]))
}
