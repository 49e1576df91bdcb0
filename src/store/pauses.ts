// What holds mail back: the pauses of operators, and domains that are paused or whose account is suspended.

import { sql } from 'kysely'
import { type Lane, type PauseKind, pausedLane } from '../model/lane.ts'
import type { Database } from './dialect.ts'

/**
 * What operators hold back, and domains that their holders have paused or whose account is suspended: not by a claim,
 * nor by one that is gone.
 */
export async function pausedLanes(db: Database): Promise<Set<Lane>> {
  const held = sql`deleted_at is null and claim_token is null`
  const { rows } = await sql<{ kind: PauseKind; value: string }>`
    select kind, value from queue_pauses
    union all select 'domain', name from domains where status = 'paused' and ${held}
    union all select 'domain', domains.name from accounts join domains on domains.account_id = accounts.id
      where accounts.status = 'suspended' and ${held}`.execute(db)
  return new Set(rows.map(({ kind, value }) => pausedLane(kind, value)))
}

/** What a pause may name of a recipient. */
interface Pausable {
  readonly destination: string
  readonly stream: string
  readonly domainName: string
}

/** The lane of the pause that holds a recipient, if one does. */
export function pauseOf(
  { destination, stream, domainName }: Pausable,
  paused: ReadonlySet<Lane>,
): Lane | undefined {
  if (paused.size === 0) return undefined
  return [
    pausedLane('destination', destination),
    pausedLane('stream', stream),
    pausedLane('domain', domainName),
  ].find((lane) => paused.has(lane))
}
