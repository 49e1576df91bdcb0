// Removes events from the event feeds after the retention time of message records.

import type { Database, Read } from '../database/dialect.ts'
import { ALL_ACCOUNTS, forgetAccountEvents } from './account-events.ts'
import { forgetLate } from './late-events.ts'
import { positionAt } from './position.ts'

/** Returns the domains whose event feeds contain events from before a given time. */
export async function feedsWithOld(read: Read, before: number): Promise<string[]> {
  const rows = await read
    .selectFrom('event_feed_ends')
    .select('domain_id')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('event_feed')
          .select('event_feed.position')
          .whereRef('event_feed.domain_id', '=', 'event_feed_ends.domain_id')
          .where('event_feed.position', '<=', positionAt(before)),
      ),
    )
    .orderBy('domain_id')
    .execute()
  return rows.map(({ domain_id }) => domain_id)
}

/** One removal step for the events of a domain from before a given time. */
export interface ForgetFeed {
  readonly domainId: string
  readonly before: number
  /** True if no domain keeps events from before this time. */
  readonly isOfAll: boolean
  /** Maximum number of rows that the step removes. */
  readonly limit: number
}

/**
 * Removes the oldest events of an event feed; returns false if there was no event to remove. Positions in the feed are
 * never used again.
 */
export async function forgetFeed(db: Database, items: readonly ForgetFeed[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { domainId, before, isOfAll, limit } of items) {
    if (isOfAll) await forgetLate(db, before)
    if (domainId === ALL_ACCOUNTS) await forgetAccountEvents(db, before, limit)
    const oldest = await db
      .selectFrom('event_feed')
      .select('position')
      .where('domain_id', '=', domainId)
      .where('position', '<=', positionAt(before))
      .orderBy('position')
      .limit(limit)
      .execute()
    const last = oldest.at(-1)
    results.push(last !== undefined)
    if (last === undefined) continue
    await db
      .deleteFrom('event_feed')
      .where('domain_id', '=', domainId)
      .where('position', '<=', last.position)
      .execute()
  }
  return results
}
forgetFeed.unaudited = true
